#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: consumer_offsets_audit
short_description: Find out which consumer groups and committed offsets are stale
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Read the topic C(__consumer_offsets) with Apache Spark. This topic has the time of the last commit of each group,
    which no admin API provides.
  - Join these records with the current groups, subscriptions, topics and logs of the cluster.
  - Write tables (Parquet), a report (one HTML file) and a plan, which M(kafkaops.groups.consumer_group) and
    M(kafkaops.groups.consumer_group_offsets) can apply.
  - The module does not change the cluster.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
requirements:
  - Java >= 17
  - confluent-kafka >= 2.16.1
  - pyspark, pyarrow and jinja2, as in C(meta/requirements.txt)
attributes:
  check_mode:
    support: full
    details:
      - The module only reads from the cluster. Check mode writes the same files to O(output).
  diff_mode:
    support: N/A
    details:
      - The module does not change the cluster.
  idempotent:
    support: full
    details:
      - The module does not change the cluster. Each run replaces the files of an earlier run in O(output).
options:
  output:
    description:
      - The folder for audits. The module creates the folder if it does not exist.
      - Each audit writes its tables, C(plan.json), C(report.html) and C(manifest.json) to its own folder
        C(audits/<id>). The link C(latest) is switched to this folder atomically at the end, so that incomplete audits
        are never visible. C(plan.json) and C(report.html) in O(output) are links through C(latest). Earlier and
        incomplete audits are then removed.
      - C(spark.log) is the log of the last run. Only one audit at a time can use the folder; a second audit fails.
      - The file system must support symbolic links and file locks.
      - The folder is on the host that the module runs on. If the executors of O(master) run on other hosts, the
        folder must be shared with them.
    type: path
    required: true
  stale_after:
    description:
      - >-
        How long a group must be idle to be stale: an ISO 8601 duration such as V(P30D), or its short form such as
        V(30d) or V(12h), in weeks, days, hours, minutes and seconds.
      - A group is idle since its last commit, or since the last record of the group itself if that is later. For
        example, a group whose consumers ran until yesterday without commits is idle since yesterday. Commits of
        offsets that were deleted later also count.
    type: str
    default: 30d
  include:
    description:
      - Patterns of the groups to audit, as a list or as one pattern. A pattern must match the B(whole) name.
      - Patterns are shell-style, with V(*), V(?) and V([...]). A pattern that starts with V(~) is a regular
        expression.
      - A single string is one pattern. The string is not split at commas.
    type: raw
    default: ["*"]
  exclude:
    description:
      - Patterns of the groups to exclude, in the format of O(include). Excluded groups are in the tables, but are
        never in the plan, and their only findings are records that cannot be decoded.
      - The default protects internal groups and the groups of Kafka Connect.
    type: raw
    default: ["connect-*", "_*"]
  owners:
    description:
      - Who owns which groups. The first entry with a pattern that matches the name of a group determines its owner. The
        owner of a group without a match is unknown (V(null)).
      - The tables C(groups) and C(findings), the plan and the report contain the owners. The modules that apply the
        plan can be limited to owners, for example with O(kafkaops.groups.consumer_group#module:owner).
      - Only one of O(owners) and O(owners_file) can be set.
    type: list
    elements: dict
    suboptions:
      match:
        description: Patterns of the groups, as a list or as one pattern, in the format of O(include).
        type: raw
        required: true
      owner:
        description: The name of the owner, such as a team. Quote numbers. This is why the type is V(raw).
        type: raw
        required: true
  owners_file:
    description:
      - The path of a CSV file with the columns C(match) and C(owner), instead of O(owners). Each line has one pattern
        in the format of O(include), and the name of its owner. The first match wins.
      - The file must be UTF-8, and its first line must have the column names. Commas, semicolons and tabs are accepted
        as separators, with or without a byte order mark and CRLF.
      - The path is on the host that the module runs on.
    type: path
  master:
    description:
      - The Spark master. V(local[*]) uses all cores of this host.
      - For a cluster, use the master URL of Spark, such as V(spark://host:7077). The code is shipped to the
        executors. They require Python with C(confluent-kafka) and C(pyarrow), and must be able to connect to the
        brokers.
    type: str
    default: local[*]
  spark_conf:
    description:
      - Additional Spark properties, such as C(spark.driver.memory).
      - The properties are passed in a private file, not on the command line of Spark.
      - B(Do not put secrets here.) Ansible logs the arguments of tasks. Put Spark secrets into
        C(spark-defaults.conf), or set C(no_log) on the task.
    type: dict
    default: {}
  topic:
    description: The topic to read. Change this only to read a copy of the offsets topic.
    type: str
    default: __consumer_offsets
  client_rack:
    description:
      - The rack of the executors. Brokers with a rack-aware C(replica.selector.class) then send the records
        from a replica in this rack (KIP-392), for example in the same availability zone.
      - By default, the records are read from the leader of each partition.
    type: str
  read_rate:
    description:
      - The maximum rate at which the topic is read, in bytes (keys and values) per second of all executors together, so
        that the audit does not disturb the brokers. A number of bytes, or a text such as V(20M). At least 10000.
      - Each of the splits gets the same part of the rate, and a split that is done does not give its part to others. A
        limit prolongs the audit. Increase O(timeout) accordingly.
      - By default, there is no limit.
    type: bytes
notes:
  - >-
    Permissions: READ and DESCRIBE on the topic O(topic), DESCRIBE on the cluster (to list all groups), DESCRIBE on
      the groups and their topics, DESCRIBE_CONFIGS on the cluster for the retention of offsets and the groups with
      settings, and DESCRIBE_CONFIGS on the groups for these settings. Groups and topics without permission are excluded
      from the plan.
  - Settings of groups that do not exist are findings (C(orphaned_config)) on brokers with Kafka 4.1 or newer. They are
    not in the plan.
  - Share groups are never stale, because the topic does not show when their consumers acknowledge records.
  - Requires Java 17 or newer, C(pyspark), C(pyarrow) and C(jinja2) on the host that the module runs on.
  - O(timeout) applies to the whole audit. Increase it for a large topic.
  - The plan contains a group only if the group is Empty, is a consumer group or a simple group, its committed offsets
    match the records of the topic, and all of its records can be decoded. Applying the plan detects later changes.
    Records of an unknown type are reported, and do not belong to a group. Only the values of committed offsets and
    classic groups are decoded.
  - Clients can commit any number as an offset. A negative offset is reported as a finding and is not in the plan. It
    does not exclude its group from the plan, because brokers do not return such offsets. A group with a timestamp in
    the future is never stale.
  - A simple group (one that commits without joining) is always empty, and only its last commit shows whether it is in
    use. Set O(stale_after) to more than the longest pause between two commits.
  - The clocks of this host and the brokers must be synchronized, because idle times are based on record timestamps.
  - An open transaction hides records that were written after its start. The module then warns, and excludes the
    groups of this partition from the plan.
  - Compaction removes old records. RV(tables) counts only the commits that the topic still contains.
  - Kafka deletes the committed offsets of a deleted topic. If some remain, no request can delete them. They expire,
    or are deleted with their group.
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_offsets
  - module: kafkaops.groups.consumer_group_info
  - name: KIP-496
    description: Deleting committed offsets, and metrics of commits and rebalances.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-496%3A+Administrative+API+to+delete+consumer+offsets
  - name: KIP-211
    description: When committed offsets expire.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-211%3A+Revise+Expiration+Semantics+of+Consumer+Group+Offsets
"""

EXAMPLES = r"""
- name: Find and delete stale groups and offsets
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: Audit the cluster
      kafkaops.groups.consumer_offsets_audit:
        output: /var/lib/kafka-audit
        stale_after: 90d
        exclude: ["connect-*", "_*", "payments-*"]
        timeout: 1800
      register: audit

    - name: Delete the stale groups of the plan with a back-up
      kafkaops.groups.consumer_group:
        plan: "{{ audit.plan }}"
        backup: "/var/backups/kafka/groups-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"
        max_changes: 100

    - name: Delete the unused offsets of the plan with a back-up
      kafkaops.groups.consumer_group_offsets:
        plan: "{{ audit.plan }}"
        state: absent
        backup: "/var/backups/kafka/offsets-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Audit the cluster with the owners of its groups
      kafkaops.groups.consumer_offsets_audit:
        output: /var/lib/kafka-audit
        owners:
          - match: ["billing-*", "invoice-*"]
            owner: team-billing
          - match: "~(shop|cart)-.*"
            owner: team-shop
        timeout: 1800
      register: owned

    - name: Delete the stale groups of one team
      kafkaops.groups.consumer_group:
        plan: "{{ owned.plan }}"
        owner: team-billing
        backup: "/var/backups/kafka/billing-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Audit a large cluster on a Spark cluster
      kafkaops.groups.consumer_offsets_audit:
        output: /mnt/shared/kafka-audit
        master: spark://spark.example.com:7077
        spark_conf:
          spark.executor.memory: 4g
          spark.pyspark.python: /opt/kafka-audit/bin/python
        timeout: 3600
"""

RETURN = r"""
summary:
  description: Totals of the audit.
  returned: success
  type: dict
  contains:
    records:
      description: Records that were read from the topic.
      returned: success
      type: int
      sample: 1480000
    groups:
      description: Groups in the topic or in the cluster.
      returned: success
      type: int
      sample: 20000
    offsets:
      description: Committed offsets.
      returned: success
      type: int
      sample: 486000
    stale_groups:
      description: Groups that are idle for longer than O(stale_after).
      returned: success
      type: int
      sample: 310
    findings:
      description: Findings of all kinds.
      returned: success
      type: int
      sample: 412
    undecodable:
      description: Records that could not be decoded.
      returned: success
      type: int
      sample: 0
    delete_groups:
      description: Groups that the plan deletes.
      returned: success
      type: int
      sample: 308
    delete_offsets:
      description: Committed offsets that the plan deletes, not counting the offsets of deleted groups.
      returned: success
      type: int
      sample: 24
plan:
  description: The path of the plan of this audit. The next audit removes it. C(plan.json) in O(output) is the latest
    plan.
  returned: success
  type: str
  sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/plan.json
report:
  description:
    - The path of the report of this audit. The next audit removes it. C(report.html) in O(output) is the latest
      report.
  returned: success
  type: str
  sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/report.html
tables:
  description:
    - The folder of each table of this audit, by table name. The next audit removes them. C(latest) in O(output) has
      the latest tables.
    - Each row starts with C(cluster_id), C(audit_id) and C(audited_at), so that rows of several audits and clusters can
      be combined.
    - Unknown values are null.
  returned: success
  type: dict
  contains:
    offsets:
      description:
        - One row for each committed offset, with C(group), C(topic), C(partition), C(offset), C(commit_time),
          C(expire_time), C(log_start), C(log_end), C(lag), C(subscribed) and others. C(lag) is null if the log end
          offset cannot be read, or if the offset is negative.
      returned: success
      type: str
      sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/offsets
    start_offsets:
      description:
        - One row for each partition of a share group, with C(group), C(topic), C(partition), C(start_offset) and
          C(lag), as M(kafkaops.groups.consumer_group_info) returns them. C(start_offset) is null if the group has not
          read the partition yet. Empty before Kafka 4.2.
      returned: success
      type: str
      sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/start_offsets
    groups:
      description:
        - One row for each group, with C(type), C(state), C(members), C(lag), C(known_lag), C(last_commit),
          C(idle_since), C(stale), C(owner) and others. C(owner) is null if no pattern of O(owners) matches.
        - C(lag) is null unless the lag of each partition is known, and for a group without committed offsets. The lag
          of a share group is that of its start offsets. C(known_lag) is the sum of the known lags, and null if all are
          unknown.
      returned: success
      type: str
      sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/groups
    activity:
      description:
        - One row for each group and day, with C(commits), C(tombstones) and completed C(rebalances) (KIP-496), and the
          C(last_commit) of the day.
      returned: success
      type: str
      sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/activity
    findings:
      description: One row for each finding, with C(kind), C(group), C(topic), C(partition), C(evidence), C(action)
        and C(owner).
      returned: success
      type: str
      sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/findings
stale_groups:
  description: The names of the stale groups.
  returned: success
  type: list
  elements: str
  sample: [report-2024, etl-test-1]
duration:
  description: The duration of the audit in seconds, not counting the start of Spark.
  returned: success
  type: float
  sample: 7.4
requests:
  description: The number of requests of each type that the module itself sent to the brokers, not counting requests
    of the Spark process.
  returned: success
  type: dict
  sample: {}
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._audit import audit


def main() -> None:
    run(
        {
            "output": {"type": "path", "required": True},
            "stale_after": {"type": "str", "default": "30d"},
            "include": {"type": "raw", "default": ["*"]},
            "exclude": {"type": "raw", "default": ["connect-*", "_*"]},
            "owners": {
                "type": "list",
                "elements": "dict",
                "options": {"match": {"type": "raw", "required": True}, "owner": {"type": "raw", "required": True}},
            },
            "owners_file": {"type": "path"},
            "master": {"type": "str", "default": "local[*]"},
            "spark_conf": {"type": "dict", "default": {}},
            "topic": {"type": "str", "default": "__consumer_offsets"},
            "client_rack": {"type": "str"},
            "read_rate": {"type": "bytes"},
        },
        audit.parse,
        audit.audit,
        mutually_exclusive=[("owners", "owners_file")],
    )


if __name__ == "__main__":
    main()

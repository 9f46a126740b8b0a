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
  - Read the topic C(__consumer_offsets) with Apache Spark, which tells what no admin API tells. It holds the time of
    each group's last commit.
  - Join that with what the cluster says of its groups, their subscriptions, its topics and their logs.
  - Leave tables (Parquet), a report (one HTML file) and a plan. The plan is what
    M(kafkaops.groups.consumer_group) and M(kafkaops.groups.consumer_group_offsets) can apply.
  - Nothing in the cluster is changed.
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
      - It only reads from the cluster. In check mode it does the same, and writes the same files to O(output).
  diff_mode:
    support: N/A
    details:
      - It changes nothing in the cluster.
  idempotent:
    support: full
    details:
      - It changes nothing in the cluster. Each run replaces what an earlier one left in O(output).
options:
  output:
    description:
      - The folder for audits. It is made if it does not exist.
      - Each audit writes its tables, C(plan.json), C(report.html) and C(manifest.json) into a folder of its own,
        C(audits/<id>). The link C(latest) is switched to that folder last, in one step, so that an audit appears whole
        or not at all. C(plan.json) and C(report.html) in O(output) are links that lead through C(latest). Earlier
        audits, and what killed ones left behind, are removed after that.
      - C(spark.log) is the log of the last run. One audit at a time may use the folder; another one is refused.
      - The file system must have symbolic links and file locks.
      - It is a folder of the host that the module runs on. With a O(master) whose executors run on other hosts, it has
        to be one that they share.
    type: path
    required: true
  stale_after:
    description:
      - How long a group must have been idle to be stale, in weeks to seconds in the form of ISO 8601, such as V(P30D),
        or in short, such as V(30d) or V(12h).
      - A group is idle since its last commit, or since the last record of the group itself if that is later. A group
        whose consumers ran until yesterday and had nothing to commit is idle since yesterday. Commits whose offsets
        were deleted since count, too.
    type: str
    default: 30d
  include:
    description:
      - Patterns of groups to judge, as a list or as one pattern. A pattern has to match the B(whole) name.
      - A pattern is shell-style, with V(*), V(?) and V([...]). If it starts with V(~), the rest of it is a regular
        expression.
      - A single string is one pattern. It is never split, and may hold commas.
    type: raw
    default: ["*"]
  exclude:
    description:
      - Patterns of groups that are never judged, as in O(include). They are in the tables, but their only findings are
        records that cannot be decoded, and they never enter the plan.
      - The default protects internal groups, and those of Kafka Connect.
    type: raw
    default: ["connect-*", "_*"]
  master:
    description:
      - Where Spark runs. V(local[*]) is this host, with all its cores.
      - A cluster is named as Spark names it, such as V(spark://host:7077). The package is shipped to the executors.
        They need Python with C(confluent-kafka) and C(pyarrow), and must reach the brokers.
    type: str
    default: local[*]
  spark_conf:
    description:
      - Further properties of Spark, such as C(spark.driver.memory).
      - They travel in a private file, and not on the command line of Spark.
      - B(No place for secrets.) Ansible logs what a task is given. Put secrets of Spark into its
        C(spark-defaults.conf), which is read, or set C(no_log) on the task.
    type: dict
    default: {}
  topic:
    description: The topic to read. Only a copy of the offsets topic has another name.
    type: str
    default: __consumer_offsets
notes:
  - >-
    Permissions: READ and DESCRIBE on the topic O(topic), DESCRIBE on the cluster (to list all groups), DESCRIBE on the
    groups and on their topics, and DESCRIBE_CONFIGS on the cluster for the time at which offsets expire. What one may
    not see is left out of the plan.
  - It needs Java 17 or newer, C(pyspark), C(pyarrow) and C(jinja2) on the host that it runs on.
  - O(timeout) holds for the whole audit. Set it higher for a large topic.
  - A group enters the plan only if it is Empty, is one of consumers or a simple group, all of its offsets are as the
    topic holds them, and none of its records is undecodable. What has changed since is seen again when the plan is
    applied. Records of a type that this release does not know are reported, and are no group's. Only records whose
    values the audit needs (committed offsets and classic groups) can be undecodable by their values.
  - Any client that may commit can write any number. A negative offset is a finding, is not in the plan, and does not
    keep its group out of it, since the brokers show no such offset. A group with a time in the future is never stale.
  - A simple group (one that commits without joining) is always empty. Its last commit is all that tells whether
    somebody uses it. Choose O(stale_after) longer than the longest pause between two commits.
  - The clock of this host and those of the brokers have to agree. A group is judged by the time of its records.
  - A transaction that is open hides what was committed after its start. The module warns then, and keeps the groups of
    that partition out of the plan.
  - Compaction erases history. RV(tables) counts commits of what the topic still holds.
  - When a topic is deleted, its committed offsets go with it. Where some were left behind, no request deletes them any
    more. They expire, or go with their group.
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_offsets
  - module: kafkaops.groups.consumer_group_info
  - name: KIP-496
    description: Deleting committed offsets, and the meters of commits and rebalances.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-496%3A+Administrative+API+to+delete+consumer+offsets
  - name: KIP-211
    description: When committed offsets expire.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-211%3A+Revise+Expiration+Semantics+of+Consumer+Group+Offsets
"""

EXAMPLES = r"""
- name: Find what is stale, and delete it
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

    - name: Delete the stale groups of the plan, with a back-up
      kafkaops.groups.consumer_group:
        plan: "{{ audit.plan }}"
        backup: "/var/backups/kafka/groups-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"
        max_changes: 100

    - name: Delete the offsets that no consumer needs any more
      kafkaops.groups.consumer_group_offsets:
        plan: "{{ audit.plan }}"
        state: absent
        backup: "/var/backups/kafka/offsets-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

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
  description: How many there are.
  returned: success
  type: dict
  contains:
    records:
      description: Records that were read from the topic.
      returned: success
      type: int
      sample: 1480000
    groups:
      description: Groups that the topic or the cluster knows.
      returned: success
      type: int
      sample: 20000
    offsets:
      description: Committed offsets.
      returned: success
      type: int
      sample: 486000
    stale_groups:
      description: Groups that nobody has used for longer than O(stale_after).
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
      description: Committed offsets that the plan deletes, without those of the groups.
      returned: success
      type: int
      sample: 24
plan:
  description: The path of the plan of this audit, until the next one. C(plan.json) in O(output) is the newest plan.
  returned: success
  type: str
  sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/plan.json
report:
  description:
    - The path of the report of this audit, until the next one. C(report.html) in O(output) is the newest report.
  returned: success
  type: str
  sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/report.html
tables:
  description:
    - The folder of each table of this audit, by its name, until the next one. C(latest) in O(output) holds the newest.
    - What is unknown is null.
  returned: success
  type: dict
  contains:
    offsets:
      description:
        - One row for each committed offset, with C(group), C(topic), C(partition), C(offset), C(commit_time),
          C(expire_time), C(log_start), C(log_end), C(lag), C(subscribed) and others. C(lag) is null if the end of the
          log cannot be read, or the offset is negative.
      returned: success
      type: str
      sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/offsets
    groups:
      description:
        - One row for each group, with C(type), C(state), C(members), C(lag), C(known_lag), C(last_commit),
          C(idle_since), C(stale) and others.
        - C(lag) is null unless the lag of each partition is known, and for a group without committed offsets, such as a
          share group. C(known_lag) sums what is known, and is null where nothing is.
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
      description: One row for each finding, with C(kind), C(group), C(topic), C(partition), C(evidence) and C(action).
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
  description: How long the audit took, in seconds, without the start of Spark.
  returned: success
  type: float
  sample: 7.4
requests:
  description: How many requests of each kind the module itself sent to the brokers, without those of Spark's process.
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
            "master": {"type": "str", "default": "local[*]"},
            "spark_conf": {"type": "dict", "default": {}},
            "topic": {"type": "str", "default": "__consumer_offsets"},
        },
        audit.parse,
        audit.audit,
    )


if __name__ == "__main__":
    main()

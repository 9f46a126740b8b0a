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
    which no admin API provides. If the topic cannot be read, as in Confluent Cloud, each run can take a snapshot of the
    cluster with administrative requests instead, and compare the snapshots. See O(source).
  - Join these records with the current groups, subscriptions, topics and logs of the cluster.
  - Write tables (Parquet, Delta or Iceberg), a report (one HTML file) and a plan, which
    M(kafkaops.groups.consumer_group) and M(kafkaops.groups.consumer_group_offsets) can apply.
  - The module does not change the cluster.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.spark
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
requirements:
  - Java >= 17
  - confluent-kafka >= 2.16.1, with O(source=topic)
  - pyspark, pyarrow and jinja2, as in C(meta/requirements.txt)
  - prometheus_client, only for O(metrics_file)
attributes:
  check_mode:
    support: full
    details:
      - The module only reads from the cluster. Check mode writes the same files to O(output) and
        O(metrics_file).
  diff_mode:
    support: N/A
    details:
      - The module does not change the cluster.
  idempotent:
    support: full
    details:
      - The module does not change the cluster. Each run adds an audit to O(output).
options:
  output:
    description:
      - Where the audits are stored. A folder of the host that the module runs on, which the module creates if it does
        not exist, or the URI of a location that the Hadoop file systems of Spark support, such as
        V(hdfs://namenode/kafka-audit), V(s3a://bucket/kafka-audit), V(abfss://container@account.dfs.core.windows.net/a)
        or V(gs://bucket/kafka-audit). Put the JARs of the file system into O(spark_conf) (C(spark.jars) or
        C(spark.jars.packages)), and its credentials into C(spark-defaults.conf) or the environment.
      - Each audit writes its tables, C(plan.json), C(report.html) and C(manifest.json) to its own folder
        C(audits/<id>). An audit exists when its manifest exists, which is written last, so that incomplete audits are
        never visible. Several clusters can use the same location.
      - In a folder, the link C(latest) is switched to the new audit atomically at the end. C(plan.json) and
        C(report.html) are links through C(latest). The file system must support symbolic links and file locks. At
        other locations, C(latest.json) is the manifest of the latest audit.
      - C(spark.log) is the log of the last run. Only one audit at a time can use a folder; a second audit fails.
      - If the executors of O(master) run on other hosts, a folder must be shared with them. Before the audit reads
        the topic, it checks that the executors can write to O(output), and that this host sees their files.
    type: path
    required: true
  source:
    description:
      - What the audit uses to find out since when a group is idle.
      - With V(topic), the audit reads O(topic), and knows the time of each commit.
      - With V(snapshots), each run adds a snapshot of the cluster to O(output), with groups, their states, numbers of
        members and committed offsets, and the ends of the logs. The audit then compares all snapshots. It only uses
        administrative requests, and does not read a topic. All connection options are supported, also Kerberos.
      - A snapshot shows use of a group if the group has members or is not Empty. If a committed offset, its leader
        epoch or its metadata differs from the snapshot before, if an offset was added or removed, if the topic was
        recreated, or if the type of the group changed, then the group was used until this snapshot. A group is idle
        since the first snapshot after the last use, or since the snapshot that shows the last such change, if that is
        later. No group is stale before it was observed idle for O(stale_after), in at least O(min_snapshots) snapshots.
      - B(Snapshots cannot show everything.) A group that commits an offset equal to the one before cannot be
        distinguished from an idle group, unless a snapshot is taken while it has members. The same applies to a group
        that runs between two snapshots without new records. Take snapshots often enough to see the members of each
        group, see R(the guide, ansible_collections.kafkaops.groups.docsite.audit_snapshots).
      - Committed offsets of topics that the user cannot DESCRIBE are not visible, and neither are commits of these.
        DESCRIBE on all topics is required.
    type: str
    choices: [topic, snapshots]
    default: topic
  min_snapshots:
    description:
      - In how many snapshots a group must have been idle to be stale, with O(source=snapshots). Snapshots in which the
        coordinator of the group did not respond do not count. At least 2.
    type: int
    default: 5
  keep_snapshots_for:
    description:
      - How long snapshots are kept in C(snapshots/<id>) in O(output), as a duration in the format of O(stale_after).
        Snapshots are independent of O(keep_audits) and O(keep_for).
      - Snapshots that O(stale_after) and O(min_snapshots) need are always kept. These are all snapshots within
        O(stale_after), the last one before, and the last O(min_snapshots) snapshots.
      - If several audits with different values of O(stale_after) use the same O(output), set a duration that is longer
        than all of them.
    type: str
    default: 365d
  local_output:
    description:
      - The folder on the host that the module runs on for a copy of the plan and the report, and for C(spark.log), in
        the format of O(output). Other modules read the plan from here.
      - Required if O(output) is a URI, otherwise not allowed.
    type: path
  keep_audits:
    description:
      - How many audits of the cluster are kept in O(output), including the new one. Older audits are removed at the
        end of each audit.
    type: int
    default: 30
  keep_for:
    description:
      - How long earlier audits are kept, as a duration in the format of O(stale_after). Older audits are removed, even
        if there are fewer than O(keep_audits). The new audit is always kept.
      - By default, only O(keep_audits) limits the number of audits.
    type: str
  table_format:
    description:
      - The format of the tables. With V(delta) and V(iceberg), the JARs of the format for the release of Spark, and the
        properties that the format requires, must be in O(spark_conf). Before the audit reads the topic, it checks that
        Spark can write and read the format.
      - In all formats, each audit has its own tables. Snapshots and the state of O(incremental) are always Parquet.
      - Audits in the same O(output) can have different formats. To compare an audit with earlier ones, Spark must be
        able to read their formats. See R(the guide, ansible_collections.kafkaops.groups.docsite.audit_at_scale).
    type: str
    choices: [parquet, delta, iceberg]
    default: parquet
  stale_after:
    description:
      - >-
        How long a group must be idle to be stale: an ISO 8601 duration such as V(P30D), or its short form such as
        V(30d) or V(12h), in weeks, days, hours, minutes and seconds.
      - With O(source=topic), a group is idle since its last commit, or since the last record of the group itself if
        that is later. For example, a group whose consumers ran until yesterday without commits is idle since yesterday.
        Commits of offsets that were deleted later also count.
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
  topic:
    description: The topic to read with O(source=topic). Change this only to read a copy of the offsets topic.
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
  metrics_file:
    description:
      - The path of a file for the metrics of the audit on the host that the module runs on, in the format OpenMetrics.
        An existing file is replaced atomically. Its mode is C(0644).
      - The textfile collector of C(node_exporter) reads files whose names end in C(.prom), from the folder of its
        option C(--collector.textfile.directory). Use one file for each cluster.
      - Each metric starts with C(kafkaops_audit_) and has the label C(cluster_id). The metrics are the number of groups
        by state, the stale groups, the findings by kind, the committed offsets, the size of the plan, the records read,
        and with O(owners) the numbers of each owner. There are no metrics of single groups.
      - C(kafkaops_audit_timestamp_seconds) is the start of the last audit that succeeded. If an audit fails, only
        C(kafkaops_audit_success) changes, from 1 to 0. An audit that is killed, has invalid options, or runs
        without kafka-python, changes nothing. Therefore monitor C(kafkaops_audit_timestamp_seconds), too, see
        R(the guide, ansible_collections.kafkaops.groups.docsite.audit_fleet).
      - Requires the Python library C(prometheus_client).
    type: path
  incremental:
    description:
      - Keep the latest record of each key and the end offsets of O(topic) beside the tables of the audit (C(state)), so
        that the next audit of the cluster in O(output) with this option reads only the records after these offsets.
        Only the newest state is kept. It is removed with its audit.
      - The tables are those of an audit that reads the whole topic. If Kafka has compacted the topic since, they also
        contain the activity that compaction removed. See
        R(the guide, ansible_collections.kafkaops.groups.docsite.audit_at_scale).
      - The audit reads the whole topic if it cannot continue, and RV(incremental.reason) and a warning say why, for
        example because the topic was created anew, its number of partitions has changed, records were removed from the
        start of a log, or the state is damaged or from another release. The first audit also reads the whole topic.
      - Kafka removes the records of deletions after C(delete.retention.ms) of the topic (24 hours by default). If the
        audit before began longer ago than this, less O(timeout), the audit reads the whole topic. DESCRIBE_CONFIGS on
        the topic is required.
      - Requires brokers with Kafka 2.8 or newer, which have topic ids. With older brokers, each audit reads the whole
        topic.
    type: bool
    default: false
notes:
  - The code is shipped to the executors of O(master). They require Python with C(confluent-kafka) and C(pyarrow), and
    must be able to connect to the brokers.
  - >-
    Permissions: READ and DESCRIBE on the topic O(topic), with O(incremental=true) also DESCRIBE_CONFIGS on it,
    DESCRIBE on the cluster (to list all groups), DESCRIBE on the groups and their topics, DESCRIBE_CONFIGS on the
    cluster for the retention of offsets and the groups with settings, and DESCRIBE_CONFIGS on the groups for these
    settings. Groups and topics without permission are excluded from the plan.
  - >-
    With O(source=snapshots), READ on the topic is not required. If a broker does not list its groups, or a group cannot
    be described, the snapshot is no evidence for these groups. If the clock of this host is earlier than the latest
    snapshot of the cluster, the audit fails.
  - With O(source=snapshots), what only the topic shows is unknown (null) in the tables, such as the times of commits.
    The table C(activity) is empty, and offsets of recreated topics are not findings.
  - Settings of groups that do not exist are findings (C(orphaned_config)) on brokers with Kafka 4.1 or newer. They are
    not in the plan.
  - Share groups are never stale, because the topic does not show when their consumers acknowledge records.
  - Requires Java 17 or newer, C(pyspark), C(pyarrow) and C(jinja2) on the host that the module runs on.
  - O(timeout) applies to the whole audit. Increase it for a large topic.
  - The plan contains a group only if the group is Empty, is a consumer group or a simple group, its committed offsets
    after the scan match the records of the topic, and all of its records can be decoded. Applying the plan detects
    later changes. Records of an unknown type are reported, and do not belong to a group. Only the values of committed
    offsets and classic groups are decoded.
  - Clients can commit any number as an offset. A negative offset is reported as a finding and is not in the plan. It
    does not exclude its group from the plan, because brokers do not return such offsets. A group with a timestamp in
    the future is never stale.
  - A simple group (one that commits without joining) is always empty, and only its last commit shows whether it is in
    use. Set O(stale_after) to more than the longest pause between two commits.
  - The clocks of this host and the brokers must be synchronized, because idle times are based on record timestamps.
  - An open transaction hides records that were written after its start. The module then warns, and excludes the
    groups of this partition from the plan.
  - Compaction removes old records. RV(tables) counts only the commits that the topic still contains, unless
    O(incremental=true).
  - Kafka deletes the committed offsets of a deleted topic. If some remain, no request can delete them. They expire,
    or are deleted with their group.
seealso:
  - module: kafkaops.groups.fleet_report
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

    - name: Audit the cluster every hour, and read only the new records
      kafkaops.groups.consumer_offsets_audit:
        output: /var/lib/kafka-audit-hourly
        incremental: true
        keep_audits: 168
        timeout: 1800

    - name: Take a snapshot each day, where the topic cannot be read
      kafkaops.groups.consumer_offsets_audit:
        output: /var/lib/kafka-snapshots
        source: snapshots
        stale_after: 30d
        min_snapshots: 20
        timeout: 1800

    - name: Audit a large cluster on a Spark cluster, and keep the audits of a year
      kafkaops.groups.consumer_offsets_audit:
        output: hdfs://namenode.example.com/kafka-audit
        local_output: /var/lib/kafka-audit
        keep_audits: 1000
        keep_for: 365d
        master: spark://spark.example.com:7077
        spark_conf:
          spark.executor.memory: 4g
          spark.pyspark.python: /opt/kafka-audit/bin/python
        timeout: 3600

    - name: Audit the cluster with metrics for node_exporter
      kafkaops.groups.consumer_offsets_audit:
        output: /var/lib/kafka-audit
        metrics_file: /var/lib/node_exporter/textfile/kafka-audit-production.prom
        timeout: 1800
"""

RETURN = r"""
summary:
  description: Totals of the audit.
  returned: success
  type: dict
  contains:
    records:
      description: >-
        Records that were read from the topic. With O(incremental=true), those since the audit before. 0 with
        O(source=snapshots).
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
      description: Records that could not be decoded. V(null) with O(source=snapshots).
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
  description: The path of the plan of this audit on the host that the module runs on. C(plan.json) in O(output) or
    O(local_output) is the latest plan.
  returned: success
  type: str
  sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/plan.json
report:
  description:
    - The path of the report of this audit on the host that the module runs on. C(report.html) in O(output) or
      O(local_output) is the latest report. Of a large cluster, the report contains the first rows of each table, and
      names the tables with all rows.
  returned: success
  type: str
  sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/report.html
tables:
  description:
    - The folder of each table of this audit, by table name, or its URI if O(output) is a URI. To read a table of all
      audits in Parquet, use a pattern for C(<id>), such as C(audits/*/groups).
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
        - C(live_offset) is the committed offset in the cluster after the scan. Only the offsets of groups that may be
          in the plan are fetched. For other groups, it is null.
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
          C(idle_since), C(stale), C(unneeded_offsets), C(owner) and others. C(owner) is null if no pattern of
          O(owners) matches.
        - C(committed_since) is the number of committed offsets that differ between the topic and the cluster, and
          C(hidden) the number of offsets that the cluster does not return. Both are null for groups whose committed
          offsets are not fetched, because the groups cannot be in the plan, and if the offsets cannot be fetched.
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
audit_id:
  description: The name of the folder of this audit.
  returned: success
  type: str
  sample: 20260131T120000Z-5f0c9a17
stale_groups:
  description:
    - The names of the stale groups. RV(plan) does not have all of them, such as groups whose committed offsets cannot
      be read. To delete groups, use the plan, which detects later changes.
  returned: success
  type: list
  elements: str
  sample: [report-2024, etl-test-1]
snapshots:
  description: The snapshots that the audit used, including its own. Null with O(source=topic).
  returned: success
  type: dict
  contains:
    count:
      description: The number of snapshots.
      returned: success
      type: int
      sample: 31
    since:
      description: The time of the first snapshot.
      returned: success
      type: str
      sample: "2026-01-01T12:00:00+00:00"
since_last:
  description:
    - What changed since the last audit of the cluster in O(output) with the same criteria, such as O(stale_after) and
      O(include). V(null) if there is none, or if it cannot be read.
    - Groups that are new, deleted or in use again are V(null) if one of the two audits is not complete.
    - Each change has the number of groups or findings, and the first 100 of them.
  returned: success
  type: dict
  contains:
    audit_id:
      description: The last audit.
      returned: success
      type: str
      sample: 20260130T120000Z-0c5e6f7a
    audited_at:
      description: The time of the last audit.
      returned: success
      type: str
      sample: "2026-01-30T12:00:00+00:00"
    new_stale_groups:
      description: Groups that are stale, but were not stale or did not exist, with C(count) and C(names).
      returned: success
      type: dict
      sample: {count: 1, names: [etl-test-1]}
    revived_groups:
      description: Groups that were stale, and have committed or changed since, with C(count) and C(names).
      returned: success
      type: dict
      sample: {count: 0, names: []}
    deleted_groups:
      description: >-
        Groups that are no longer in the topic or in the cluster, with C(count) and C(names). With O(source=snapshots),
        this includes groups that the user may no longer DESCRIBE.
      returned: success
      type: dict
      sample: {count: 0, names: []}
    new_groups:
      description: Groups that did not exist, with C(count) and C(names).
      returned: success
      type: dict
      sample: {count: 0, names: []}
    new_findings:
      description: Findings that the last audit did not have, with C(count) and C(findings).
      returned: success
      type: dict
      sample: {count: 1, findings: [{kind: stale_group, group: etl-test-1, topic: null, partition: null}]}
incremental:
  description: How the topic was read. Null without O(incremental=true).
  returned: success
  type: dict
  contains:
    since:
      description: The audit whose state was continued. Null if the whole topic was read.
      returned: success
      type: str
      sample: 20260130T120000Z-0c5e6f7a
    reason:
      description: Why the whole topic was read. Null if a state was continued.
      returned: success
      type: str
      sample: null
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
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.options import SPARK_SPEC


def main() -> None:
    run(
        {
            "output": {"type": "path", "required": True},
            "source": {"type": "str", "choices": ["topic", "snapshots"], "default": "topic"},
            "min_snapshots": {"type": "int", "default": 5},
            "keep_snapshots_for": {"type": "str", "default": "365d"},
            "local_output": {"type": "path"},
            "keep_audits": {"type": "int", "default": 30},
            "keep_for": {"type": "str"},
            "table_format": {"type": "str", "choices": ["parquet", "delta", "iceberg"], "default": "parquet"},
            "stale_after": {"type": "str", "default": "30d"},
            "include": {"type": "raw", "default": ["*"]},
            "exclude": {"type": "raw", "default": ["connect-*", "_*"]},
            "owners": {
                "type": "list",
                "elements": "dict",
                "options": {"match": {"type": "raw", "required": True}, "owner": {"type": "raw", "required": True}},
            },
            "owners_file": {"type": "path"},
            **SPARK_SPEC,
            "topic": {"type": "str", "default": "__consumer_offsets"},
            "client_rack": {"type": "str"},
            "read_rate": {"type": "bytes"},
            "metrics_file": {"type": "path"},
            "incremental": {"type": "bool", "default": False},
        },
        audit.parse,
        audit.audit,
        failed=audit.failed,
        mutually_exclusive=[("owners", "owners_file")],
    )


if __name__ == "__main__":
    main()

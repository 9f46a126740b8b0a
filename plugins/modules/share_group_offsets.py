#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: share_group_offsets
short_description: Delete, set, reset and restore the start offsets of share groups
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - A share group (KIP-932) has no committed offsets. For each partition, it has a start offset, and the state of the
    records after the start offset. Consumers read the records from the start offset on that are not processed yet.
  - With O(state=absent), delete the start offsets of topics. Consumers of the group then start again where the group
    setting C(share.auto.offset.reset) says.
  - With O(state=present), set start offsets to given values (O(offsets)), to a position in the log (O(reset)), or to
    the values of a back-up (O(restore)). Consumers of the group then read all records from there on, including records
    that were already processed.
  - The groups must not have members. Stop their consumers first.
  - Partitions without a start offset are reported as unchanged with O(state=absent), as are partitions with the desired
    start offset and no processed records after it with O(state=present).
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.results
  - kafkaops.groups.results.guards
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.changes
attributes:
  idempotent:
    support: partial
    details:
      - O(reset.to_latest) and O(reset.by_duration) depend on the log and the current time.
      - If the broker does not report the lag, an equal start offset is set again, because the group may have processed
        records after it.
      - All other operations are idempotent.
options:
  group:
    description:
      - The name of the share group. For several groups, use O(groups).
      - Numbers and booleans are rejected, because YAML changes their spelling (V(007) becomes 7, V(on) becomes true).
        Quote them. This is why the type is V(raw).
    type: raw
  topics:
    description:
      - The topics of O(group) for O(state=absent) or O(reset). The list must not be empty.
    type: list
    elements: dict
    suboptions: &topics
      name:
        description: The name of the topic. Quote numbers.
        type: raw
        required: true
      partitions:
        description:
          - The partitions of the topic to reset. The list must not be empty. By default, all partitions of the topic.
          - Not allowed with O(state=absent), because brokers only delete the start offsets of whole topics.
        type: list
        elements: int
  groups:
    description:
      - Several groups, each with its topics. The list must not be empty.
      - With O(all_topics), O(match_topics) and O(restore), the groups must not have topics.
    type: list
    elements: dict
    suboptions:
      name:
        description: The name of the group. Quote numbers.
        type: raw
        required: true
      topics:
        description: The topics of this group, as in O(topics).
        type: list
        elements: dict
        suboptions: *topics
  state:
    description:
      - V(absent) deletes start offsets.
      - V(present) sets start offsets. One of O(offsets), O(reset) and O(restore) is required.
    type: str
    choices: [absent, present]
    default: present
  match:
    description:
      - Reset the existing groups whose names match a pattern. Use this option with O(reset), instead of O(group) or
        O(groups), together with O(all_topics) or O(match_topics).
      - Shell-style patterns, such as V(test-*), or regular expressions for the full name if they start with V(~). A
        list, or one pattern.
      - Only share groups are selected. Groups with members fail.
      - If a broker does not list its groups, the task fails, and nothing is changed.
    type: raw
  all_topics:
    description:
      - Reset all partitions with a start offset of the group. Use this option with O(reset), instead of topics.
      - The task warns about a group without start offsets.
    type: bool
    default: false
  match_topics:
    description:
      - As O(all_topics), but only on topics whose names match a pattern, in the format of O(match).
    type: raw
  offsets:
    description:
      - The start offsets to set for O(group). They are set as given, and not clamped to the log.
      - The C(offsets) that M(kafkaops.groups.consumer_group_info) returns are valid input.
      - The list must not be empty.
    type: list
    elements: dict
    suboptions:
      topic:
        description: The name of the topic. Quote numbers.
        type: raw
        required: true
      partition:
        description: The partition.
        type: int
        required: true
      offset:
        description: The start offset. Records after the log end are skipped up to this offset when they arrive.
        type: int
        required: true
      metadata:
        description: &ignored Ignored. Accepted so that the output of M(kafkaops.groups.consumer_group_info) is valid
          input.
        type: str
      leader_epoch:
        description: *ignored
        type: int
      log_start:
        description: *ignored
        type: int
      log_end:
        description: *ignored
        type: int
      lag:
        description: *ignored
        type: int
      timestamp:
        description: *ignored
        type: int
  reset:
    description:
      - The position in the log to which to set the start offsets of O(topics), or of the topics of O(groups). Exactly
        one suboption is required. The names of the suboptions match C(kafka-share-groups.sh) and
        C(kafka-consumer-groups.sh).
      - >-
        The new start offset is B(clamped to the log): at least the log start offset, and at most the log end offset.
      - There is no C(shift_by), because a start offset does not show which records were processed.
    type: dict
    suboptions:
      to_earliest:
        description: The start of the log. V(false) is not allowed.
        type: bool
        choices: [true]
      to_latest:
        description: The end of the log. V(false) is not allowed.
        type: bool
        choices: [true]
      to_datetime:
        description:
          - The first record at or after a time, or the end of the log if there is none.
          - An ISO 8601 time such as V(2026-01-31T12:00:00Z), in UTC unless it has a time zone, or milliseconds since
            1970 with at least 12 digits. Quote the value.
        type: str
      by_duration:
        description:
          - The first record that is not older than a duration, or the end of the log if there is none.
          - An ISO 8601 duration such as V(P7D) or V(PT1H30M), or its short form such as V(7d) or V(1h30m), in weeks,
            days, hours, minutes and seconds. V(m) means minutes. Months, years and fractions are not supported.
        type: str
      to_offset:
        description: The same offset for every partition, 0 or greater.
        type: int
  restore:
    description:
      - The back-up to restore. It holds the start offsets, but not which records after them were processed. Consumers
        read those records again.
      - All share groups of the back-up are restored, or only those in O(group) or O(groups). Groups of other types are
        restored by M(kafkaops.groups.consumer_group_offsets). If the task names such a group, it fails.
      - Start offsets on partitions that are not in the back-up are kept.
    type: dict
    suboptions:
      path:
        description:
          - The path of the back-up, on the host that the module runs on.
          - The path of a CSV file ends in C(.csv). Its lines have the form C(TOPIC,PARTITION,OFFSET) of O(group), or
            C(GROUP,TOPIC,PARTITION,OFFSET). Such a file contains neither types of groups, nor the id of the cluster,
            nor ids of topics, so O(restore.any_cluster) has no effect, and recreated topics are not detected.
        type: path
        required: true
      topics:
        description:
          - >-
            The topics to restore, each with the name of the topic to set its start offsets on, such as
            C({orders: orders, bills: bills-v2}). By default, all topics of the back-up, with their names.
          - On a topic of another name, partitions fail with C(OFFSET_OUT_OF_RANGE) if the offset is outside of the log.
            With O(restore.recreated=clamp), the offset is clamped to the log.
        type: dict
      any_cluster:
        description: Whether to restore a back-up of another cluster. If V(false), such a back-up is rejected.
        type: bool
        default: false
      missing_only:
        description: Whether to restore only partitions without a start offset. Other start offsets are kept.
        type: bool
        default: false
      recreated:
        description:
          - What to do with the partitions of a topic that was recreated since the back-up, or that did not exist at
            that time. Such a topic has different records at the same offsets.
          - With V(fail), the partitions fail with C(INCONSISTENT_TOPIC_ID).
          - With V(clamp), the start offsets are restored, clamped to the log of the new topic.
          - Topics are compared by id. Topics of another cluster are not compared.
        type: str
        choices: [fail, clamp]
        default: fail
requirements:
  - Brokers with Kafka 4.2 or newer, and the feature C(share.version)
notes:
  - >-
    Permissions for O(state=absent): DELETE on the group, and READ on each topic. Permissions for O(state=present):
    READ on the group, and READ on each topic. These imply DESCRIBE on the group and the topics. To list the members of
    a share group, brokers also require DESCRIBE on the topics of the members.
  - A group with members fails with C(NON_EMPTY_GROUP) before anything is sent. Brokers do not support removing the
    members of a share group, so stop its consumers.
  - A group of another type fails with C(GROUP_ID_NOT_FOUND). Use M(kafkaops.groups.consumer_group_offsets) for it.
  - Setting start offsets of a group that does not exist creates a share group. RV(results[].creates_group) is then
    V(true).
  - >-
    A start offset does not move with each processed record, so an equal start offset is not always unchanged: if all
    records after it were processed, O(reset.to_earliest) changes the partition from lag 0 to the lag of the whole log.
  - O(state=absent) deletes the start offsets of a topic, and keeps the group. Use M(kafkaops.groups.consumer_group) to
    delete the group with all its start offsets.
  - Brokers delete the start offsets of a topic with the topic.
  - A start offset is unknown until the group first reads the partition. O(backup) does not hold it, and the task warns.
  - O(max_changes) counts partitions.
seealso:
  - module: kafkaops.groups.consumer_group_info
  - module: kafkaops.groups.consumer_group_offsets
  - module: kafkaops.groups.consumer_group
  - name: KIP-932
    description: Share groups, and the administration of their offsets.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-932%3A+Queues+for+Kafka
"""

EXAMPLES = r"""
- name: Manage the start offsets of share groups
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: Process all records of a topic again
      kafkaops.groups.share_group_offsets:
        group: jobs
        topics:
          - name: orders
        reset:
          to_earliest: true

    - name: Skip all records up to now, on two partitions
      kafkaops.groups.share_group_offsets:
        group: jobs
        topics:
          - name: orders
            partitions: [0, 1]
        reset:
          to_latest: true

    - name: Process the records of one day again
      kafkaops.groups.share_group_offsets:
        group: jobs
        topics:
          - name: orders
        reset:
          by_duration: P1D

    - name: Set two start offsets
      kafkaops.groups.share_group_offsets:
        group: jobs
        offsets:
          - topic: orders
            partition: 0
            offset: 1200
          - topic: orders
            partition: 1
            offset: 1187

    - name: Delete the start offsets of a topic that the group no longer reads
      kafkaops.groups.share_group_offsets:
        group: jobs
        state: absent
        topics:
          - name: orders-old
        max_changes: 12
        backup: "/var/backups/kafka/jobs-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Restore the share groups of a back-up
      kafkaops.groups.share_group_offsets:
        restore:
          path: /var/backups/kafka/jobs-20260131T120000Z.json
"""

RETURN = r"""
results:
  description:
    - One item per partition. With O(state=absent), a topic without start offsets is one item. So is a whole topic that
      fails.
    - The items that O(detail) selects, in the order of processing.
  returned: unless the task fails before the first item
  type: list
  elements: dict
  contains:
    group:
      description: The name of the group.
      returned: success
      type: str
      sample: jobs
    left_alone:
      description: Why the group of O(restore) was skipped.
      returned: if the back-up contains it as a group of another type, and the task does not name it
      type: str
      sample: "it is a classic group in the back-up: restore it with consumer_group_offsets"
    action:
      description:
        - The planned action, V(delete_offset) or V(set_offset).
        - V(none) if no change is needed.
      returned: success
      type: str
      sample: set_offset
    changed:
      description: Whether the action was performed, or would be performed in check mode.
      returned: success
      type: bool
      sample: true
    failed:
      description: Whether the item failed. RV(results[].error) has the reason.
      returned: success
      type: bool
      sample: false
    topic:
      description: The name of the topic.
      returned: for topics
      type: str
      sample: orders
    partition:
      description: The partition. V(null) if the item is about a whole topic.
      returned: for topics
      type: int
      sample: 0
    creates_group:
      description: Whether setting this offset creates the group.
      returned: if the group does not exist
      type: bool
      sample: true
    before:
      description: The state of the partition before the change. V(null) if the group had none.
      returned: success
      type: dict
      contains:
        offset:
          description: The start offset. V(null) if the group has not read the partition yet, or if unknown.
          returned: success
          type: int
          sample: 1200
        lag:
          description: The number of records that the group still has to read, as reported by the broker. V(null) if
            unknown.
          returned: success
          type: int
          sample: 3
    after:
      description: The state of the partition after the change, as in RV(results[].before). V(null) if there is none.
      returned: success
      type: dict
    error:
      description: Why the item failed. V(null) if the item did not fail.
      returned: success
      type: dict
      contains:
        code:
          description: The error code of Kafka.
          returned: success
          type: int
          sample: 68
        name:
          description: The error name of Kafka.
          returned: success
          type: str
          sample: NON_EMPTY_GROUP
        message:
          description: The cause of the error, and how to resolve it.
          returned: success
          type: str
          sample: "it is a share group in state Stable with 2 members: stop its consumers first"
        retriable:
          description: Whether Kafka classifies the error as retriable, so that the same task may succeed later.
          returned: success
          type: bool
          sample: false
summary:
  description: The number of items, including items that O(detail) omits from RV(results).
  returned: when RV(results) is returned
  type: dict
  contains:
    total:
      description: All items.
      returned: success
      type: int
      sample: 2
    changed:
      description: Items that were changed, or would be changed in check mode.
      returned: success
      type: int
      sample: 1
    unchanged:
      description: Items that needed no change.
      returned: success
      type: int
      sample: 1
    failed:
      description: Items that failed.
      returned: success
      type: int
      sample: 0
    left_alone:
      description: Groups of O(restore) that were skipped. They are also counted as unchanged.
      returned: if there are any
      type: int
      sample: 1
other_groups:
  description: Groups of the back-up that are no share groups. Restore them with
    M(kafkaops.groups.consumer_group_offsets).
  returned: with O(restore)
  type: list
  elements: str
  sample: [reports]
backup_file:
  description: The path of the back-up that was written, or would be written in check mode. V(null) if no back-up was
    needed.
  returned: unless the task fails before the first item
  type: str
  sample: /var/backups/kafka/jobs-20260131T120000Z.json
requests:
  description: The number of requests of each type that were sent to the brokers, not counting requests about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    FindCoordinator: 1
    DescribeGroups: 1
    ConsumerGroupDescribe: 1
    ShareGroupDescribe: 1
    DescribeShareGroupOffsets: 1
    AlterShareGroupOffsets: 1
diff:
  description: The changes, with one line per item, for every value of O(detail).
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items before the change.
      returned: success
      type: str
      sample: "group 'jobs', topic 'orders', partition 0: offset 1200, lag 3\n"
    after:
      description: The changed items after the change. Deleted items have no line.
      returned: success
      type: str
      sample: "group 'jobs', topic 'orders', partition 0: offset 900, lag 350\n"
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import RESULTS_SPEC, run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _share_request, share_offsets
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._offset_request import (
    GROUPS_SPEC,
    OFFSETS_SPEC,
    RESTORE_SPEC,
    SHIFT_BY,
    TOPICS_SPEC,
    reset_spec,
)


def main() -> None:
    run(
        {
            "group": {"type": "raw"},
            "topics": TOPICS_SPEC,
            "groups": GROUPS_SPEC,
            "state": {"type": "str", "choices": ["absent", "present"], "default": "present"},
            "match": {"type": "raw"},
            "all_topics": {"type": "bool", "default": False},
            "match_topics": {"type": "raw"},
            "offsets": OFFSETS_SPEC,
            "reset": reset_spec(SHIFT_BY),
            "restore": RESTORE_SPEC,
            "backup": {"type": "path"},
            "max_changes": {"type": "int"},
            **RESULTS_SPEC,
        },
        _share_request.parse,
        share_offsets.change_share_offsets,
        mutually_exclusive=[
            ("group", "groups", "match"),
            ("offsets", "reset", "restore"),
            ("topics", "offsets"),
            ("topics", "restore"),
        ],
        required_if=[
            ("state", "absent", ("group", "groups"), True),
            ("state", "present", ("offsets", "reset", "restore"), True),
        ],
        required_by={"topics": ["group"], "offsets": ["group"]},
    )


if __name__ == "__main__":
    main()

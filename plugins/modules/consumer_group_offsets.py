#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: consumer_group_offsets
short_description: Delete, set, reset and restore committed offsets
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - >-
    With O(state=absent), delete committed offsets (KIP-496): by topic and partition, on all topics that the group is
    not subscribed to (O(unsubscribed)), or those that an audit found to be unused (O(plan)).
  - >-
    With O(state=present), set committed offsets: to given values (O(offsets)), to a position in the log (O(reset)),
    to the values of a back-up (O(restore)), or to the offsets of another group (O(copy_from)).
  - Each partition has its own result.
  - Partitions without a committed offset are reported as unchanged with O(state=absent), as are partitions with the
    desired offset with O(state=present).
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.results
  - kafkaops.groups.results.guards
  - kafkaops.groups.results.plan
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.changes
attributes:
  idempotent:
    support: partial
    details:
      - O(reset.shift_by) moves the offset in each run. O(reset.to_latest) and O(reset.by_duration) depend on the log
        and the current time.
      - All other operations are idempotent.
options:
  group:
    description:
      - The name of the group. For several groups, use O(groups).
      - Numbers and booleans are rejected, because YAML changes their spelling (V(007) becomes 7, V(on) becomes true).
        Quote them. This is why the type is V(raw).
    type: raw
  topics:
    description:
      - The topics of O(group). The list must not be empty.
      - Required for O(state=absent) without O(unsubscribed) or O(plan), and for O(reset).
    type: list
    elements: dict
    suboptions: &topics
      name:
        description: The name of the topic. Quote numbers.
        type: raw
        required: true
      partitions:
        description:
          - The partitions of the topic. The list must not be empty.
          - By default, O(state=absent) applies to all partitions with B(committed) offsets of the group, and O(reset)
            to all partitions of the topic.
        type: list
        elements: int
  groups:
    description:
      - Several groups, each with its topics. The list must not be empty.
      - With O(unsubscribed), O(all_topics), O(match_topics) and O(restore), the groups must not have topics.
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
      - V(absent) deletes committed offsets.
      - V(present) sets committed offsets. One of O(offsets), O(reset), O(restore) and O(copy_from) is required.
    type: str
    choices: [absent, present]
    default: present
  unsubscribed:
    description:
      - Delete all committed offsets on topics that the group is B(not) subscribed to. Use this option with
        O(state=absent), instead of topics.
      - The subscription is read from the members of the group. The subscription of a group without members is
        unknown, so none of its offsets are deleted, and the task warns.
      - If the subscription of a member is unknown, the affected partitions fail.
    type: bool
    default: false
  match:
    description:
      - Reset the existing groups whose names match a pattern. Use this option with O(reset), instead of O(group) or
        O(groups), together with O(all_topics) or O(match_topics).
      - Shell-style patterns, such as V(test-*), or regular expressions for the full name if they start with V(~). A
        list, or one pattern.
      - Share groups are not selected. Groups with members fail.
      - If a broker does not list its groups, the task fails, and nothing is changed.
    type: raw
  all_topics:
    description:
      - Reset all partitions with a committed offset of the group. Use this option with O(reset), instead of topics.
      - The task warns about a group without committed offsets.
    type: bool
    default: false
  match_topics:
    description:
      - As O(all_topics), but only on topics whose names match a pattern, in the format of O(match).
    type: raw
  offsets:
    description:
      - The offsets to set for O(group). They are set as given, and not clamped to the log.
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
        description: The offset of the next record to read.
        type: int
        required: true
      metadata:
        description:
          - The metadata to commit with the offset.
          - By default, the current metadata is kept if the offset does not change, and is cleared otherwise.
        type: str
      leader_epoch:
        description:
          - The leader epoch to commit with the offset.
          - By default, the current leader epoch is kept if the offset does not change, and is removed otherwise.
          - A leader epoch above the current one of the partition is not committed, and is removed if it is already
            committed, including by O(reset). Otherwise a Java consumer would wait forever.
          - V(-1) means no leader epoch.
        type: int
      log_start: &ignored
        description:
          - Ignored. Accepted so that the output of M(kafkaops.groups.consumer_group_info) is valid input.
        type: int
      log_end: *ignored
      lag: *ignored
      timestamp:
        description: The time to look for with O(use_timestamps), in ms since 1970. Otherwise ignored.
        type: int
  use_timestamps:
    description:
      - Whether to set each partition of O(offsets) to the first record at or after its C(timestamp), and not to its
        C(offset). Use this option if the log has other offsets, for example on another cluster.
      - The C(offsets) that M(kafkaops.groups.consumer_group_info) returns with V(timestamps) in
        O(kafkaops.groups.consumer_group_info#module:gather) are valid input.
      - No record is skipped if the topics have the same records in the same order. The group reads records again whose
        timestamp is not above that of the record at its offset.
      - If the log has no such record, the offset is set to its end.
    type: bool
    default: false
  reset:
    description:
      - The position in the log to which to set the offsets of O(topics), or of the topics of O(groups). Exactly one
        suboption is required. The names of the suboptions match C(kafka-consumer-groups.sh).
      - >-
        The new offset is B(clamped to the log): at least the log start offset, and at most the log end offset.
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
      shift_by:
        description:
          - Number of offsets to move forward from the committed offset, or backward if negative.
          - Partitions without a committed offset fail.
        type: int
  restore:
    description:
      - The back-up to restore. Offsets and metadata are restored exactly, and not clamped to the log.
      - Leader epochs are restored only on the same cluster, to the same topic (by its id), and not above the current
        leader epoch of the partition. Otherwise no leader epoch is committed, because a Java consumer would wait for
        it.
      - All groups of the back-up are restored, or only those in O(group) or O(groups). Share groups are restored by
        M(kafkaops.groups.share_group_offsets). If the task names such a group, it fails.
      - Committed offsets on partitions that are not in the back-up are kept.
    type: dict
    suboptions:
      path:
        description:
          - The path of the back-up, on the host that the module runs on.
          - The path of a CSV file of C(kafka-consumer-groups.sh --export) ends in C(.csv). Its lines have the form
            C(TOPIC,PARTITION,OFFSET) of O(group), or C(GROUP,TOPIC,PARTITION,OFFSET). Such a file contains neither
            types of groups, nor the id of the cluster, nor ids of topics, nor metadata. The start offsets of a share
            group that was deleted would be restored as committed offsets. O(restore.any_cluster) has no effect, and
            recreated topics are not detected. The metadata of a committed offset is kept if the offset does not change,
            and is cleared otherwise.
        type: path
        required: true
      topics:
        description:
          - >-
            The topics to restore, each with the name of the topic to set its offsets on, such as
            C({orders: orders, bills: bills-v2}). By default, all topics of the back-up, with their names.
          - On a topic of another name, partitions fail with C(OFFSET_OUT_OF_RANGE) if the offset is outside of the log.
            With O(restore.recreated=clamp), the offset is clamped to the log. Leader epochs are not restored.
        type: dict
      any_cluster:
        description: Whether to restore a back-up of another cluster. If V(false), such a back-up is rejected.
        type: bool
        default: false
      missing_only:
        description:
          - Whether to restore only partitions without a committed offset. Other committed offsets are kept.
          - With V(true), offsets that a group committed since the back-up are not overwritten.
        type: bool
        default: false
      recreated:
        description:
          - What to do with the partitions of a topic that was recreated since the back-up, or that did not exist at
            that time. Such a topic has different records at the same offsets.
          - With V(fail), the partitions fail with C(INCONSISTENT_TOPIC_ID).
          - With V(clamp), the offsets are restored, clamped to the log of the new topic.
          - Topics are compared by id, which requires Kafka 2.8 and a back-up of version 2. If an id is unknown, the
            task warns. Topics of another cluster are not compared.
        type: str
        choices: [fail, clamp]
        default: fail
  copy_from:
    description:
      - Set the offsets of O(group) to the committed offsets of another group of the same cluster, with their metadata.
      - The other group may have members. Its offsets are read once. Pending transactions of it are waited for.
      - Offsets of O(group) on other partitions are kept.
    type: dict
    suboptions:
      group:
        description: The group to copy from. Quote numbers.
        type: raw
        required: true
      topics:
        description:
          - The topics to copy, each with the name of the topic to set its offsets on. By default, all topics with
            committed offsets, with their names.
          - On a topic of another name, partitions fail with C(OFFSET_OUT_OF_RANGE) if the offset is outside of the log,
            and leader epochs are not copied.
        type: dict
      use_timestamps:
        description:
          - Whether to set each partition to the first record that is not older than the record at the committed offset,
            as O(use_timestamps) does. Use this option with O(copy_from.topics), if the logs have other offsets.
        type: bool
        default: false
notes:
  - >-
    Permissions for O(state=absent): DELETE on the group, and READ on each topic. Permissions for O(state=present):
    READ on the group, and READ on each topic. These imply DESCRIBE on the groups and topics. O(copy_from) also
    requires DESCRIBE on the other group and its topics. O(backup), O(unsubscribed), O(all_topics) and O(copy_from)
    also require DESCRIBE on every topic for which the groups have committed offsets. The broker omits other topics
    without an error. To list the members of a KIP-848, share or streams group, newer brokers require
    DESCRIBE on the topics of the members.
  - With O(state=absent), offsets on topics that an active group is subscribed to fail with
    C(GROUP_SUBSCRIBED_TO_TOPIC). All offsets of an active classic group of another protocol type, such as Kafka
    Connect, fail with C(NON_EMPTY_GROUP).
  - O(plan) requires O(state=absent). This module deletes the committed offsets of the plan. Use
    M(kafkaops.groups.consumer_group) to delete the groups in the plan.
  - An offset of O(plan) is also skipped if its group is subscribed to the topic, or if the subscription is unknown.
  - Brokers cannot delete offsets on a topic that does not exist. These offsets fail with
    C(UNKNOWN_TOPIC_OR_PARTITION), including with O(plan). They are deleted with the whole group.
  - With O(state=present), a group with members fails before anything is sent. Stop its consumers first.
  - Setting offsets of a group that does not exist creates a simple group. RV(results[].creates_group) is then
    V(true).
  - The coordinator removes a group without members after its last committed offset is deleted.
  - The subscriptions of a rebalancing group are unknown. The module waits up to 10 seconds for the rebalance to
    complete.
  - A simple group (one that commits without joining) is always empty, even if it is in use. Its next commit
    overwrites the offset.
  - Share groups have no committed offsets. Use M(kafkaops.groups.share_group_offsets) for share groups.
  - O(max_changes) counts partitions.
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_members
  - module: kafkaops.groups.consumer_group_info
  - module: kafkaops.groups.consumer_offsets_audit
  - name: KIP-496
    description: Deleting committed offsets.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-496%3A+Administrative+API+to+delete+consumer+offsets
  - name: KIP-122
    description: Resetting committed offsets, as in kafka-consumer-groups.sh.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-122%3A+Add+Reset+Consumer+Group+Offsets+tooling
"""

EXAMPLES = r"""
- name: Manage committed offsets
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: Delete the offsets of one topic, and of two partitions of another topic
      kafkaops.groups.consumer_group_offsets:
        group: reports
        state: absent
        topics:
          - name: orders-old
          - name: orders
            partitions: [10, 11]
        backup: "/var/backups/kafka/reports-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Delete offsets on topics that the groups are not subscribed to
      kafkaops.groups.consumer_group_offsets:
        groups:
          - name: reports
          - name: billing
        state: absent
        unsubscribed: true
        max_changes: 100

    - name: Delete the unused offsets of an audit
      kafkaops.groups.consumer_group_offsets:
        plan: /var/lib/kafka-audit/plan.json
        state: absent
        backup: "/var/backups/kafka/offsets-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Set two offsets
      kafkaops.groups.consumer_group_offsets:
        group: reports
        offsets:
          - topic: orders
            partition: 0
            offset: 1200
          - topic: orders
            partition: 1
            offset: 1187
            metadata: set by hand

    - name: Move all offsets of a group back by one day
      kafkaops.groups.consumer_group_offsets:
        group: reports
        all_topics: true
        reset:
          by_duration: P1D

    - name: Skip all records up to now in the topics of a test, for all its groups
      kafkaops.groups.consumer_group_offsets:
        match: test-4711-*
        match_topics: test-4711-*
        reset:
          to_latest: true
        max_changes: 500

    - name: Copy the offsets to a new group
      kafkaops.groups.consumer_group_offsets:
        group: reports-v2
        copy_from:
          group: reports

    - name: Copy the offsets of one topic to its copy of another name
      kafkaops.groups.consumer_group_offsets:
        group: reports-v2
        copy_from:
          group: reports
          topics:
            orders: orders-v2

    - name: Copy the offsets by time, to a topic with the same records at other offsets
      kafkaops.groups.consumer_group_offsets:
        group: reports-v2
        copy_from:
          group: reports
          topics:
            orders: orders-v2
          use_timestamps: true

    - name: Reset a group to the start of a topic
      kafkaops.groups.consumer_group_offsets:
        group: reports
        topics:
          - name: orders
        reset:
          to_earliest: true

    - name: Reset several groups to a time
      kafkaops.groups.consumer_group_offsets:
        groups:
          - name: reports
            topics:
              - name: orders
          - name: billing
            topics:
              - name: orders
              - name: invoices
                partitions: [0]
        reset:
          to_datetime: "2026-01-31T12:00:00Z"

    - name: Reset a group by one day
      kafkaops.groups.consumer_group_offsets:
        group: reports
        topics:
          - name: orders
        reset:
          by_duration: P1D

    - name: Skip one record
      kafkaops.groups.consumer_group_offsets:
        group: reports
        topics:
          - name: orders
            partitions: [3]
        reset:
          shift_by: 1

    - name: Restore one group of a back-up
      kafkaops.groups.consumer_group_offsets:
        group: reports
        restore:
          path: /var/backups/kafka/reports-20260131T120000Z.json
"""

RETURN = r"""
results:
  description:
    - One item per partition. A topic without committed offsets is one item, and so is a group whose offsets are
      unknown.
    - The items that O(detail) selects, in the order of processing.
  returned: unless the task fails before the first item
  type: list
  elements: dict
  contains:
    group:
      description: The name of the group.
      returned: success
      type: str
      sample: reports
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
    left_alone:
      description: >-
        Why the entry of O(plan) was skipped: how it changed since the audit. Or why the group of O(restore) was
        skipped: it is a share group in the back-up.
      returned: if it was skipped
      type: str
      sample: "it subscribes to topic 'orders' now"
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
      description: The committed offset before the change. V(null) if there was none.
      returned: success
      type: dict
      contains:
        offset:
          description: The committed offset.
          returned: success
          type: int
          sample: 1200
        leader_epoch:
          description: The leader epoch of the committed offset. V(-1) if there is none.
          returned: success
          type: int
          sample: 3
        metadata:
          description: The metadata of the committed offset. Empty if there is none.
          returned: success
          type: str
          sample: ""
    after:
      description: The committed offset after the change, as in RV(results[].before). V(null) if there is none.
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
          sample: 86
        name:
          description: The error name of Kafka.
          returned: success
          type: str
          sample: GROUP_SUBSCRIBED_TO_TOPIC
        message:
          description: The cause of the error, and how to resolve it.
          returned: success
          type: str
          sample: "the classic consumer group reads topic 'orders': stop its consumers, or let them drop
            the topic"
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
      description: Entries of O(plan) and share groups of O(restore) that were skipped. They are also counted as
        unchanged.
      returned: if there are any
      type: int
      sample: 1
other_groups:
  description: Share groups of the back-up. Restore them with M(kafkaops.groups.share_group_offsets).
  returned: with O(restore)
  type: list
  elements: str
  sample: [jobs]
plan:
  description: The plan that was applied.
  returned: with O(plan), unless the task fails before the first item
  type: dict
  contains:
    digest:
      description:
        - The SHA-256 of the content of the plan, in hexadecimal. An approved plan has the digest that
          M(kafkaops.groups.plan_approval) returned.
      returned: success
      type: str
      sample: 1f825aa2f0020ef7cf91dfa30da4668d791c5d4824fc8e41354b89ec05795ab3
    approved_by:
      description: Who approved the plan. V(null) if the plan is not approved.
      returned: success
      type: str
      sample: alice
    approved_at:
      description: When the plan was approved. V(null) if the plan is not approved.
      returned: success
      type: str
      sample: "2026-01-31T14:00:00+00:00"
backup_file:
  description: The path of the back-up that was written, or would be written in check mode. V(null) if no back-up was
    needed.
  returned: unless the task fails before the first item
  type: str
  sample: /var/backups/kafka/groups-20260131T120000Z.json
requests:
  description: The number of requests of each type that were sent to the brokers, not counting requests about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    FindCoordinator: 1
    DescribeGroups: 1
    OffsetFetch: 1
    OffsetCommit: 1
diff:
  description: The changes, with one line per item, for every value of O(detail).
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items before the change.
      returned: success
      type: str
      sample: "group 'reports', topic 'orders', partition 0: offset 1200\n"
    after:
      description: The changed items after the change. Deleted items have no line.
      returned: success
      type: str
      sample: "group 'reports', topic 'orders', partition 0: offset 900\n"
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import RESULTS_SPEC, run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _offset_request, offsets
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._offset_request import (
    GROUPS_SPEC,
    OFFSETS_SPEC,
    RESTORE_SPEC,
    TOPICS_SPEC,
    reset_spec,
)


def main() -> None:
    run(
        {
            "group": {"type": "raw"},
            "topics": TOPICS_SPEC,
            "groups": GROUPS_SPEC,
            "plan": {"type": "path"},
            "owner": {"type": "raw", "default": "*"},
            "state": {"type": "str", "choices": ["absent", "present"], "default": "present"},
            "unsubscribed": {"type": "bool", "default": False},
            "match": {"type": "raw"},
            "all_topics": {"type": "bool", "default": False},
            "match_topics": {"type": "raw"},
            "offsets": OFFSETS_SPEC,
            "use_timestamps": {"type": "bool", "default": False},
            "reset": reset_spec(),
            "restore": RESTORE_SPEC,
            "copy_from": {
                "type": "dict",
                "options": {
                    "group": {"type": "raw", "required": True},
                    "topics": {"type": "dict"},
                    "use_timestamps": {"type": "bool", "default": False},
                },
            },
            "backup": {"type": "path"},
            "max_changes": {"type": "int"},
            **RESULTS_SPEC,
        },
        _offset_request.parse,
        offsets.change_offsets,
        mutually_exclusive=[
            ("group", "groups", "match", "plan"),
            ("plan", "offsets", "reset", "restore", "copy_from"),
            ("topics", "offsets"),
            ("topics", "restore"),
            ("topics", "copy_from"),
        ],
        required_if=[
            ("state", "absent", ("group", "groups", "plan"), True),
            ("state", "present", ("offsets", "reset", "restore", "copy_from"), True),
            ("unsubscribed", True, ("group", "groups"), True),
        ],
        required_by={"topics": ["group"], "offsets": ["group"], "copy_from": ["group"]},
    )


if __name__ == "__main__":
    main()

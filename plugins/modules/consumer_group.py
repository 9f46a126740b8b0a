#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: consumer_group
short_description: Delete consumer groups
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Delete groups and all their committed offsets (KIP-229).
  - Groups that do not exist are reported as unchanged.
  - A group with members is not deleted. It fails with an error that lists the members. With O(force=true), the
    members are removed first (KIP-571).
  - With O(plan), delete the groups that an audit found to be stale, unless they changed since the audit.
  - >-
    All types of empty groups can be deleted: classic, consumer (KIP-848), share and streams groups.
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
    support: full
    details:
      - A running consumer can recreate its group between two runs.
options:
  names:
    description:
      - The groups to delete, as a list of names or as one name.
      - A single string is one group name. The string is not split at commas, because group names can contain commas.
        This is why the type is V(raw).
      - Numbers and booleans are rejected, because YAML changes their spelling (V(007) becomes 7, V(on) becomes true).
        Quote them.
      - The list and the names must not be empty.
      - Duplicate names are ignored.
      - Either O(names) or O(plan) is required.
    type: raw
    aliases: [name]
  state:
    description: The desired state of the groups.
    type: str
    choices: [absent]
    default: absent
  force:
    description:
      - Whether to remove the members of a group before deleting the group.
      - B(Stop the consumers first) if possible. A running consumer of a classic group rejoins and recreates the group
        within about 2 seconds. A running consumer of a KIP-848 group stops permanently when its group is deleted, and
        must be restarted.
      - Members of classic groups can always be removed. Members of KIP-848 groups can be removed if the coordinator
        runs Kafka 4.0 or newer. Members of share and streams groups cannot be removed.
      - Not allowed with O(plan), which only deletes groups without members.
    type: bool
    default: false
  configs:
    description:
      - Whether to remove the settings that the groups override, too; see M(kafkaops.groups.group_config). Brokers keep
        the settings of a deleted group, and a new group of the same name uses them.
      - Settings of groups that do not exist are removed, too. Settings of a group that cannot be deleted remain.
      - O(backup) contains the removed settings. Restore them with M(kafkaops.groups.group_config).
      - If V(false), RV(remaining_configs) and a warning list the remaining settings.
    type: bool
    default: false
  internal_topics:
    description:
      - Whether to delete the internal topics of the deleted streams groups (KIP-1071), too. These are the changelog and
        repartition topics of the topology of the group. Its source topics are never deleted.
      - The members of a group declare its topology. Topics whose names are not those of internal topics of Kafka
        Streams, such as C(<group>-<store>-changelog), are not deleted, and the task warns. Neither are topics that may
        belong to another group, because the name of another group is a longer beginning of their name.
      - A topic is only deleted after its group. If the deletion of a topic fails, delete the topic with
        M(kafkaops.groups.topic), because the topology is deleted with the group.
      - The task does not check whether other groups read these topics, and O(backup) does not contain their records.
      - The topology of a classic group is unknown. Use P(kafkaops.groups.streams_reset#role) for applications of the
        classic protocol.
    type: bool
    default: false
notes:
  - >-
    Permissions: DELETE on each group, which implies DESCRIBE. O(force=true) also requires READ on each group.
      O(backup) and O(plan) also require DESCRIBE on every topic for which the groups have committed offsets. The
      brokers omit the offsets of other topics without an error. These offsets are then missing from the back-up, but
      are deleted with the group. To list the members of a KIP-848, share or streams group, newer brokers require
      DESCRIBE on the topics of the members. O(configs=true) also requires ALTER_CONFIGS on each group, which
      implies DESCRIBE_CONFIGS. O(internal_topics=true) also requires DELETE on the topics.
      RV(remaining_configs) requires DESCRIBE_CONFIGS on the cluster and on each group.
  - O(max_changes) counts the groups and internal topics to delete, not the members or settings to remove.
  - Without O(internal_topics=true), deleting the group of a Streams application does not delete its internal topics.
  - A simple group (one that commits without joining) is always empty, even if it is in use. Its next commit recreates
    it.
  - With O(configs=true), O(backup) also contains the settings of groups that do not exist.
  - Of share groups, O(backup) contains the start offsets. It does not contain which records after them were processed.
    Start offsets that are unknown are not in it, and the task warns.
  - This module deletes the groups of O(plan). Use M(kafkaops.groups.consumer_group_offsets) to delete the committed
    offsets in the plan.
  - With O(plan), groups with committed offsets on topics without DESCRIBE permission are skipped, because these
    offsets cannot be compared.
seealso:
  - module: kafkaops.groups.consumer_group_members
  - module: kafkaops.groups.consumer_group_offsets
  - module: kafkaops.groups.consumer_group_info
  - module: kafkaops.groups.consumer_offsets_audit
  - name: KIP-229
    description: The DeleteGroups API.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-229%3A+DeleteGroups+API
  - name: KIP-571
    description: Removing members, as in the application reset tool of Kafka Streams.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-571%3A+Add+option+to+force+remove+members+in+StreamsResetter
"""

EXAMPLES = r"""
- name: Clean up consumer groups
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9093, kafka-2.example.com:9093]
      security_protocol: SASL_SSL
      sasl_mechanism: SCRAM-SHA-512
      sasl_username: ops
      sasl_password: "{{ kafka_password }}"
  tasks:
    - name: Delete one group
      kafkaops.groups.consumer_group:
        name: billing-old

    - name: Delete several groups with a back-up and a limit
      kafkaops.groups.consumer_group:
        names:
          - billing-old
          - "2024"
          - "shipping, test"
        backup: "/var/backups/kafka/groups-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"
        max_changes: 20

    - name: Delete a group and its stale members after a crash
      kafkaops.groups.consumer_group:
        name: reports
        force: true
        backup: "/var/backups/kafka/reports-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Delete a group and its settings
      kafkaops.groups.consumer_group:
        name: reports-old
        configs: true

    - name: Delete the stale groups of an audit
      kafkaops.groups.consumer_group:
        plan: /var/lib/kafka-audit/plan.json
        backup: "/var/backups/kafka/stale-groups-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"
        max_changes: 50

    - name: Delete the stale groups of one team
      kafkaops.groups.consumer_group:
        plan: /var/lib/kafka-audit/plan.json
        owner: team-billing
        backup: "/var/backups/kafka/billing-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Find the groups of a test
      kafkaops.groups.consumer_group_info:
        match: "test-4711-*"
      register: found

    - name: Delete the groups of the test
      kafkaops.groups.consumer_group:
        names: "{{ found.groups | map(attribute='name') }}"
      when: found.groups | length > 0
"""

RETURN = r"""
results:
  description:
    - One item per group. With O(force=true), each group follows its members, with one item per member. With
      O(internal_topics=true), one item per internal topic follows the groups. With O(configs=true), one item per
      setting follows.
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
        - The planned action, V(delete_group), V(remove_member), V(delete_topic) or V(delete_config).
        - V(none) if no change is needed.
      returned: success
      type: str
      sample: delete_group
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
        Why the entry of O(plan) was skipped: how it changed since the audit.
      returned: if it has
      type: str
      sample: "it is Stable now, with 1 member, and was Empty"
    member:
      description: The member to remove.
      returned: for members
      type: dict
      contains:
        member_id:
          description: The id that the coordinator assigned to the member.
          returned: success
          type: str
          sample: consumer-1-0c9f3f1e-7a5b-4a52-9d5e-3c1f7b7f6a55
        group_instance_id:
          description: The instance id of a static member (C(group.instance.id)). V(null) for a dynamic member.
          returned: success
          type: str
          sample: reports-0
        client_id:
          description: The client id of the member.
          returned: success
          type: str
          sample: consumer-1
        host:
          description: The host from which the member connects.
          returned: success
          type: str
          sample: 10.1.2.3
    topic:
      description: The internal topic to delete.
      returned: for internal topics
      type: str
      sample: reports-counts-changelog
    setting:
      description: The name of the setting to remove.
      returned: for settings
      type: str
      sample: consumer.session.timeout.ms
    before:
      description: The group, the member, the internal topic or the setting before the change. V(null) for a group that
        does not exist.
      returned: success
      type: dict
      contains:
        id:
          description: The id of the topic.
          returned: for internal topics
          type: str
          sample: 6ZbYvJ0TRHWYWVfzGSyRlw
        partitions:
          description: The number of partitions of the topic.
          returned: for internal topics
          type: int
          sample: 3
        value:
          description: The value of the setting, as Kafka spells it.
          returned: for settings
          type: str
          sample: "45000"
        type:
          description: The type of the group, V(classic), V(consumer), V(share) or V(streams).
          returned: for groups
          type: str
          sample: classic
        protocol_type:
          description: The protocol type of the group, such as V(consumer) or V(connect). Empty for a simple group.
          returned: for groups
          type: str
          sample: consumer
        state:
          description: The state of the group.
          returned: for groups
          type: str
          sample: Empty
        members:
          description: The members of the group, each as in RV(results[].member).
          returned: for groups
          type: list
          elements: dict
          sample: []
        member_id:
          description: The id that the coordinator assigned to the member.
          returned: for members
          type: str
          sample: consumer-1-0c9f3f1e-7a5b-4a52-9d5e-3c1f7b7f6a55
        group_instance_id:
          description: The instance id of a static member (C(group.instance.id)). V(null) for a dynamic member.
          returned: for members
          type: str
          sample: reports-0
        client_id:
          description: The client id of the member.
          returned: for members
          type: str
          sample: consumer-1
        host:
          description: The host from which the member connects.
          returned: for members
          type: str
          sample: 10.1.2.3
    after:
      description: The group, the member, the internal topic or the setting after the change, as in
        RV(results[].before). V(null) if it no longer exists.
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
          sample: "it is a classic consumer group in state Stable with 1 member: consumer-1 on 10.1.2.3 (member id
            consumer-1-0c9f3f1e). Stop its consumers, or set force to true to remove its members first (KIP-571)"
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
      description: Items that were skipped because they changed after the audit. They are also counted as unchanged.
      returned: if there are any
      type: int
      sample: 1
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
remaining_configs:
  description:
    - The settings that the deleted groups leave behind, by group and setting. Empty if there are none.
    - V(null) if they cannot be listed, which requires Kafka 4.1 or newer, and DESCRIBE_CONFIGS on the cluster. V(null)
      for one group if DESCRIBE_CONFIGS on the group is missing.
  returned: if O(configs) is V(false), unless the task fails before the first item
  type: dict
  sample: {reports: {consumer.session.timeout.ms: "45000"}}
requests:
  description: The number of requests of each type that were sent to the brokers, not counting requests about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    FindCoordinator: 1
    DescribeGroups: 1
    DeleteGroups: 1
diff:
  description: The changes, with one line per item, for every value of O(detail).
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items before the change.
      returned: success
      type: str
      sample: "group 'reports': classic, Empty\n"
    after:
      description: The changed items after the change. Deleted items have no line.
      returned: success
      type: str
      sample: ""
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import RESULTS_SPEC, run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import delete_groups


def main() -> None:
    run(
        {
            "names": {"type": "raw", "aliases": ["name"]},
            "plan": {"type": "path"},
            "owner": {"type": "raw", "default": "*"},
            "state": {"type": "str", "choices": ["absent"], "default": "absent"},
            "force": {"type": "bool", "default": False},
            "configs": {"type": "bool", "default": False},
            "internal_topics": {"type": "bool", "default": False},
            "backup": {"type": "path"},
            "max_changes": {"type": "int"},
            **RESULTS_SPEC,
        },
        delete_groups.parse,
        delete_groups.delete_groups,
        mutually_exclusive=[("names", "plan")],
        required_one_of=[("names", "plan")],
        # force removes members, and a plan only deletes groups without
        required_if=[("force", True, ("names",))],
    )


if __name__ == "__main__":
    main()

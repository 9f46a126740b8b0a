#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: consumer_group_members
short_description: Remove members from consumer groups
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Remove all or selected members from groups (KIP-571). The group and its committed offsets are kept.
  - Use this module for stale members. A static member whose instance no longer exists, or a member that crashed,
    keeps its partitions until its session times out.
  - This module does not stop consumers. A running consumer B(rejoins immediately) after it is removed. Set
    O(settle_time) to detect this.
  - Groups that do not exist, groups without members, and members that do not exist are reported as unchanged.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.results
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.changes
attributes:
  idempotent:
    support: partial
    details:
      - A running consumer rejoins after it is removed. The second run removes it again.
options:
  names:
    description:
      - The groups, as a list of names or as one name.
      - A single string is one group name. The string is not split at commas, because group names can contain commas.
        This is why the type is V(raw).
      - Numbers and booleans are rejected, because YAML changes their spelling (V(007) becomes 7, V(on) becomes true).
        Quote them.
      - The list and the names must not be empty.
    type: raw
    required: true
    aliases: [name]
  remove_all:
    description:
      - Remove every member of each group.
      - One of O(remove_all=true), O(members) and O(match_members) is required. They are mutually exclusive.
    type: bool
    default: false
  members:
    description:
      - The members to remove from one group. O(names) must then contain one name.
      - Identify each member by instance id, by member id, or by both. The list must not be empty.
      - The C(members) that M(kafkaops.groups.consumer_group_info) returns are valid input.
    type: list
    elements: dict
    suboptions:
      group_instance_id:
        description:
          - The instance id of a static member (C(group.instance.id)).
          - Quote numbers.
        type: raw
      member_id:
        description:
          - The member id, as returned by M(kafkaops.groups.consumer_group_info).
          - With O(members[].group_instance_id), the member is removed only if both ids match. A restarted instance
            has another member id, and is reported as unchanged.
        type: raw
      client_id: &ignored
        description:
          - Ignored. Accepted so that the output of M(kafkaops.groups.consumer_group_info) is valid input.
        type: raw
      host: *ignored
      topics: *ignored
      assignment: *ignored
      tasks: *ignored
  match_members:
    description:
      - Remove the members of each group that match. If both suboptions are set, a member must match both.
    type: dict
    suboptions:
      client_id: &patterns
        description:
          - Patterns, as a list or as one pattern. A pattern must match the B(whole) value.
          - Patterns are shell-style, with V(*), V(?) and V([...]). A pattern that starts with V(~) is a regular
            expression.
        type: raw
      host: *patterns
  max_changes:
    description:
      - Maximum number of members to remove in this task. If more removals are planned, the task fails before anything
        is changed.
      - RV(results) then lists all planned removals with the error C(POLICY_VIOLATION).
      - By default, there is no limit.
    type: int
  reason:
    description:
      - The reason for the removal. Brokers of Kafka 4.0 or newer write it to their log.
      - The reason is truncated to 255 characters, and not sent to brokers older than Kafka 3.2.
    type: str
    default: removed by kafkaops.groups.consumer_group_members
  settle_time:
    description:
      - How long to watch the groups after the removal, in seconds. If a member joins, the task fails and lists it.
      - V(0) disables watching. A running classic consumer rejoins within about 2 seconds, so V(5) is sufficient to
        detect it.
      - The time counts towards O(timeout). The task fails if O(settle_time) does not fit into O(timeout).
      - Ignored in check mode.
    type: float
    default: 0
notes:
  - >-
    Permissions: READ on each group, which implies DESCRIBE. To list the members of a KIP-848, share or streams group,
      newer brokers require DESCRIBE on the topics of the members.
  - Members of classic groups can be removed since Kafka 2.4. Members of KIP-848 groups can be removed if the
    coordinator runs Kafka 4.0 or newer. Members of share and streams groups cannot be removed. Stop their consumers
    instead.
  - A running consumer of a classic group rejoins within about 2 seconds after it is removed, and recreates the group
    if it was deleted. A running consumer of a KIP-848 group stops permanently when its group is deleted, and must be
    restarted. Stop the consumers before you delete a group.
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_info
  - name: KIP-571
    description: Removing members, as in the application reset tool of Kafka Streams.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-571%3A+Add+option+to+force+remove+members+in+StreamsResetter
"""

EXAMPLES = r"""
- name: Remove stale members
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: Remove all members of a group and verify that none rejoins
      kafkaops.groups.consumer_group_members:
        name: reports
        remove_all: true
        reason: the application was moved to another data centre
        settle_time: 5

    - name: Remove a static member by its instance id, and one member by its member id
      kafkaops.groups.consumer_group_members:
        name: reports
        members:
          - group_instance_id: reports-7
          - member_id: consumer-1-0c9f3f1e-7a5b-4a52-9d5e-3c1f7b7f6a55

    - name: Remove all members of several groups
      kafkaops.groups.consumer_group_members:
        names: [billing, shipping]
        remove_all: true
"""

RETURN = r"""
results:
  description:
    - One item per member. A group that does not exist or has no members is one item.
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
        - The planned action, V(remove_member).
        - V(none) if no change is needed.
      returned: success
      type: str
      sample: remove_member
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
    member:
      description: The member to remove.
      returned: for members
      type: dict
      contains:
        member_id:
          description: The id that the coordinator assigned to the member. Empty if no member of the group has the
            instance id in O(members).
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
    before:
      description: The member, or the group without members, before the change. V(null) if it did not exist.
      returned: success
      type: dict
      contains:
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
      description: The same after the change, as in RV(results[].before). V(null) if it no longer exists.
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
          sample: 30
        name:
          description: The error name of Kafka.
          returned: success
          type: str
          sample: GROUP_AUTHORIZATION_FAILED
        message:
          description: The cause of the error, and how to resolve it.
          returned: success
          type: str
          sample: "removing members needs READ on group 'reports'"
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
rejoined:
  description:
    - Members that joined the groups during O(settle_time), after the removal.
    - The task fails if there are any. Stop the instances first.
  returned: unless the task fails before the first item
  type: list
  elements: dict
  contains:
    group:
      description: The name of the group.
      returned: success
      type: str
      sample: reports
    member:
      description: The member that joined.
      returned: success
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
backup_file:
  description: Always V(null). Removing members does not delete committed offsets, so no back-up is needed.
  returned: unless the task fails before the first item
  type: str
  sample: null
requests:
  description: The number of requests of each type that were sent to the brokers, not counting requests about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    FindCoordinator: 1
    DescribeGroups: 1
    LeaveGroup: 1
diff:
  description: The changes, with one line per item, for every value of O(detail).
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items before the change.
      returned: success
      type: str
      sample: "group 'reports', member consumer-1 on 10.1.2.3 (member id consumer-1-0c9f3f1e)\n"
    after:
      description: The changed items after the change. Deleted items have no line.
      returned: success
      type: str
      sample: ""
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import RESULTS_SPEC, run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import members
from ansible_collections.kafkaops.groups.plugins.module_utils._operations._match_members import MATCH_MEMBERS_SPEC


def main() -> None:
    run(
        {
            "names": {"type": "raw", "required": True, "aliases": ["name"]},
            "remove_all": {"type": "bool", "default": False},
            "members": {
                "type": "list",
                "elements": "dict",
                "options": {
                    name: {"type": "raw"}
                    for name in ("group_instance_id", "member_id", "client_id", "host", "topics", "assignment", "tasks")
                },
                "required_one_of": [("group_instance_id", "member_id")],
            },
            "match_members": MATCH_MEMBERS_SPEC,
            "max_changes": {"type": "int"},
            "reason": {"type": "str", "default": "removed by kafkaops.groups.consumer_group_members"},
            "settle_time": {"type": "float", "default": 0},
            **RESULTS_SPEC,
        },
        members.parse,
        members.remove_members,
        mutually_exclusive=[("members", "match_members")],
        required_if=[("remove_all", False, ("members", "match_members"), True)],
    )


if __name__ == "__main__":
    main()

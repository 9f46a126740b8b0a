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
  - Remove members from groups (KIP-571), all of them or chosen ones. The group and what it has committed stay.
  - This is for members that are left behind. A static member whose instance is gone for good keeps its partitions
    until its session times out. So does a member that crashed.
  - It does not stop a consumer. A live consumer whose member is removed B(rejoins at once). With O(settle_time) the
    module sees that.
  - A group that does not exist, a group without members, and a named member that is not there are unchanged.
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
      - A live consumer rejoins after it was removed. The second run removes it again.
options:
  names:
    description:
      - The groups, as a list of names or as one name.
      - A single string is one group. It is never split, and may hold commas. This is why the type is V(raw). Ansible
        splits a string that is given for a list at its commas, and a comma may stand in a group's name.
      - A number or a boolean is refused, since YAML has already changed its spelling (V(007) is 7, V(on) is true).
        Put quotes around it.
      - An empty list is refused, and so is an empty name.
    type: raw
    required: true
    aliases: [name]
  remove_all:
    description:
      - Remove every member of each group.
      - Either this or O(members) is needed.
    type: bool
    default: false
  members:
    description:
      - The members to remove from one group. O(names) then holds one name.
      - Each is named by its instance id, by its member id, or by both. An empty list is refused.
      - Members that M(kafkaops.groups.consumer_group_info) returns can be given as they are.
    type: list
    elements: dict
    suboptions:
      group_instance_id:
        description:
          - The instance id of a static member (C(group.instance.id)).
          - Put quotes around a number.
        type: raw
      member_id:
        description:
          - The member id, as M(kafkaops.groups.consumer_group_info) shows it.
          - With O(members[].group_instance_id), only this instance is removed. An instance that was started again
            since has another member id, and is unchanged.
        type: raw
      client_id: &ignored
        description:
          - Ignored. It is accepted so that what M(kafkaops.groups.consumer_group_info) returns can be given as it is.
        type: raw
      host: *ignored
      topics: *ignored
      assignment: *ignored
  reason:
    description:
      - Why the members are removed. Brokers of Kafka 4.0 or newer write it to their log.
      - It is cut after 255 characters. Brokers older than Kafka 3.2 do not get it.
    type: str
    default: removed by kafkaops.groups.consumer_group_members
  settle_time:
    description:
      - For how many seconds to watch the groups after the removal. If somebody joins, the task fails and names them.
      - V(0) does not watch. A classic consumer that is alive rejoins within about 2 seconds, so V(5) is enough to see
        it.
      - It is part of O(timeout). A O(settle_time) that does not fit fails the task.
      - Check mode does not watch.
    type: float
    default: 0
notes:
  - >-
    Permissions: READ on each group. DESCRIBE on the group, which is needed too, comes with READ. To see the members
    of a KIP-848, share or streams group, newer brokers ask for DESCRIBE on the topics of its members.
  - The members of a classic group can be removed since Kafka 2.4. Those of a KIP-848 group can be removed if its
    coordinator is a broker of Kafka 4.0 or newer. Those of share and streams groups cannot be removed. Stop their
    consumers instead.
  - A live consumer of a classic group that is removed rejoins within about 2 seconds. If its group was deleted
    meanwhile, it creates the group anew. A live consumer of a KIP-848 group whose group is deleted under it dies for
    good. So stop the consumers before you delete a group.
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_info
  - name: KIP-571
    description: Removing members, as the application reset tool of Kafka Streams does.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-571%3A+Add+option+to+force+remove+members+in+StreamsResetter
"""

EXAMPLES = r"""
- name: Remove members that were left behind
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: Remove all members of a group, and see that nobody comes back
      kafkaops.groups.consumer_group_members:
        name: reports
        remove_all: true
        reason: the application was moved to another data centre
        settle_time: 5

    - name: Remove a static member whose instance is gone, and one member by its member id
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
    - One item a member. A group that does not exist, or has no members, is one item.
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
        - What the item needs. V(remove_member).
        - V(none) means that nothing is to do.
      returned: success
      type: str
      sample: remove_member
    changed:
      description: Whether the action was carried out, or in check mode would be.
      returned: success
      type: bool
      sample: true
    failed:
      description: Whether the item failed. RV(results[].error) says why.
      returned: success
      type: bool
      sample: false
    member:
      description: The member to remove.
      returned: if the item is about a member
      type: dict
      contains:
        member_id:
          description: The id that the coordinator gave the member. Empty if O(members) names an instance id that the
            group does not have.
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
          description: The host that the member connects from.
          returned: success
          type: str
          sample: 10.1.2.3
    before:
      description: The member as it was found, or a group without members. V(null) if there is none.
      returned: success
      type: dict
      contains:
        type:
          description: The type of the group, V(classic), V(consumer), V(share) or V(streams).
          returned: if the item is about a group
          type: str
          sample: classic
        protocol_type:
          description: The protocol type of the group, such as V(consumer) or V(connect). Empty for a simple group.
          returned: if the item is about a group
          type: str
          sample: consumer
        state:
          description: The state of the group.
          returned: if the item is about a group
          type: str
          sample: Empty
        members:
          description: The members of the group, each as in RV(results[].member).
          returned: if the item is about a group
          type: list
          elements: dict
          sample: []
        member_id:
          description: The id that the coordinator gave the member.
          returned: if the item is about a member
          type: str
          sample: consumer-1-0c9f3f1e-7a5b-4a52-9d5e-3c1f7b7f6a55
        group_instance_id:
          description: The instance id of a static member (C(group.instance.id)). V(null) for a dynamic member.
          returned: if the item is about a member
          type: str
          sample: reports-0
        client_id:
          description: The client id of the member.
          returned: if the item is about a member
          type: str
          sample: consumer-1
        host:
          description: The host that the member connects from.
          returned: if the item is about a member
          type: str
          sample: 10.1.2.3
    after:
      description: The same as it is now, as in RV(results[].before). V(null) if it is gone.
      returned: success
      type: dict
    error:
      description: Why the item failed. V(null) if it did not.
      returned: success
      type: dict
      contains:
        code:
          description: Kafka's number of the error.
          returned: success
          type: int
          sample: 30
        name:
          description: Kafka's name of the error.
          returned: success
          type: str
          sample: GROUP_AUTHORIZATION_FAILED
        message:
          description: What is wrong, and what to do about it.
          returned: success
          type: str
          sample: "removing members needs READ on group 'reports'"
        retriable:
          description: Whether Kafka calls the error retriable, so that the same task may work later.
          returned: success
          type: bool
          sample: false
summary:
  description: How many items there are.
  returned: when RV(results) is returned
  type: dict
  contains:
    total:
      description: All items.
      returned: success
      type: int
      sample: 2
    changed:
      description: Items that were changed, or in check mode would be.
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
    - Who joined the groups during O(settle_time), after the members were removed.
    - The task fails if there is anybody. Stop the instances first.
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
      description: Who joined.
      returned: success
      type: dict
      contains:
        member_id:
          description: The id that the coordinator gave the member.
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
          description: The host that the member connects from.
          returned: success
          type: str
          sample: 10.1.2.3
backup_file:
  description: Always V(null). Removing members takes no back-up, since nothing that they committed is lost.
  returned: unless the task fails before the first item
  type: str
  sample: null
requests:
  description: How many requests of each kind were sent to the brokers, without those about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    FindCoordinator: 1
    DescribeGroups: 1
    LeaveGroup: 1
diff:
  description: What changes, one line an item.
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items as they were.
      returned: success
      type: str
      sample: "group 'reports', member consumer-1 on 10.1.2.3 (member id consumer-1-0c9f3f1e)\n"
    after:
      description: The changed items as they are now. An item that is gone has no line.
      returned: success
      type: str
      sample: ""
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import members


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
                    for name in ("group_instance_id", "member_id", "client_id", "host", "topics", "assignment")
                },
                "required_one_of": [("group_instance_id", "member_id")],
            },
            "reason": {"type": "str", "default": "removed by kafkaops.groups.consumer_group_members"},
            "settle_time": {"type": "float", "default": 0},
        },
        members.parse,
        members.remove_members,
        required_if=[("remove_all", False, ("members",))],
    )


if __name__ == "__main__":
    main()

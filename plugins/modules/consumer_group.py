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
  - Delete groups, and with them everything that they have committed (KIP-229).
  - A group that does not exist is unchanged.
  - A group with members is not deleted. It fails, and the error names the members. With O(force=true) its members are
    removed first (KIP-571).
  - With O(plan), delete the groups that an audit found to be stale, as long as they are what it saw.
  - All types of groups are deleted as long as they are empty. These are classic, consumer (KIP-848), share and
    streams groups.
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
      - A consumer that still runs can create its group anew between two runs.
options:
  names:
    description:
      - The groups to delete, as a list of names or as one name.
      - A single string is one group. It is never split, and may hold commas. This is why the type is V(raw). Ansible
        splits a string that is given for a list at its commas, and a comma may stand in a group's name.
      - A number or a boolean is refused, since YAML has already changed its spelling (V(007) is 7, V(on) is true).
        Put quotes around it.
      - An empty list is refused, and so is an empty name.
      - A name that stands in the list twice counts once.
      - One of O(names) and O(plan) is needed.
    type: raw
    aliases: [name]
  state:
    description: The wanted state of the groups.
    type: str
    choices: [absent]
    default: absent
  force:
    description:
      - Whether to remove the members of a group before it is deleted.
      - B(Stop the consumers first) where you can. A live consumer of a classic group rejoins, and creates the group
        anew within about 2 seconds. A live consumer of a KIP-848 group whose group is deleted under it dies for good.
        It has to be started again.
      - The members of a classic group can always be removed. Those of a KIP-848 group can be removed if
        its coordinator is a broker of Kafka 4.0 or newer.
        Those of share and streams groups cannot be removed.
      - It does not go with O(plan), which only deletes groups without members.
    type: bool
    default: false
notes:
  - >-
    Permissions: DELETE on each group. O(force=true) also needs READ on each group. O(backup) and O(plan) also need
    DESCRIBE on every topic that the groups have committed offsets of. The brokers leave out the offsets on other
    topics, and do not say so. These are then missing from the back-up, and go with the group. To see the members of a
    KIP-848, share or streams group, newer brokers ask for DESCRIBE on the topics of its members. DESCRIBE on the group,
    which is needed too, comes with DELETE and with READ.
  - O(max_changes) counts the groups to delete, and not the members to remove.
  - The internal topics of a Streams application stay when its group is deleted. Kafka's
    C(kafka-streams-application-reset.sh) deletes them.
  - A simple group (one that commits without joining) is always empty. Nothing shows that somebody uses it. Its next
    commit creates it anew.
  - A share group has no committed offsets. It is refused where O(backup) is set.
  - O(plan) takes the groups to delete from the plan. The committed offsets to delete in it are for
    M(kafkaops.groups.consumer_group_offsets).
  - With O(plan), a group that has committed offsets on topics that the caller may not DESCRIBE is left alone, since
    these offsets do not show.
seealso:
  - module: kafkaops.groups.consumer_group_members
  - module: kafkaops.groups.consumer_group_offsets
  - module: kafkaops.groups.consumer_group_info
  - module: kafkaops.groups.consumer_offsets_audit
  - name: KIP-229
    description: The DeleteGroups API.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-229%3A+DeleteGroups+API
  - name: KIP-571
    description: Removing members, as the application reset tool of Kafka Streams does.
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

    - name: Delete several groups, keep a back-up, and stop if the list is longer than expected
      kafkaops.groups.consumer_group:
        names:
          - billing-old
          - "2024"
          - "shipping, test"
        backup: "/var/backups/kafka/groups-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"
        max_changes: 20

    - name: Delete a group with all its members, which a crash left behind
      kafkaops.groups.consumer_group:
        name: reports
        force: true
        backup: "/var/backups/kafka/reports-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"

    - name: Delete what an audit found to be stale, as far as it still is
      kafkaops.groups.consumer_group:
        plan: /var/lib/kafka-audit/plan.json
        backup: "/var/backups/kafka/groups-{{ now(utc=true).strftime('%Y%m%dT%H%M%SZ') }}.json"
        max_changes: 50

    - name: Find the groups of a test
      kafkaops.groups.consumer_group_info:
        match: "test-4711-*"
      register: found

    - name: Delete them
      kafkaops.groups.consumer_group:
        names: "{{ found.groups | map(attribute='name') }}"
      when: found.groups | length > 0
"""

RETURN = r"""
results:
  description:
    - One item a group. With O(force=true) the members of a group come before it, one item each.
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
        - What the item needs. V(delete_group), or V(remove_member).
        - V(none) means that nothing is to do.
      returned: success
      type: str
      sample: delete_group
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
    left_alone:
      description: How the entry of O(plan) has changed since the audit, so that nothing was done about it.
      returned: if it has
      type: str
      sample: "it is Stable now, with 1 member, and was Empty"
    member:
      description: The member to remove.
      returned: if the item is about a member
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
    before:
      description: The group or the member as it was found. V(null) for a group that does not exist.
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
      description: The group or the member as it is now, as in RV(results[].before). V(null) if it is gone.
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
          sample: 68
        name:
          description: Kafka's name of the error.
          returned: success
          type: str
          sample: NON_EMPTY_GROUP
        message:
          description: What is wrong, and what to do about it.
          returned: success
          type: str
          sample: "it is a classic consumer group in state Stable with 1 member: consumer-1 on 10.1.2.3 (member id
            consumer-1-0c9f3f1e). Stop its consumers, or set force to true to remove its members first (KIP-571)"
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
    left_alone:
      description: Items that were left alone, since they have changed after the audit. They count as unchanged, too.
      returned: if there are any
      type: int
      sample: 1
backup_file:
  description: The path of the back-up that was written, or in check mode would be. V(null) if none was needed.
  returned: unless the task fails before the first item
  type: str
  sample: /var/backups/kafka/groups-20260131T120000Z.json
requests:
  description: How many requests of each kind were sent to the brokers, without those about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    FindCoordinator: 1
    DescribeGroups: 1
    DeleteGroups: 1
diff:
  description: What changes, one line an item.
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items as they were.
      returned: success
      type: str
      sample: "group 'reports': classic, Empty\n"
    after:
      description: The changed items as they are now. An item that is gone has no line.
      returned: success
      type: str
      sample: ""
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import delete_groups


def main() -> None:
    run(
        {
            "names": {"type": "raw", "aliases": ["name"]},
            "plan": {"type": "path"},
            "state": {"type": "str", "choices": ["absent"], "default": "absent"},
            "force": {"type": "bool", "default": False},
            "backup": {"type": "path"},
            "max_changes": {"type": "int"},
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

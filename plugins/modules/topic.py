#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topic
short_description: Delete topics
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Delete topics, with all their records. This cannot be undone, and there is no back-up of records.
  - A topic that does not exist is unchanged.
  - Kafka's own topics (such as C(__consumer_offsets)) are never deleted. They fail.
  - It is here for the roles of this collection, which end an environment or reset a Streams application. It creates
    and configures nothing.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.results
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.changes
attributes:
  idempotent:
    support: full
    details:
      - A client that still runs can create its topic anew between two runs, if the brokers'
        C(auto.create.topics.enable) is set.
options:
  names:
    description:
      - The topics to delete, as a list of names or as one name. A single string is one topic, and is never split.
      - A number or a boolean is refused, since YAML has already changed its spelling (V(007) is 7, V(on) is true).
        Put quotes around it. This is why the type is V(raw).
      - An empty list is refused, and so is what cannot be a topic's name.
      - A name that stands in the list twice counts once.
    type: raw
    required: true
    aliases: [name]
  state:
    description: The wanted state of the topics.
    type: str
    choices: [absent]
    default: absent
  max_changes:
    description:
      - The highest number of topics that this task may delete. If more are planned, the task fails before anything is
        deleted.
      - RV(results) then shows the whole plan, with the error C(POLICY_VIOLATION) on each planned change.
      - If it is not set, there is no limit.
    type: int
notes:
  - >-
    Permissions: DELETE on each topic. DESCRIBE on the topic, which is needed too, comes with it.
  - B(Stop the clients first.) A client that still runs can create its topic anew, if the brokers'
    C(auto.create.topics.enable) is set. What groups have committed on a topic goes with it.
  - Brokers with C(delete.topic.enable=false) delete no topic. They fail as C(TOPIC_DELETION_DISABLED). Check mode does
    not see that.
seealso:
  - module: kafkaops.groups.topic_info
  - module: kafkaops.groups.consumer_group
"""

EXAMPLES = r"""
- name: Remove the topics of a test
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: Delete one topic
      kafkaops.groups.topic:
        name: test-4711-orders

    - name: Find the topics of a test
      kafkaops.groups.topic_info:
        match: "test-4711-*"
      register: found

    - name: Delete them, but no more than 20
      kafkaops.groups.topic:
        names: "{{ found.topics | map(attribute='name') }}"
        max_changes: 20
      when: found.topics | length > 0
"""

RETURN = r"""
results:
  description: One item a topic.
  returned: unless the task fails before the topics were read
  type: list
  elements: dict
  contains:
    topic:
      description: The name of the topic.
      returned: success
      type: str
      sample: test-4711-orders
    action:
      description:
        - What the item needs. V(delete_topic).
        - V(none) means that nothing is to do.
      returned: success
      type: str
      sample: delete_topic
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
    before:
      description: The topic as it was found. V(null) for a topic that does not exist.
      returned: success
      type: dict
      contains:
        id:
          description: The id of the topic. Brokers older than Kafka 2.8 give none.
          returned: success
          type: str
          sample: 1Pjy2NBzTh2Ag6HQ6uIaKQ
        partitions:
          description: How many partitions it has.
          returned: success
          type: int
          sample: 12
    after:
      description: The topic as it is now, as in RV(results[].before). V(null) if it is gone.
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
          sample: 29
        name:
          description: Kafka's name of the error.
          returned: success
          type: str
          sample: TOPIC_AUTHORIZATION_FAILED
        message:
          description: What is wrong, and what to do about it.
          returned: success
          type: str
          sample: "deleting needs DELETE on topic 'test-4711-orders'"
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
backup_file:
  description: Always V(null). There is no back-up of records.
  returned: unless the task fails before the first item
  type: str
  sample: null
requests:
  description: How many requests of each kind were sent to the brokers, without those about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    Metadata: 1
diff:
  description: What changes, one line an item.
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items as they were.
      returned: success
      type: str
      sample: "topic 'test-4711-orders': 12 partitions\n"
    after:
      description: The changed items as they are now. An item that is gone has no line.
      returned: success
      type: str
      sample: ""
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import topics


def main() -> None:
    run(
        {
            "names": {"type": "raw", "required": True, "aliases": ["name"]},
            "state": {"type": "str", "choices": ["absent"], "default": "absent"},
            "max_changes": {"type": "int"},
        },
        topics.parse_deletion,
        topics.delete_topics,
    )


if __name__ == "__main__":
    main()

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
  - Delete topics and all their records. Deletion cannot be undone, and records are not backed up.
  - Topics that do not exist are reported as unchanged.
  - Internal topics of Kafka, such as C(__consumer_offsets), are never deleted. They fail.
  - This module is for the roles of this collection, which tear down an environment or reset a Streams application. It
    does not create or configure topics.
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
      - A running client can recreate its topic between two runs if C(auto.create.topics.enable) is set on the
        brokers.
options:
  names:
    description:
      - The topics to delete, as a list of names or as one name. A single string is one topic name. It is not split.
      - Numbers and booleans are rejected, because YAML changes their spelling (V(007) becomes 7, V(on) becomes true).
        Quote them. This is why the type is V(raw).
      - The list must not be empty, and the names must be valid topic names.
      - Duplicate names are ignored.
    type: raw
    required: true
    aliases: [name]
  state:
    description: The desired state of the topics.
    type: str
    choices: [absent]
    default: absent
  max_changes:
    description:
      - Maximum number of topics to delete in this task. If more deletions are planned, the task fails before anything
        is deleted.
      - RV(results) then lists all planned changes with the error C(POLICY_VIOLATION).
      - By default, there is no limit.
    type: int
notes:
  - >-
    Permissions: DELETE on each topic, which implies DESCRIBE.
  - B(Stop the clients first.) A running client can recreate its topic if C(auto.create.topics.enable) is set on the
    brokers. The committed offsets of a topic are deleted with the topic.
  - Brokers with C(delete.topic.enable=false) reject the deletion with C(TOPIC_DELETION_DISABLED). Check mode does not
    detect this.
seealso:
  - module: kafkaops.groups.topic_info
  - module: kafkaops.groups.consumer_group
"""

EXAMPLES = r"""
- name: Delete the topics of a test
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

    - name: Delete at most 20 topics of the test
      kafkaops.groups.topic:
        names: "{{ found.topics | map(attribute='name') }}"
        max_changes: 20
      when: found.topics | length > 0
"""

RETURN = r"""
results:
  description:
    - One item per topic.
    - The items that O(detail) selects, in the order of processing.
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
        - The planned action, V(delete_topic).
        - V(none) if no change is needed.
      returned: success
      type: str
      sample: delete_topic
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
    before:
      description: The topic before the change. V(null) for a topic that does not exist.
      returned: success
      type: dict
      contains:
        id:
          description: The id of the topic. V(null) on brokers older than Kafka 2.8.
          returned: success
          type: str
          sample: 1Pjy2NBzTh2Ag6HQ6uIaKQ
        partitions:
          description: The number of partitions.
          returned: success
          type: int
          sample: 12
    after:
      description: The topic after the change, as in RV(results[].before). V(null) if it no longer exists.
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
          sample: 29
        name:
          description: The error name of Kafka.
          returned: success
          type: str
          sample: TOPIC_AUTHORIZATION_FAILED
        message:
          description: The cause of the error, and how to resolve it.
          returned: success
          type: str
          sample: "deleting needs DELETE on topic 'test-4711-orders'"
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
backup_file:
  description: Always V(null). Records are not backed up.
  returned: unless the task fails before the first item
  type: str
  sample: null
requests:
  description: The number of requests of each type that were sent to the brokers, not counting requests about topics.
  returned: unless the task fails before the first item
  type: dict
  sample:
    Metadata: 1
diff:
  description: The changes, with one line per item, for every value of O(detail).
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed items before the change.
      returned: success
      type: str
      sample: "topic 'test-4711-orders': 12 partitions\n"
    after:
      description: The changed items after the change. Deleted items have no line.
      returned: success
      type: str
      sample: ""
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import RESULTS_SPEC, run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import topics


def main() -> None:
    run(
        {
            "names": {"type": "raw", "required": True, "aliases": ["name"]},
            "state": {"type": "str", "choices": ["absent"], "default": "absent"},
            "max_changes": {"type": "int"},
            **RESULTS_SPEC,
        },
        topics.parse_deletion,
        topics.delete_topics,
    )


if __name__ == "__main__":
    main()

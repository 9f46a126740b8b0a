#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topic_info
short_description: List and describe topics
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - List and describe the topics of a cluster, optionally with the start and end offsets of their logs.
  - This module never changes anything.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.info
options:
  names:
    description:
      - The topics to describe, as a list of names or as one name. Without O(names) and O(match), all topics are
        returned.
      - Numbers and booleans are rejected, because YAML changes their spelling (V(007) becomes 7, V(on) becomes true).
        Quote them. This is why the type is V(raw).
      - The list must not be empty, and the names must be valid topic names.
      - Topics that do not exist are listed in RV(missing).
    type: raw
    aliases: [name]
  match:
    description:
      - Patterns, as a list or as one pattern. A topic is returned if a pattern matches its B(whole) name.
      - Patterns are shell-style, with V(*), V(?) and V([...]). A pattern that starts with V(~) is a regular
        expression.
      - A single string is one pattern. The list must not be empty.
    type: raw
  log:
    description: Whether to return RV(topics[].log), the start and end offsets of each partition.
    type: bool
    default: false
  partial:
    description:
      - Whether to succeed if a topic cannot be read. RV(errors) lists what is missing.
      - If V(false), the task fails, and its result contains everything that could be read.
    type: bool
    default: false
notes:
  - >-
    Permissions: DESCRIBE on each topic. The brokers list only topics with DESCRIBE permission, so a topic that is not
      listed can still exist.
seealso:
  - module: kafkaops.groups.topic
  - module: kafkaops.groups.consumer_group_info
"""

EXAMPLES = r"""
- name: List and describe topics
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: List the topics of two teams
      kafkaops.groups.topic_info:
        match: ["billing-*", "~shipping-(eu|us)-[0-9]+"]
      register: found

    - name: Get the log start and end offsets of a topic
      kafkaops.groups.topic_info:
        name: orders
        log: true
      register: orders
"""

RETURN = r"""
topics:
  description: The topics, sorted by name.
  returned: unless the task fails before the first request
  type: list
  elements: dict
  contains:
    name:
      description: The name of the topic.
      returned: success
      type: str
      sample: orders
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
    internal:
      description: Whether the topic is an internal topic of Kafka, such as C(__consumer_offsets).
      returned: success
      type: bool
      sample: false
    permissions:
      description: Operations on the topic for which the caller has permission.
      returned: success
      type: list
      elements: str
      sample: [DELETE, DESCRIBE, READ]
    log:
      description: The log of each partition, except partitions in RV(errors). Empty without O(log).
      returned: success
      type: list
      elements: dict
      contains:
        partition:
          description: The partition.
          returned: success
          type: int
          sample: 0
        start:
          description: The start offset of the log.
          returned: success
          type: int
          sample: 800
        end:
          description: The end offset of the log, which the next record gets.
          returned: success
          type: int
          sample: 1250
missing:
  description: The topics of O(names) that do not exist.
  returned: unless the task fails before the first request
  type: list
  elements: str
  sample: []
errors:
  description: Topics and partitions that could not be read.
  returned: unless the task fails before the first request
  type: list
  elements: dict
  contains:
    topic:
      description: The topic that could not be read.
      returned: success
      type: str
      sample: orders
    partition:
      description: The partition whose log could not be read.
      returned: for partitions
      type: int
      sample: 0
    error:
      description: The error of Kafka.
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
          description: The cause of the error.
          returned: success
          type: str
          sample: "Topic authorization failed."
        retriable:
          description: Whether Kafka classifies the error as retriable, so that the same task may succeed later.
          returned: success
          type: bool
          sample: false
cluster_id:
  description: The id of the cluster.
  returned: unless the task fails before the first request
  type: str
  sample: 5L6g3nShT-eMCtK--X86sw
requests:
  description: The number of requests of each type that were sent to the brokers, not counting requests about topics.
  returned: unless the task fails before the first request
  type: dict
  sample:
    Metadata: 1
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import topics


def main() -> None:
    run(
        {
            "names": {"type": "raw", "aliases": ["name"]},
            "match": {"type": "raw"},
            "log": {"type": "bool", "default": False},
            "partial": {"type": "bool", "default": False},
        },
        topics.parse_question,
        topics.topic_info,
        mutually_exclusive=[("names", "match")],
    )


if __name__ == "__main__":
    main()

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
  - List the topics of a cluster, and describe them, with the offsets of their logs where that is asked for.
  - It never changes anything.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.info
options:
  names:
    description:
      - The topics to describe, as a list of names or as one name. Without O(names) and O(match), all topics.
      - A number or a boolean is refused, since YAML has already changed its spelling (V(007) is 7, V(on) is true).
        Put quotes around it. This is why the type is V(raw).
      - An empty list is refused, and so is what cannot be a topic's name.
      - A topic that does not exist is in RV(missing).
    type: raw
    aliases: [name]
  match:
    description:
      - Patterns, as a list or as one pattern. A topic is returned if one of them matches its B(whole) name.
      - A pattern is shell-style, with V(*), V(?) and V([...]). If it starts with V(~), the rest of it is a regular
        expression.
      - A single string is one pattern. An empty list is refused.
    type: raw
  log:
    description: Whether to return RV(topics[].log), the start and the end of each partition's log.
    type: bool
    default: false
  partial:
    description:
      - Whether to go on if a topic cannot be asked about. RV(errors) says what is missing.
      - If it is V(false), the task fails then, with everything else in its result.
    type: bool
    default: false
notes:
  - >-
    Permissions: DESCRIBE on each topic. The brokers list only the topics that one may describe, and do not say so. So
    a topic that is not listed may still exist.
seealso:
  - module: kafkaops.groups.topic
  - module: kafkaops.groups.consumer_group_info
"""

EXAMPLES = r"""
- name: See what topics there are
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

    - name: See whether a topic has records
      kafkaops.groups.topic_info:
        name: orders
        log: true
      register: orders
"""

RETURN = r"""
topics:
  description: The topics, sorted by their names.
  returned: unless the task fails before the brokers were asked
  type: list
  elements: dict
  contains:
    name:
      description: The name of the topic.
      returned: success
      type: str
      sample: orders
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
    internal:
      description: Whether it is one of Kafka's own topics, such as C(__consumer_offsets).
      returned: success
      type: bool
      sample: false
    permissions:
      description: What the caller may do with the topic.
      returned: success
      type: list
      elements: str
      sample: [DELETE, DESCRIBE, READ]
    log:
      description: The log of each partition. Empty without O(log), and without those in RV(errors).
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
          description: The first offset of the log.
          returned: success
          type: int
          sample: 800
        end:
          description: The offset of the next record to be written.
          returned: success
          type: int
          sample: 1250
missing:
  description: Those of O(names) that do not exist.
  returned: unless the task fails before the brokers were asked
  type: list
  elements: str
  sample: []
errors:
  description: What could not be asked.
  returned: unless the task fails before the brokers were asked
  type: list
  elements: dict
  contains:
    topic:
      description: The topic that could not be asked about.
      returned: success
      type: str
      sample: orders
    partition:
      description: The partition whose log could not be read.
      returned: if it is about a partition
      type: int
      sample: 0
    error:
      description: What Kafka answered.
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
          description: What is wrong.
          returned: success
          type: str
          sample: "Topic authorization failed."
        retriable:
          description: Whether Kafka calls the error retriable, so that the same task may work later.
          returned: success
          type: bool
          sample: false
cluster_id:
  description: The id of the cluster.
  returned: unless the task fails before the brokers were asked
  type: str
  sample: 5L6g3nShT-eMCtK--X86sw
requests:
  description: How many requests of each kind were sent to the brokers, without those about topics.
  returned: unless the task fails before the brokers were asked
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

#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: group_config
short_description: Show, set and remove the settings of groups
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Set or remove settings of groups, which override the defaults of the brokers, such as
    C(consumer.session.timeout.ms), C(share.auto.offset.reset) or C(streams.num.standby.replicas).
  - With O(state=present) and without O(config), the settings that a group overrides are shown in RV(results), and
    nothing is changed.
  - Settings exist independently of their group. They can be set before the group exists, and remain when the group is
    deleted.
extends_documentation_fragment:
  - kafkaops.groups.connection
  - kafkaops.groups.results
  - kafkaops.groups.attributes
  - kafkaops.groups.attributes.actiongroup_kafka
  - kafkaops.groups.attributes.changes
attributes:
  idempotent:
    support: full
options:
  names:
    description:
      - The groups, as a list of names or as one name. A single string is one group name. It is not split.
      - Numbers and booleans are rejected, because YAML changes their spelling (V(007) becomes 7, V(on) becomes true).
        Quote them. This is why the type is V(raw).
      - Duplicate names are ignored.
      - Required without O(restore).
    type: raw
    aliases: [name]
  state:
    description:
      - V(present) sets the settings in O(config).
      - V(absent) removes the settings in O(keys), or with O(remove_all) all settings that the groups override. The
        defaults of the brokers then apply.
    type: str
    choices: [present, absent]
    default: present
  config:
    description:
      - The settings to set, by name. Requires O(state=present). Other settings are not changed.
      - V(null) removes a setting.
      - Settings that the brokers do not know are rejected, with a list of the known settings, before anything is sent.
    type: dict
  keys:
    description:
      - The names of the settings to remove. Requires O(state=absent).
      - With O(state=absent), either O(keys) or O(remove_all=true) is required.
    type: list
    elements: str
  remove_all:
    description:
      - Whether to remove all settings that the groups override. Requires O(state=absent).
    type: bool
    default: false
  restore:
    description:
      - Set the settings in a back-up of M(kafkaops.groups.consumer_group) with
        O(kafkaops.groups.consumer_group#module:configs=true). Requires O(state=present).
      - All settings of the back-up are restored, or only those of O(names). Settings that are not in the back-up are
        not changed. A group of the back-up without settings has no item in RV(results).
    type: dict
    suboptions:
      path:
        description: The path of the back-up, on the host that the module runs on.
        type: path
        required: true
      any_cluster:
        description: Whether to restore a back-up of another cluster. If V(false), such a back-up is rejected.
        type: bool
        default: false
      missing_only:
        description: Whether to restore only settings that the group does not override now. Other settings are kept.
        type: bool
        default: false
  max_changes:
    description:
      - Maximum number of settings to set and remove in this task. If more changes are planned, the task fails before
        anything is changed.
      - By default, there is no limit.
    type: int
notes:
  - >-
    Permissions: DESCRIBE_CONFIGS on each group to show settings, ALTER_CONFIGS on each group to change them, which
    implies DESCRIBE_CONFIGS. Check mode does not detect that ALTER_CONFIGS is missing.
  - Requires brokers of Kafka 4.0 or newer. Which settings exist depends on the version.
  - All changes of a group are made, or none. If the brokers reject one value, all changes of the group fail with
    C(INVALID_CONFIG). Check mode does not detect this.
seealso:
  - module: kafkaops.groups.consumer_group
  - module: kafkaops.groups.consumer_group_info
"""

EXAMPLES = r"""
- name: Configure groups
  hosts: localhost
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka:
      bootstrap_servers: [kafka-1.example.com:9092]
  tasks:
    - name: Let the members of a group be away for five minutes
      kafkaops.groups.group_config:
        name: reports
        config:
          consumer.session.timeout.ms: 300000

    - name: Read a topic from its beginning with a share group
      kafkaops.groups.group_config:
        name: work
        config:
          share.auto.offset.reset: earliest

    - name: Show the settings of two groups
      kafkaops.groups.group_config:
        names: [reports, work]

    - name: Restore the settings of a group that was deleted
      kafkaops.groups.group_config:
        name: reports
        restore:
          path: /var/backups/kafka/groups-20260131T120000Z.json

    - name: Remove all settings of a group
      kafkaops.groups.group_config:
        name: reports
        state: absent
        remove_all: true
"""

RETURN = r"""
results:
  description:
    - One item per group and setting. A group without settings is one item.
    - The items that O(detail) selects, in the order of processing.
  returned: unless the task fails before the settings were read
  type: list
  elements: dict
  contains:
    group:
      description: The name of the group.
      returned: success
      type: str
      sample: reports
    setting:
      description: The name of the setting. V(null) for a group without settings, or whose settings could not be read.
      returned: success
      type: str
      sample: consumer.session.timeout.ms
    action:
      description:
        - The planned action, V(set_config) or V(delete_config).
        - V(none) if no change is needed.
      returned: success
      type: str
      sample: set_config
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
      description: The setting before the change. V(null) if the default of the brokers applied.
      returned: success
      type: dict
      contains:
        value:
          description: The value, as Kafka spells it.
          returned: success
          type: str
          sample: "45000"
    after:
      description: The setting after the change, as in RV(results[].before). V(null) if the default applies.
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
          sample: "changing settings needs ALTER_CONFIGS on group 'reports'"
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
  description: Always V(null). Settings are not backed up.
  returned: unless the task fails before the first item
  type: str
  sample: null
requests:
  description: The number of requests of each type that were sent to the brokers.
  returned: unless the task fails before the first item
  type: dict
  sample:
    DescribeConfigs: 1
    IncrementalAlterConfigs: 1
diff:
  description: The changes, with one line per item, for every value of O(detail).
  returned: in diff mode, unless the task fails before the first item
  type: dict
  contains:
    before:
      description: The changed settings before the change. Settings that were not set have no line.
      returned: success
      type: str
      sample: ""
    after:
      description: The changed settings after the change. Removed settings have no line.
      returned: success
      type: str
      sample: "group 'reports', setting 'consumer.session.timeout.ms': 300000\n"
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import RESULTS_SPEC, run
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import group_configs


def main() -> None:
    run(
        {
            "names": {"type": "raw", "aliases": ["name"]},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "config": {"type": "dict"},
            "keys": {"type": "list", "elements": "str", "no_log": False},
            "remove_all": {"type": "bool", "default": False},
            "restore": {
                "type": "dict",
                "options": {
                    "path": {"type": "path", "required": True},
                    "any_cluster": {"type": "bool", "default": False},
                    "missing_only": {"type": "bool", "default": False},
                },
            },
            "max_changes": {"type": "int"},
            **RESULTS_SPEC,
        },
        group_configs.parse,
        group_configs.change_configs,
        mutually_exclusive=[("config", "keys", "restore")],
        required_one_of=[("names", "restore")],
    )


if __name__ == "__main__":
    main()

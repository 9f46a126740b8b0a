# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: connection
short_description: Read the connection options from the environment of the controller
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Returns the connection options that are set in the environment of the controller, such as
    E(KAFKA_BOOTSTRAP_SERVERS), with the contents of files in place of their paths.
  - Environment variables do not reach modules that run on another host. With this lookup, they get the credential of an
    AWX job. The result contains secrets.
options:
  _terms:
    description:
      - Optionally, one dictionary of connection options, which override the environment and are returned, too. The path
        of a file also overrides its content, and the content its path.
    type: list
    elements: dict
"""

EXAMPLES = r"""
- name: Work on a remote host with the environment of the controller
  hosts: ops.example.com
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka: "{{ lookup('kafkaops.groups.connection') }}"
  tasks:
    - name: List the groups
      kafkaops.groups.consumer_group_info:

- name: Use the CA certificates of the remote host
  hosts: ops.example.com
  gather_facts: false
  module_defaults:
    group/kafkaops.groups.kafka: "{{ lookup('kafkaops.groups.connection', {'ssl_cafile': '/etc/kafka/ca.pem'}) }}"
  tasks:
    - name: List the groups
      kafkaops.groups.consumer_group_info:
"""

RETURN = r"""
_raw:
  description: One dictionary of connection options.
  type: list
  elements: dict
"""

import collections.abc as c
import os
import typing as t

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase
from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import CONNECTION_SPEC
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.options import FILES

_OF_THE_SAME_FILE = {**FILES, **{content: path for path, content in FILES.items()}}


def connection(environment: c.Mapping[str, str], given: c.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the connection options that are given or that an environment sets; an empty variable counts as not set.

    Raises:
        AnsibleError: a file of theirs cannot be read.
    """
    options = dict(given)
    for option, spec in CONNECTION_SPEC.items():
        (variable,) = spec["fallback"][1]
        value = environment.get(variable)
        if not value or option in given or _OF_THE_SAME_FILE.get(option) in given:
            continue
        if option in FILES:
            options[FILES[option]] = _content(variable, value)
        else:
            # of a path and a content in the environment, the path is used
            options.setdefault(option, value)
    return options


def _content(variable: str, path: str) -> str:
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as exc:
        raise AnsibleError(f"{variable}: {path} cannot be read on the controller: {exc}") from None


class LookupModule(LookupBase):
    """Reads the connection from the environment."""

    def run(
        self, terms: list[t.Any], variables: dict[str, t.Any] | None = None, **kwargs: t.Any
    ) -> list[dict[str, t.Any]]:
        self.set_options(var_options=variables, direct=kwargs)
        given = terms or [{}]
        if len(given) > 1 or not isinstance(given[0], c.Mapping):
            raise AnsibleError("The lookup kafkaops.groups.connection takes one dictionary of connection options.")
        return [connection(os.environ, given[0])]

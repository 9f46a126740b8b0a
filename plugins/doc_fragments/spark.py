# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options of the modules that run Apache Spark."""

    DOCUMENTATION = r"""
options:
  master:
    description:
      - The Spark master. V(local[*]) uses all cores of this host.
      - For a cluster, use the master URL of Spark, such as V(spark://host:7077). Its executors must be able to access
        O(output).
    type: str
    default: local[*]
  spark_conf:
    description:
      - Additional Spark properties, such as C(spark.driver.memory).
      - The properties are passed in a private file, not on the command line of Spark.
      - B(Do not put secrets here.) Ansible logs the arguments of tasks. Put Spark secrets into
        C(spark-defaults.conf), or set C(no_log) on the task.
    type: dict
    default: {}
"""

#!/usr/bin/python

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_report
short_description: Report the latest audits of all clusters on one page
version_added: 0.1.0
author:
  - kafkaops.groups contributors (@kafkaops)
description:
  - Read the audits of several clusters that M(kafkaops.groups.consumer_offsets_audit) has written to one location, and
    write one HTML file with the latest audit of each cluster. It shows the number of groups, stale groups and findings,
    the lag, the age of the audit, and how these numbers developed, with links to the reports.
  - Apache Spark counts the rows of the tables C(groups) and C(findings). The module does not connect to the brokers.
extends_documentation_fragment:
  - kafkaops.groups.spark
  - kafkaops.groups.attributes
requirements:
  - Java >= 17
  - pyspark, pyarrow and jinja2, as in C(meta/requirements.txt)
attributes:
  check_mode:
    support: full
    details:
      - The audits are read, and the page is compared with O(dest), but not written. The log of Spark is written.
  diff_mode:
    support: none
  idempotent:
    support: full
    details:
      - The page is only written if its content changes. It does not contain the time of the run. Its script computes
        the age of each audit when the page is opened.
options:
  output:
    description:
      - The location of the audits, as O(kafkaops.groups.consumer_offsets_audit#module:output) of the audits. It is not
        changed.
      - Put the JARs of a Hadoop file system, and the JARs and properties of the formats of the tables, into
        O(spark_conf), and the credentials of the file system into C(spark-defaults.conf) or the environment, as for an
        audit.
    type: path
    required: true
  dest:
    description:
      - The path of the HTML file to write, on the host that the module runs on. An existing file is replaced
        atomically.
      - The log of Spark is next to it, with the suffix C(.log).
    type: path
    required: true
  base_url:
    description:
      - The URL at which a web server provides the files of O(output). The page then links to
        C(<base_url>/audits/<id>/report.html).
      - By default, links to the reports are relative to O(dest) if O(output) is a folder. If O(output) is a URI, which
        browsers cannot open, the page contains the URIs of the reports without a link.
    type: str
  cluster_names:
    description:
      - Names for clusters, by their cluster ID. The page shows the ID of a cluster without a name.
      - A warning names each of these clusters that has no audit.
    type: dict
    default: {}
  max_age:
    description:
      - The page marks an audit that is older than this, a duration in the format of
        O(kafkaops.groups.consumer_offsets_audit#module:stale_after).
    type: str
    default: 7d
  timeout:
    description: The maximum time for the whole task, in seconds.
    type: float
    default: 600
notes:
  - >-
    Permissions: none on the clusters. The user that the module runs as must be able to read O(output).
  - Audits that cannot be read are in RV(unreadable), in the warnings of the task and on the page. These are audits
    without a manifest, because they are still running or ended early, audits with a damaged manifest, and audits of
    which a table cannot be read or lacks rows. The page then has the last audit of the cluster that can be read.
  - The trends of a cluster contain its last audits, at most 30, with the criteria of its latest audit.
  - The page contains all clusters, but no groups. Select groups of several clusters with C(spark.read), see
    R(the guide on tables, ansible_collections.kafkaops.groups.docsite.audit_tables).
seealso:
  - module: kafkaops.groups.consumer_offsets_audit
"""

EXAMPLES = r"""
- name: Report the audits of several clusters
  hosts: localhost
  gather_facts: false
  tasks:
    - name: Report the audits of all clusters
      kafkaops.groups.fleet_report:
        output: /var/lib/kafka-audit
        dest: /var/lib/kafka-audit/fleet.html
        cluster_names:
          LqMsGZkBQkaXCRaSfF1jDg: production
        max_age: 2d
      register: fleet

    - name: Report the audits in an object store, with links to the web server that provides them
      kafkaops.groups.fleet_report:
        output: s3a://kafka-audits/all
        dest: /srv/www/fleet.html
        base_url: https://audits.example.com/all
        spark_conf:
          spark.jars.packages: org.apache.hadoop:hadoop-aws:3.5.0
"""

RETURN = r"""
report:
  description: The path of the page, O(dest).
  returned: success
  type: str
  sample: /var/lib/kafka-audit/fleet.html
clusters:
  description: The latest audit of each cluster that can be read, sorted by the ID of the cluster.
  returned: success
  type: list
  elements: dict
  contains:
    cluster_id:
      description: The ID of the cluster.
      returned: success
      type: str
      sample: LqMsGZkBQkaXCRaSfF1jDg
    name:
      description: The name of the cluster in O(cluster_names), null if it has none.
      returned: success
      type: str
      sample: production
    audit_id:
      description: The audit.
      returned: success
      type: str
      sample: 20260131T120000Z-5f0c9a17
    audited_at:
      description: The time of the audit.
      returned: success
      type: str
      sample: "2026-01-31T12:00:00+00:00"
    old:
      description: Whether the audit is older than O(max_age).
      returned: success
      type: bool
      sample: false
    complete:
      description: Whether the audit has read the whole topic and all groups.
      returned: success
      type: bool
      sample: true
    audits:
      description: The number of audits of the cluster in O(output).
      returned: success
      type: int
      sample: 30
    report:
      description: The path or the URI of the report of the audit.
      returned: success
      type: str
      sample: /var/lib/kafka-audit/audits/20260131T120000Z-5f0c9a17/report.html
    groups:
      description: The number of groups.
      returned: success
      type: int
      sample: 20000
    stale_groups:
      description: The number of stale groups.
      returned: success
      type: int
      sample: 310
    findings:
      description: The number of findings.
      returned: success
      type: int
      sample: 412
    planned:
      description: The number of findings that are in the plan.
      returned: success
      type: int
      sample: 332
    known_lag:
      description: The sum of the lags that are known, null if no lag is known.
      returned: success
      type: int
      sample: 1480000
unreadable:
  description: The audits that cannot be read, with C(audit_id) and C(reason).
  returned: success
  type: list
  elements: dict
  sample: []
"""

from ansible_collections.kafkaops.groups.plugins.module_utils._ansible import run_on_files
from ansible_collections.kafkaops.groups.plugins.module_utils._audit import fleet
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.options import SPARK_SPEC


def main() -> None:
    run_on_files(
        {
            "output": {"type": "path", "required": True},
            "dest": {"type": "path", "required": True},
            "base_url": {"type": "str"},
            "cluster_names": {"type": "dict", "default": {}},
            "max_age": {"type": "str", "default": "7d"},
            "timeout": {"type": "float", "default": 600},
            **SPARK_SPEC,
        },
        fleet.parse,
        fleet.write_report,
    )


if __name__ == "__main__":
    main()

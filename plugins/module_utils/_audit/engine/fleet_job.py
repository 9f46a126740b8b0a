# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The process that Spark runs in for C(fleet_report), as `job` is the one of an audit."""

from __future__ import annotations

import sys

from . import fleet, job

if __name__ == "__main__":
    job.run(sys.argv[1], fleet.FleetSettings.load, fleet.report)

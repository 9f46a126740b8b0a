# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""C(spark.read.format("consumer_offsets")) for notebooks; see the guide on the audit at scale."""

from __future__ import annotations

import typing as t

from ansible.module_utils.common.parameters import set_fallbacks

from ._ansible import CONNECTION_SPEC
from ._audit.ingest import datasource, merge
from ._audit.libraries import DataFrame, SparkSession, StorageLevel
from ._errors import InvalidOption
from ._kafka.options import Connection


def register(spark: SparkSession, **options: t.Any) -> None:
    """Register the data source C(consumer_offsets) in a session, with the connection to a cluster.

    Args:
        options: the connection options of the modules; the environment variables are used as in modules.

    Raises:
        TaskError: an option is unknown or invalid.
    """
    unknown = sorted(options.keys() - CONNECTION_SPEC.keys())
    if unknown:
        raise InvalidOption(f"{unknown[0]} is not a connection option: check its name.")
    given = dict(options)
    set_fallbacks(CONNECTION_SPEC, given)
    defaults = {name: spec.get("default") for name, spec in CONNECTION_SPEC.items()}
    datasource.register(spark, Connection.from_params({**defaults, **given}))


def latest(rows: DataFrame) -> DataFrame:
    """Return one row for each key, and one for each group and day, of the rows of the data source.

    If the topic has more keys than an executor may keep in memory, the data source returns several rows for some keys.
    """
    # read once: each read has other ends, and other keys of which it returns several rows
    return merge.merged(rows.persist(StorageLevel.MEMORY_AND_DISK))

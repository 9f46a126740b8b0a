# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Combine the rows of two consecutive scans in this process, as `merge.continued` does it in Spark.

For few rows, to build and start the queries of Spark takes far longer than to run them.
"""

from __future__ import annotations

import functools
import itertools
import operator
import typing as t

from ..libraries import pa, pc
from . import records
from .merge import OF_DAY, SUMS
from .spans import Column

_RANGE = ("source_partition", "key", "source_offset", "group", "day", "first_generation", "last_generation")

Row = dict[str, t.Any]


def continued(earlier: pa.Table, later: pa.Table) -> pa.Table:
    """Combine the rows of two scans, of which the later one read the records after those of the earlier one.

    Args:
        earlier: the result of `merge.kept`.
        later: one row for each key, as from a keyed scan.
    """
    both = pa.concat_tables([earlier, later])
    old, new = _records(earlier), _records(later)
    generations = _generations(both)
    return pa.concat_tables(
        [
            old.filter(pc.invert(pc.is_in(_keys(old), value_set=_keys(new)))),
            new,
            _activity(both, _counted_twice(generations)),
            _table([_joined(of_group) for of_group in generations]),
        ]
    )


def _records(rows: pa.Table) -> pa.Table:
    return rows.filter(pc.and_(pc.not_equal(rows["kind"], pa.scalar(records.GENERATIONS)), rows["key"].is_valid()))


def _keys(rows: pa.Table) -> Column:
    """Return the partition and the key of each row in one value."""
    parts: list[t.Any] = [rows["source_partition"].cast(pa.string()).cast(pa.binary()), rows["key"], pa.scalar(b" ")]
    keys: Column = pc.binary_join_element_wise(*parts)
    return keys


def _of_kind(rows: pa.Table, kind: str) -> pa.Table:
    return rows.filter(pc.equal(rows["kind"], pa.scalar(kind)))


def _generations(rows: pa.Table) -> list[list[Row]]:
    """Return the rows of generations of each group, in order of offsets."""
    found = _of_kind(rows, records.GENERATIONS).select(_RANGE).to_pylist()
    found.sort(key=operator.itemgetter(*_RANGE[:3]))
    return [list(of_group) for _key, of_group in itertools.groupby(found, key=operator.itemgetter(*_RANGE[:2]))]


def _counted_twice(generations: list[list[Row]]) -> list[Row]:
    """Return -1 for each first rebalance of consecutive records whose generation the records before already had."""
    return [
        {**{name: after[name] for name in OF_DAY}, "kind": records.ACTIVITY, "rebalances": -1}
        for of_group in generations
        for before, after in itertools.pairwise(of_group)
        if after["first_generation"] is not None and before["last_generation"] == after["first_generation"]
    ]


def _joined(of_group: list[Row]) -> Row:
    """Return the generations of a group over all of its records."""
    return {**of_group[0], "kind": records.GENERATIONS, "last_generation": of_group[-1]["last_generation"]}


def _activity(rows: pa.Table, corrections: list[Row]) -> pa.Table:
    """Return the sums of each group and day."""
    counts = pa.concat_tables([_of_kind(rows, records.ACTIVITY), _table(corrections)])
    functions: list[t.Any] = [("timestamp", "max"), *((name, "sum") for name in SUMS)]
    summed = counts.group_by(list(OF_DAY)).aggregate(functions)
    columns: dict[str, Column] = {name: summed[name] for name in OF_DAY}
    columns |= {name: summed[f"{name}_{function}"] for name, function in functions}
    columns["kind"] = pa.repeat(records.ACTIVITY, summed.num_rows)
    schema = records.schema()
    found = pa.table(
        [columns.get(field.name, pa.nulls(summed.num_rows, field.type)) for field in schema], schema=schema
    )
    # not a day of nothing but a rebalance that was counted twice
    positive: list[Column] = [pc.greater(found[name], pa.scalar(0)).fill_null(False) for name in SUMS]
    return found.filter(functools.reduce(pc.or_, positive))


def _table(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=records.schema())

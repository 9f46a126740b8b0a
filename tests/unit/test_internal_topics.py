# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which topics are deleted with a streams group, whatever topology its members declared."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from types import SimpleNamespace as Simple
from typing import Any

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.model import Subtopology, Topology
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _internal_topics

from tests.unit.values import group, topic

WARNED = "without the name of an internal topic of the group, first"


class Topics:
    """A driver for which every topic exists."""

    async def read(self, _handler: Any, names: Iterable[str]) -> dict[str, Any]:
        return {name: topic(name) for name in names}


def topology(*internal: str, sources: tuple[str, ...] = ("orders",)) -> Topology:
    return Topology(0, (Subtopology("0", sources, internal[1:], (), internal[:1]),))


@pytest.mark.parametrize(
    ("described", "deleted", "warned"),
    [
        (
            topology("app-counts-changelog", "app-by-repartition"),
            ["app-by-repartition", "app-counts-changelog"],
            None,
        ),
        (topology("app-KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000006-topic"), 1, None),
        (topology("app-x-subscription-response-topic"), 1, None),
        (topology("orders-changelog", "app-x-changelog"), ["app-x-changelog"], "orders-changelog"),
        (topology("payments"), [], "payments"),
        (topology("app-payments"), [], "app-payments"),
        (topology("application-counts-changelog"), [], "application-counts-changelog"),
        (topology("app-x-changelog-v2"), [], "app-x-changelog-v2"),
        (topology("__consumer_offsets"), [], "__consumer_offsets"),
        (topology("app-x-changelog", sources=("app-x-changelog",)), [], None),
        (None, [], None),
    ],
)
def test_topics_of_other_names_are_kept(described: Topology | None, deleted: Any, warned: str | None) -> None:
    session: Any = Simple(driver=Topics(), warnings=[])
    groups = [
        group("app", type="streams", topology=described),
        group("classic", topology=topology("classic-changelog")),
    ]
    items = asyncio.run(_internal_topics.deletions(session, [*groups, None]))
    found = [item.target.topic for item in items if item.changed]
    assert (len(found) if isinstance(deleted, int) else found) == deleted
    assert [
        message.partition(f"{WARNED} '")[2].partition("'")[0] for message in session.warnings if WARNED in message
    ] == ([] if warned is None else [warned])

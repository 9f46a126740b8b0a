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
from ansible_collections.kafkaops.groups.plugins.module_utils._operations import _find_groups, _internal_topics

from tests.unit.values import group, topic

WARNED = "without the name of an internal topic of the group, first"


class Topics:
    """A driver for which every topic exists."""

    async def read(self, _handler: Any, names: Iterable[str]) -> dict[str, Any]:
        return {name: topic(name) for name in names}


def listing(monkeypatch: pytest.MonkeyPatch, *names: str, problems: int = 0) -> None:
    """Let the brokers list these groups, and some of them not answer."""

    async def listed(_session: Any, _states: Any, _types: Any, gathered: Any) -> None:
        gathered.groups.update(dict.fromkeys(names))
        gathered.errors.extend([{}] * problems)

    monkeypatch.setattr(_find_groups, "listed", listed)


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
def test_topics_of_other_names_are_kept(
    monkeypatch: pytest.MonkeyPatch, described: Topology | None, deleted: Any, warned: str | None
) -> None:
    session: Any = Simple(driver=Topics(), warnings=[])
    listing(monkeypatch, "app")
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


@pytest.mark.parametrize(
    ("names", "problems", "deleted", "warning"),
    [
        (["app", "app-x-y", "ap", "other"], 0, ["app-x-changelog"], None),
        (["app", "app-x"], 0, [], "'app-x-changelog' may belong to group 'app-x': not deleted"),
        (["app"], 1, [], "a broker did not list its groups, so no internal topic is deleted"),
    ],
)
def test_topics_that_may_be_those_of_another_group_are_kept(
    monkeypatch: pytest.MonkeyPatch, names: list[str], problems: int, deleted: list[str], warning: str | None
) -> None:
    session: Any = Simple(driver=Topics(), warnings=[])
    listing(monkeypatch, *names, problems=problems)
    described = group("app", type="streams", topology=topology("app-x-changelog"))
    items = asyncio.run(_internal_topics.deletions(session, [described]))
    assert [item.target.topic for item in items if item.changed] == deleted
    assert session.warnings == ([] if warning is None else [f"internal_topics: {warning}"])

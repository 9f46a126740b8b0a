# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Delete, set and restore the start offsets of share groups (KIP-932): read, plan, back up, apply."""

from __future__ import annotations

from .._kafka.errors import KafkaError
from .._kafka.model import TopicPartition
from .._kafka.session import Session
from . import _share_apply, _share_plan
from ._find_groups import matching
from ._partition_errors import OffsetItem, missing_topics, topic_problem
from ._precondition import Precondition
from ._read_groups import absent_group_operations, describe, known_offsets, read_start_offsets
from ._read_topics import Seen, describe_topics
from ._reset import partitions_matching, reset_times, target_logs
from ._safeguards import back_up, limit, snapshots, unread_warning
from ._saved_offsets import Saved, other_groups, other_groups_warning, read_backup
from ._share_plan import View, wanted_partitions
from ._share_request import Request
from .results import DELETE_OFFSET, SET_OFFSET, Report


async def change_share_offsets(request: Request, session: Session) -> Report:
    """Delete, set or restore start offsets as C(share_group_offsets) asks."""
    saved = None
    if request.match is not None:
        request = request._replace(groups={key: {} for key in await matching(session, request.match, share=True)})
    if request.restore is not None:
        saved = read_backup(request.restore, list(request.groups), session, share=True)
    view = await read(request, session, saved)
    items = limit(_plan(request, session, view), [DELETE_OFFSET, SET_OFFSET], request.max_changes)
    offsets = known_offsets(view.found)
    groups = snapshots(items, view.groups, offsets) if request.backup is not None else []
    session.warnings += unread_warning(groups, view.found)
    backup_file = await back_up(session, request.backup, groups)
    if not session.check_mode:
        before = {name: found for name, found in offsets.items() if not isinstance(found, KafkaError)}
        stays = saved is not None and saved.missing_only
        depends = request.backup is not None or stays
        precondition = Precondition(before if depends else None, share_groups=frozenset(before))
        items = await _share_apply.apply(request, session, items, precondition)
    return Report(items, backup_file, {} if saved is None else {"other_groups": sorted(saved.others)})


def _plan(request: Request, session: Session, view: View) -> list[OffsetItem]:
    """Return what to do with each partition, and with groups that this module does not restore; warn of the rest."""
    if request.state == "absent":
        session.warnings += missing_topics(view.topics)
        return _share_plan.plan_deletion(request, view)
    if request.chosen_topics is not None:
        session.warnings += [
            f"group '{name}' has no start offsets on the selected topics, so none is reset"
            for name, chosen in view.chosen.items()
            if not chosen and not isinstance(view.found[name], KafkaError)
        ]
    items = _share_plan.plan_setting(request, view)
    if request.restore is None or view.saved is None:
        return items
    session.warnings += [] if request.groups else other_groups_warning(view.saved, request.restore.path)
    return items + other_groups(view.saved, named=bool(request.groups))


async def read(request: Request, session: Session, saved: Saved | None) -> View:
    """Read the groups, their start offsets, and the topics and logs that the request needs."""
    names = list(request.groups if saved is None else saved.groups)
    groups = await describe(session, names, request.needed)
    found = await read_start_offsets(session, names)
    chosen = request.groups
    if request.chosen_topics is not None:
        chosen = {name: partitions_matching(found[name], request.chosen_topics) for name in names}
    view = View(groups, {}, found, {}, {}, chosen, saved)
    topics = await describe_topics(session, _named_topics(request, view))
    if request.state == "absent":
        return view._replace(topics=topics)
    # after the start offsets, see C(_share_plan.is_unread)
    readable = _readable(request, view, topics)
    logs = await target_logs(session, readable, reset_times(request.reset, readable))
    absent = await absent_group_operations(session, [name for name, group in groups.items() if group is None])
    return view._replace(topics=topics, logs=logs, operations=absent)


def _named_topics(request: Request, view: View) -> set[str]:
    if view.saved is not None:
        return {where.topic for offsets in view.saved.groups.values() for where in offsets}
    return {
        *(where.topic for where in request.offsets or ()),
        *(name for each in view.chosen.values() for name in each),
    }


def _readable(request: Request, view: View, topics: Seen) -> set[TopicPartition]:
    return {
        where
        for name in view.groups
        for where in wanted_partitions(request, view, name, topics)
        if topic_problem(where, topics[where.topic]) is None
    }

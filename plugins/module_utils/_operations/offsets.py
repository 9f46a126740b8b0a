# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Delete or set committed offsets (KIP-496): read, plan, back up, apply."""

from __future__ import annotations

from .._kafka.errors import KafkaError
from .._kafka.model import Offsets
from .._kafka.session import Session
from . import delete_offsets, set_offsets
from ._offset_request import Request
from ._plan_changes import changed_offsets, plan_result, read_plan, skip_changed, skipped_warning
from ._precondition import Precondition
from ._read_groups import absent_group_operations, committed_now, describe_at_rest
from ._read_topics import describe_topics
from ._reset import partitions_matching
from ._safeguards import back_up, limit, snapshots
from ._saved_offsets import Saved, other_groups, other_groups_warning, read_backup, read_group, saved_topics
from .results import DELETE_OFFSET, SET_OFFSET, Report


async def change_offsets(request: Request, session: Session) -> Report:
    """Delete or set committed offsets as C(consumer_group_offsets) asks."""
    given = read_plan(request.plan, session.wire.cluster_id)
    expected = None if given is None else given.owned_by(request.owners).delete_offsets
    if expected is not None:
        request = request._replace(groups=delete_offsets.by_group(expected))
    if request.match is not None:
        # not above: most tasks name their groups
        from ._find_groups import matching

        request = request._replace(groups={key: {} for key in await matching(session, request.match, share=False)})
    saved = await _read_saved(request, session)
    names = list(saved.groups if saved is not None else request.groups)
    # answered while groups are read
    of_groups = request.unsubscribed or request.committed_topics is not None
    asked = None if of_groups else session.wire.start(describe_topics(session, _named_topics(request, saved)))
    needed = "DELETE" if request.state == "absent" else "READ"
    groups = await describe_at_rest(session, names, needed)
    unread = {name: group for name, group in groups.items() if isinstance(group, KafkaError)}
    offsets = {**unread, **await committed_now(session, [name for name in names if name not in unread])}
    # if the coordinator has just taken over, only the offsets show that these groups exist
    unseen = [name for name, group in groups.items() if group is None and offsets[name]]
    groups.update(await describe_at_rest(session, unseen, needed))
    if request.committed_topics is not None:
        chosen = {name: partitions_matching(offsets[name], request.committed_topics) for name in names}
        request = request._replace(groups=chosen)
        session.warnings += [
            f"group '{name}' has no committed offsets on the selected topics, so none is reset"
            for name, topics_ in chosen.items()
            if not topics_ and not isinstance(offsets[name], KafkaError)
        ]
    topics = await (asked or describe_topics(session, _committed_topics(offsets)))
    if request.state == "absent":
        items, warnings = delete_offsets.plan(request, groups, offsets, topics)
        session.warnings += warnings
        if expected is not None:
            items = skip_changed(items, changed_offsets(expected, groups, offsets))
        items = limit(items, [DELETE_OFFSET], request.max_changes)
    else:
        if saved is not None and request.copy_from is not None:
            saved = saved.of_current_topics(topics)
        logs = await set_offsets.needed_logs(session, request, saved, topics)
        targets = set_offsets.targets(request, saved, offsets, topics, logs)
        absent = await absent_group_operations(session, [name for name, group in groups.items() if group is None])
        unknown = set_offsets.unknown_topics(request, topics)
        items = set_offsets.plan(targets, groups, absent, offsets, topics, unknown)
        if request.restore is not None and saved is not None:
            items += other_groups(saved, named=bool(request.groups))
            session.warnings += [] if request.groups else other_groups_warning(saved, request.restore.path)
        items = limit(items, [SET_OFFSET], request.max_changes)
    backup_file = await back_up(session, request.backup, snapshots(items, groups, offsets))
    if not session.check_mode:
        read = {name: found for name, found in offsets.items() if not isinstance(found, KafkaError)}
        stays = saved is not None and saved.missing_only
        depends = request.backup is not None or expected is not None or stays
        precondition = Precondition(read if depends else None, from_plan=expected is not None)
        apply = delete_offsets.apply if request.state == "absent" else set_offsets.apply
        items = await apply(session, items, precondition)
    if expected is not None:
        session.warnings += skipped_warning(items)
    if request.restore is None or saved is None:
        return Report(items, backup_file, plan_result(given))
    return Report(items, backup_file, {"other_groups": sorted(saved.others)})


async def _read_saved(request: Request, session: Session) -> Saved | None:
    if request.copy_from is not None:
        (target,) = request.groups
        return await read_group(target, request.copy_from, session)
    return None if request.restore is None else read_backup(request.restore, list(request.groups), session, share=False)


def _named_topics(request: Request, saved: Saved | None) -> set[str]:
    if saved is not None:
        return saved_topics(saved)
    if request.offsets is not None:
        return {where.topic for where in request.offsets}
    return {name for topics in request.groups.values() for name in topics}


def _committed_topics(offsets: dict[str, Offsets | KafkaError]) -> set[str]:
    return {where.topic for found in offsets.values() if not isinstance(found, KafkaError) for where in found}

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""List and delete topics: read, plan, apply."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .. import _input as inputs
from .._kafka.errors import KafkaError, error
from .._kafka.model import Topic, TopicPartition, is_internal
from .._kafka.rpc.delete_topics import DeleteTopics
from .._kafka.session import Session
from ._read_topics import Logs, Seen, describe_topics, list_topics, log_errors, read_logs
from ._safeguards import limit
from .results import DELETE_TOPIC, InternalTopicTarget, Item, Report, TopicTarget

# brokers learn of a deletion one after the other
_SPREAD = 5.0
TopicItem = Item[TopicTarget]
T = t.TypeVar("T", InternalTopicTarget, TopicTarget)

_UNSURE = ("REQUEST_TIMED_OUT", "UNKNOWN_TOPIC_ID")


class Deletion(t.NamedTuple):
    """The task of C(topic): which topics to delete, and how many at most."""

    names: list[str]
    max_changes: int | None


class Question(t.NamedTuple):
    """The task of C(topic_info): which topics, by name or by pattern, and whether to look at their logs."""

    names: list[str] | None
    matches: c.Callable[[str], bool]
    log: bool


def parse_deletion(params: dict[str, t.Any]) -> Deletion:
    """Return what C(topic) asks for; raises TaskError where an option cannot be."""
    return Deletion(
        inputs.texts(params["names"], "names", inputs.topic_name),
        inputs.optional_natural(params["max_changes"], "max_changes"),
    )


def parse_question(params: dict[str, t.Any]) -> Question:
    """Return what C(topic_info) asks for; raises TaskError where an option cannot be."""
    return Question(
        None if params["names"] is None else inputs.texts(params["names"], "names", inputs.topic_name),
        inputs.patterns(params["match"], "match"),
        params["log"],
    )


async def topic_info(question: Question, session: Session) -> dict[str, t.Any]:
    """Return C(topics), C(missing) and C(errors) as C(topic_info) asks."""
    names = question.names
    if names is None:
        names = [name for name in await list_topics(session) if question.matches(name)]
    seen = await describe_topics(session, names)
    topics = {name: topic for name, topic in sorted(seen.items()) if isinstance(topic, Topic)}
    failures = {name: found for name, found in sorted(seen.items()) if isinstance(found, KafkaError)}
    gone = [name for name, problem in failures.items() if problem.name == "UNKNOWN_TOPIC_OR_PARTITION"]
    partitions = [TopicPartition(name, number) for name, topic in topics.items() for number in sorted(topic.partitions)]
    logs = await read_logs(session, partitions) if question.log else {}
    return {
        "cluster_id": session.wire.cluster_id,
        "topics": [_described(topic, logs) for topic in topics.values()],
        # one that was listed, and then deleted, was not asked for
        "missing": gone if question.names is not None else [],
        "errors": [
            *({"topic": name, "error": _hidden(name, failures[name])} for name in failures if name not in gone),
            *log_errors(logs),
        ],
    }


def _hidden(name: str, problem: KafkaError) -> dict[str, t.Any]:
    if problem.name == "TOPIC_AUTHORIZATION_FAILED":
        problem = error(problem.name, f"this needs DESCRIBE on topic '{name}'")
    return problem.as_result()


def _described(topic: Topic, logs: Logs) -> dict[str, t.Any]:
    found = {number: logs.get(TopicPartition(topic.name, number)) for number in sorted(topic.partitions)}
    return {
        "name": topic.name,
        **topic.as_result(),
        "internal": topic.internal,
        "permissions": sorted(topic.operations),
        "log": [
            {"partition": number, "start": log[0], "end": log[1]}
            for number, log in found.items()
            if log is not None and not isinstance(log, KafkaError)
        ],
    }


async def delete_topics(request: Deletion, session: Session) -> Report:
    """Delete topics as C(topic) asks."""
    seen = await describe_topics(session, request.names)
    items = limit(plan({name: seen[name] for name in request.names}), [DELETE_TOPIC], request.max_changes)
    if not session.check_mode:
        items = await apply(session, items)
    return Report(items)


def plan(seen: Seen) -> list[TopicItem]:
    """Return what to do with each topic."""
    return [_plan_topic(name, topic) for name, topic in seen.items()]


def _plan_topic(name: str, topic: Topic | KafkaError) -> TopicItem:
    deletion = Item.planned(TopicTarget(name), DELETE_TOPIC, topic if isinstance(topic, Topic) else None)
    if is_internal(name) or (isinstance(topic, Topic) and topic.internal):
        return deletion.failed(error("INVALID_REQUEST", "it is one of Kafka's own topics, which are never deleted"))
    if isinstance(topic, Topic):
        return deletion if "DELETE" in topic.operations else deletion.failed(_forbidden(name))
    if topic.name == "UNKNOWN_TOPIC_OR_PARTITION":
        return deletion.unneeded()
    return deletion.failed(_forbidden(name) if topic.name == "TOPIC_AUTHORIZATION_FAILED" else topic)


def _forbidden(name: str) -> KafkaError:
    return error("TOPIC_AUTHORIZATION_FAILED", f"deleting needs DELETE on topic '{name}'")


async def apply(session: Session, items: c.Iterable[Item[T]]) -> list[Item[T]]:
    """Delete the planned topics; return the items with their outcomes."""
    planned = {item.before.name: item.before for item in items if item.changed and isinstance(item.before, Topic)}

    async def verify(names: list[str]) -> dict[str, bool | KafkaError | None]:
        now = await _described_after(session, {name: planned[name] for name in names})
        return {name: _deletion_outcome(topic, planned[name]) for name, topic in now.items()}

    deletion = DeleteTopics(planned, min(session.wire.request_timeout, session.deadline.remaining) / 2)
    answers, resent = await session.driver.change(deletion, planned, verify)
    unsure = [name for name, answer in answers.items() if not isinstance(answer, KafkaError) or answer.name in _UNSURE]
    now = await _described_after(session, {name: planned[name] for name in unsure})
    return [
        _after_deletion(item, answers[item.target.topic], now.get(item.target.topic), item.target.topic in resent)
        if item.changed
        else item
        for item in items
    ]


async def _described_after(session: Session, before: dict[str, Topic]) -> Seen:
    """Describe deleted topics until the brokers know of the deletion, for a while."""
    patience = min(_SPREAD, session.deadline.remaining / 2)
    while True:
        seen = await describe_topics(session, before)
        if patience <= 0 or all(_gone(topic, before[name]) for name, topic in seen.items()):
            return seen
        await session.wire.sleep(0.1)
        patience -= 0.1


def _gone(now: Topic | KafkaError, before: Topic) -> bool:
    """Whether a topic does not exist any more, also if there is another of its name by now."""
    if isinstance(now, KafkaError):
        return now.name == "UNKNOWN_TOPIC_OR_PARTITION"
    return now.id != before.id


def _deletion_outcome(now: Topic | KafkaError, before: Topic) -> bool | KafkaError | None:
    """Return the outcome of a deletion without a response, as the driver's C(Verify) defines it."""
    if _gone(now, before):
        return True
    if isinstance(now, KafkaError):
        return now
    # without an id, a second request might meet another topic of the name
    return None if before.id else error("REQUEST_TIMED_OUT", "the brokers did not say whether it is deleted")


def _after_deletion(item: Item[T], answer: bool | KafkaError, now: Topic | KafkaError | None, resent: bool) -> Item[T]:
    if not isinstance(answer, KafkaError):
        return item
    if answer.name == "REQUEST_TIMED_OUT":
        gone = now is not None and isinstance(item.before, Topic) and _gone(now, item.before)
        return item if gone else item.failed(answer)
    if answer.name in ("UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_ID"):
        if resent:
            # deleted by the first of two requests
            return item
        if isinstance(now, Topic):
            words = "it was recreated since it was read, and the new topic was not deleted: run the task again"
            return item.failed(error("UNKNOWN_TOPIC_ID", words))
        # deleted by another client since it was read
        return item.unneeded()
    if answer.name == "TOPIC_DELETION_DISABLED":
        words = "the brokers do not delete topics: set delete.topic.enable to true in their configuration"
        return item.failed(error(answer.name, words))
    return item.failed(answer)

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DeleteTopics: by topic id since v6 (KIP-516, Kafka 2.8), by name below."""

from __future__ import annotations

import base64
import typing as t
import uuid

from .. import library
from ..errors import from_code
from ..model import Topic
from .handler import Broker, Done, Failed, Handler, Outcome, Retry, Unmap, unique
from .metadata import spelt_id

_BATCH = 1000
_BY_ID_VERSION = 6


class DeleteTopics(Handler[str, bool]):
    """Deletes topics; the value of a deleted topic is True.

    A topic that has an id is deleted by it: one of the same name that was created meanwhile stays, and the outcome is
    UNKNOWN_TOPIC_ID.

    Args:
        topics: what to delete, by name.
        timeout: seconds that a broker waits until the deletion has spread.
    """

    broker = Broker.CONTROLLER

    def __init__(self, topics: dict[str, Topic], timeout: float) -> None:
        self._topics = topics
        self._timeout = timeout

    def batch_for(self, version: int) -> int:
        return _BATCH

    def request(self, keys: list[str]) -> t.Any:
        state = library.DeleteTopicsRequest.DeleteTopicState
        ids = {name: self._topics[name].id for name in keys}
        return library.DeleteTopicsRequest(
            topics=[
                state(name=None, topic_id=_uuid(topic_id)) if topic_id else state(name=name)
                for name, topic_id in ids.items()
            ],
            topic_names=keys,
            timeout_ms=int(self._timeout * 1000),
            min_version=_BY_ID_VERSION if any(ids.values()) else 1,
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[bool]]:
        by_id = {self._topics[name].id: name for name in keys if self._topics[name].id}
        return unique(
            (by_id.get(spelt_id(getattr(answer, "topic_id", None)), answer.name), _outcome(answer))
            for answer in response.responses
        )


def _outcome(answer: t.Any) -> Outcome[bool]:
    problem = from_code(answer.error_code, getattr(answer, "error_message", None))
    if problem is None:
        return Done(True)
    if problem.name == "NOT_CONTROLLER":
        return Unmap(problem)
    return Retry(problem) if problem.name == "THROTTLING_QUOTA_EXCEEDED" else Failed(problem)


def _uuid(spelt: str) -> uuid.UUID:
    return uuid.UUID(bytes=base64.urlsafe_b64decode(spelt + "=="))

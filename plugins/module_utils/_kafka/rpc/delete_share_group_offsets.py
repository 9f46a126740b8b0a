# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""DeleteShareGroupOffsets (KIP-932): deletes the state that a share group has of whole topics."""

from __future__ import annotations

import typing as t

from .. import typed_messages
from ..errors import KafkaError, from_code
from .handler import Done, Handler, Outcome, coordinator_outcome, requested, unique

TopicErrors = dict[str, KafkaError | None]  # pylint: disable=unsupported-binary-operation


class DeleteShareGroupOffsets(Handler[str, TopicErrors]):
    """Deletes the start offsets of topics; the value holds the error of each topic, None where they were deleted.

    Args:
        topics: the topics of each group.
    """

    def __init__(self, topics: dict[str, list[str]]) -> None:
        self._topics = topics

    def request(self, keys: list[str]) -> t.Any:
        topic = typed_messages.DeleteShareGroupOffsetsRequest.Topic
        return typed_messages.DeleteShareGroupOffsetsRequest(
            group_id=keys[0], topics=[topic(topic_name=name) for name in self._topics[keys[0]]]
        )

    def outcomes(self, keys: list[str], response: t.Any) -> dict[str, Outcome[TopicErrors]]:
        outcome = coordinator_outcome(response.error_code, response.error_message)
        if outcome is not None:
            return {keys[0]: outcome}
        found = unique((one.topic_name, from_code(one.error_code, one.error_message)) for one in response.responses)
        return {keys[0]: Done(requested(self._topics[keys[0]], found))}

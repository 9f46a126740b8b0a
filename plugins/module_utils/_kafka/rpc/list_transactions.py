# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ListTransactions (KIP-664): the transactional ids of producers, as far as a broker coordinates their transactions."""

from __future__ import annotations

import collections.abc as c
import typing as t

from .. import library
from ..errors import KafkaError, from_code


def list_transactions_request(producers: c.Iterable[int]) -> t.Any:
    """Return the request about these producer ids; the response omits those without DESCRIBE permission."""
    return library.ListTransactionsRequest(state_filters=[], producer_id_filters=sorted(producers))


def read_transactional_ids(response: t.Any) -> dict[int, tuple[str, str]] | KafkaError:
    """Return the transactional id and the state of the transaction of each producer id."""
    problem = from_code(response.error_code)
    if problem is not None:
        return problem
    return {one.producer_id: (one.transactional_id, one.transaction_state) for one in response.transaction_states}

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which failures of a login are final, and what arrives together with the end of a connection."""

from __future__ import annotations

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._errors import TaskError
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.errors import TokenRefused
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.patches import _Receive, is_refusal
from kafka import errors

KERBEROS = "Major (851968): Unspecified GSS failure.  Minor code may provide more information, Minor (1): "


@pytest.mark.parametrize(
    ("failure", "final"),
    [
        (errors.SaslAuthenticationFailedError("SaslAuthenticationFailedError: wrong password"), True),
        (errors.UnsupportedSaslMechanismError("SCRAM-SHA-512"), True),
        (errors.IllegalSaslStateError(), True),
        (TokenRefused("401"), True),
        (RuntimeError("GSSAPI lib not found!"), True),
        (ValueError(KERBEROS + "Preauthentication failed"), True),
        (ValueError(KERBEROS + "Cannot contact any KDC for realm 'KAFKA.TEST'"), False),
        (TaskError("the token URL does not answer"), False),
        (errors.KafkaConnectionError("socket disconnected"), False),
        (errors.KafkaConnectionError("Handshake failed: certificate verify failed"), False),
        (errors.KafkaTimeoutError("SASL Authentication timed out"), False),
        (errors.RequestTimedOutError(), False),
        (errors.Cancelled(), False),
    ],
)
def test_what_counts_as_a_refused_login(failure: Exception, final: bool) -> None:
    assert is_refusal(failure) == final


END = errors.KafkaConnectionError("socket disconnected")


@pytest.mark.parametrize(
    ("given", "received"),
    [
        ([(b"a", None), (b"b", END)], [(b"a", None), (b"b", None), (b"", END), (b"", END)]),
        ([(b"", END)], [(b"", END), (b"", END)]),
        ([(b"", None), (b"a", None)], [(b"", None), (b"a", None)]),
    ],
)
def test_what_came_before_the_end_is_received(
    given: list[tuple[bytes, Exception | None]], received: list[tuple[bytes, Exception | None]]
) -> None:
    receive = _Receive(iter(given).__next__)
    assert [receive() for _call in received] == received

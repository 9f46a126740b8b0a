# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bearer tokens for Amazon MSK: AWS's library signs them on this host, with the credentials that AWS's tools use."""

from __future__ import annotations

import os
import socket
import sys
import time
import typing as t

from .._errors import TaskError
from .tokens import Token

LIBRARY = "aws-msk-iam-sasl-signer-python"
#: What to check if a broker refuses a token.
CHECK = "the AWS credentials, AWS_REGION, and whether an IAM policy allows kafka-cluster:Connect"
_OPTION = "sasl_oauth_provider aws_msk_iam"
# of a request to STS, each with a time to connect and a time to read
_ATTEMPTS = 2


def fetch_token(timeout: float) -> Token:
    """Sign a bearer token, with region and credentials of the environment, the profile or the host.

    Args:
        timeout: seconds for a request to STS, if a role is assumed.

    Raises:
        TaskError: the library, the region or the credentials are missing, or AWS refused the credentials.
    """
    host = socket.gethostname()
    try:
        # only here: it takes longer than all other imports, and few connections need it
        from aws_msk_iam_sasl_signer import MSKAuthTokenProvider as signer
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError as exc:
        raise TaskError(
            f"{_OPTION} requires the Python library {LIBRARY} on {host} ({exc}): install it with "
            f"{sys.executable} -m pip install {LIBRARY}."
        ) from None
    check = "check the environment variables and the profile of AWS"
    try:
        fetched = time.time()
        region, provider = _found(timeout)
        if region is None:
            raise TaskError(
                f"{_OPTION} found no region on {host}: set AWS_REGION or AWS_DEFAULT_REGION, or a region in the AWS "
                "profile."
            )
        if provider.load() is None:
            raise TaskError(
                f"{_OPTION} found no credentials on {host}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                "AWS_PROFILE, or AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE, or give the host a role."
            )
        text, expires = signer.generate_auth_token_from_credentials_provider(region, provider)
    except ClientError as exc:
        # its message may contain a part of the request, with the session token
        cause = f"{exc.operation_name}: {exc.response['Error'].get('Code')}"
        raise TaskError(f"{_OPTION}: AWS refused the credentials on {host} ({cause}): {check}.") from None
    except (BotoCoreError, OSError, ValueError) as exc:
        raise TaskError(f"{_OPTION}: no credentials on {host} ({exc}): {check}.") from None
    return Token(text, fetched, expires / 1000)


def _found(timeout: float) -> tuple[str | None, t.Any]:
    """Return the region, and a provider of the credentials, for the signer; raises what botocore raises."""
    from botocore.config import Config
    from botocore.credentials import CredentialProvider
    from botocore.session import Session

    session = Session()
    seconds = timeout / _ATTEMPTS / 2
    session.set_default_client_config(
        Config(connect_timeout=seconds, read_timeout=seconds, retries={"total_max_attempts": _ATTEMPTS})
    )
    # botocore reads only AWS_DEFAULT_REGION and the profile
    region = os.environ.get("AWS_REGION") or session.get_config_variable("region")
    # for STS
    session.set_config_variable("region", region)
    credentials = session.get_credentials() if region else None

    class Found(CredentialProvider):
        """Hands on the credentials."""

        def load(self) -> t.Any:
            return credentials

    return region or None, Found()

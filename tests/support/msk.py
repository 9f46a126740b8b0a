# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Amazon MSK's access control with IAM, as a broker sees it: it accepts what one user's secret key has signed."""

from __future__ import annotations

from tests.support.jars import classpath, compiled

REGION = "eu-central-1"
ACCESS_KEY = "AKIAEXAMPLEOFATEST00"
SECRET_KEY = "aws-secret/key+of=a-test"
#: The listener of a secured broker that accepts these tokens.
LISTENER = "MSK"
REFUSED = "MskTokenValidator refused a token: "

_VALIDATOR = "MskTokenValidator"
#: The login module, which knows an option of this name, makes a token of its own for the broker.
_PRINCIPAL = "unsecuredLoginStringClaim_sub"
_LOGIN = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"


def java_options() -> list[str]:
    """What lets a broker of the newest release load the validator of the tokens."""
    return ["-cp", f"{classpath()}:{compiled(_VALIDATOR)}"]


def broker_properties(principal: str) -> dict[str, str]:
    """What makes `LISTENER` accept the tokens of the user, who is then `principal`."""
    options = {"region": REGION, "access_key": ACCESS_KEY, "secret_key": SECRET_KEY, _PRINCIPAL: principal}
    words = " ".join(f'{name}="{value}"' for name, value in options.items())
    listener = f"listener.name.{LISTENER.lower()}.oauthbearer.sasl"
    return {
        f"{listener}.jaas.config": f"{_LOGIN} required {words};",
        f"{listener}.server.callback.handler.class": _VALIDATOR,
    }


def nobody() -> dict[str, str]:
    """The environment of a host without AWS, once all other variables of AWS are gone."""
    files = ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")
    return {**dict.fromkeys(files, "/nowhere"), "AWS_EC2_METADATA_DISABLED": "true"}


def user(**more: str) -> dict[str, str]:
    """The environment of the user, with other variables where they are given."""
    keys = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
    return {**nobody(), "AWS_REGION": REGION, **keys, **more}

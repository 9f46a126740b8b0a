# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options that every module has: how to reach the cluster."""

    DOCUMENTATION = r"""
options:
  bootstrap_servers:
    description:
      - Addresses of some brokers of the cluster, each as C(host:port). One that answers is enough.
      - If it is not set, the environment variable E(KAFKA_BOOTSTRAP_SERVERS) is used (several addresses with commas
        between them).
    type: list
    elements: str
    required: true
  security_protocol:
    description:
      - How to speak to the brokers. It has to fit the listener that O(bootstrap_servers) belongs to.
      - If it is not set, the environment variable E(KAFKA_SECURITY_PROTOCOL) is used.
    type: str
    choices: [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]
    default: PLAINTEXT
  sasl_mechanism:
    description:
      - How to authenticate. It is needed for, and only goes with, O(security_protocol=SASL_PLAINTEXT) and
        O(security_protocol=SASL_SSL).
      - V(GSSAPI) needs the Python library C(gssapi). The ticket is that of the user that the module runs as. It comes
        from the credential cache (E(KRB5CCNAME)), or by the keytab that E(KRB5_CLIENT_KTNAME) names.
      - M(kafkaops.groups.consumer_offsets_audit) does not work with V(GSSAPI), since the wheels of C(confluent-kafka)
        come without it.
      - If it is not set, the environment variable E(KAFKA_SASL_MECHANISM) is used.
    type: str
    choices: [PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, GSSAPI]
  sasl_username:
    description:
      - The user of O(sasl_mechanism=PLAIN), O(sasl_mechanism=SCRAM-SHA-256) and O(sasl_mechanism=SCRAM-SHA-512).
      - If it is not set, the environment variable E(KAFKA_SASL_USERNAME) is used.
    type: str
  sasl_password:
    description:
      - The password of O(sasl_username).
      - A login that a broker refuses is not tried again at this broker in the same task, so that a task with a wrong
        password does not lock the account.
      - If it is not set, the environment variable E(KAFKA_SASL_PASSWORD) is used.
    type: str
  sasl_oauth_token:
    description:
      - A bearer token for O(sasl_mechanism=OAUTHBEARER). Give this, or O(sasl_oauth_token_url) and what belongs to
        it.
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_TOKEN) is used.
    type: str
  sasl_oauth_token_url:
    description:
      - The address to get a bearer token from, by OAuth 2.0 client credentials (RFC 6749, section 4.4).
      - It needs O(sasl_oauth_client_id) and O(sasl_oauth_client_secret).
      - It must be an C(https) address. C(http) is allowed only for the loopback interface (V(localhost),
        V(127.0.0.0/8), V(::1)), since the client secret is sent to it.
      - A new token is fetched for the next login when 80 percent of the life of the last one is over. The life is
        C(expires_in) of the answer, or C(exp) of the token if it is a JWT. If neither is there, each login fetches a
        token.
      - An answer that redirects to another address is refused, since the secret would go there.
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_TOKEN_URL) is used.
    type: str
  sasl_oauth_token_url_cafile:
    description:
      - A PEM file with the certificates to trust for O(sasl_oauth_token_url). If it is not set, the system's are
        trusted. O(ssl_cafile) is for the brokers only.
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_TOKEN_URL_CAFILE) is used.
    type: path
  sasl_oauth_client_id:
    description:
      - The client id for O(sasl_oauth_token_url).
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_CLIENT_ID) is used.
    type: str
  sasl_oauth_client_secret:
    description:
      - The client secret for O(sasl_oauth_token_url).
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_CLIENT_SECRET) is used.
    type: str
  sasl_oauth_scope:
    description:
      - The scope to ask O(sasl_oauth_token_url) for.
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_SCOPE) is used.
    type: str
  sasl_kerberos_service_name:
    description:
      - The brokers' Kerberos service name, for O(sasl_mechanism=GSSAPI).
      - If it is not set, the environment variable E(KAFKA_SASL_KERBEROS_SERVICE_NAME) is used.
    type: str
    default: kafka
  ssl_cafile:
    description:
      - A PEM file with the certificates to trust for the brokers. If it is not set, the system's are trusted.
      - It is a file of the host that the module runs on, as O(ssl_certfile) and O(ssl_keyfile) are.
      - If it is not set, the environment variable E(KAFKA_SSL_CAFILE) is used.
    type: path
  ssl_certfile:
    description:
      - A PEM file with the client's certificate. It may hold the key as well.
      - If it is not set, the environment variable E(KAFKA_SSL_CERTFILE) is used.
    type: path
  ssl_keyfile:
    description:
      - A PEM file with the key of O(ssl_certfile), if the key is in a file of its own.
      - If it is not set, the environment variable E(KAFKA_SSL_KEYFILE) is used.
    type: path
  ssl_keyfile_password:
    description:
      - The password of an encrypted key.
      - If it is not set, the environment variable E(KAFKA_SSL_KEYFILE_PASSWORD) is used.
    type: str
  ssl_check_hostname:
    description:
      - Whether the certificate of a broker has to be for the host that was connected to. Its issuer is always
        checked.
      - If it is not set, the environment variable E(KAFKA_SSL_CHECK_HOSTNAME) is used.
    type: bool
    default: true
  client_id:
    description:
      - The client id that the brokers see, in their logs, metrics and quotas.
      - If it is not set, the environment variable E(KAFKA_CLIENT_ID) is used.
    type: str
    default: kafkaops.groups
  request_timeout:
    description:
      - For how many seconds to wait for the answer to one request.
      - If it is not set, the environment variable E(KAFKA_REQUEST_TIMEOUT) is used.
    type: float
    default: 30
  timeout:
    description:
      - For how many seconds the whole task may run. What is not done by then fails, each group with its last error.
      - If it is not set, the environment variable E(KAFKA_TIMEOUT) is used.
    type: float
    default: 120
requirements:
  - python >= 3.11
  - kafka-python >= 3.0.12, < 3.1
notes:
  - The requirements are needed on the host that the module runs on. That host has to reach every broker of the
    cluster. Often it is the control node (C(delegate_to=localhost)).
  - Set the connection once for all modules of this collection in C(module_defaults), with the action group
    C(group/kafkaops.groups.kafka).
  - An environment variable that is empty counts as not set.
  - On an older Python the modules fail with one sentence that names the interpreter. Ansible chooses the interpreter of
    the host; set C(ansible_python_interpreter) to a newer one, since RHEL 8 and 9 have an older one by default.
"""

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
      - Addresses of one or more brokers of the cluster, as C(host:port). One reachable broker is sufficient.
      - If it is not set, the environment variable E(KAFKA_BOOTSTRAP_SERVERS) is used (addresses separated by commas).
    type: list
    elements: str
    required: true
  security_protocol:
    description:
      - Protocol used to communicate with the brokers. It must match the listener of O(bootstrap_servers).
      - If it is not set, the environment variable E(KAFKA_SECURITY_PROTOCOL) is used.
    type: str
    choices: [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]
    default: PLAINTEXT
  sasl_mechanism:
    description:
      - SASL mechanism for authentication. Required for O(security_protocol=SASL_PLAINTEXT) and
        O(security_protocol=SASL_SSL), and not allowed otherwise.
      - V(GSSAPI) requires the Python library C(gssapi). The module uses the Kerberos ticket of the user that runs it,
        from the credential cache (E(KRB5CCNAME)) or from the keytab in E(KRB5_CLIENT_KTNAME).
      - M(kafkaops.groups.consumer_offsets_audit) supports V(GSSAPI) only with
        O(kafkaops.groups.consumer_offsets_audit#module:source=snapshots), because the wheels of C(confluent-kafka) are
        built without it.
      - If it is not set, the environment variable E(KAFKA_SASL_MECHANISM) is used.
    type: str
    choices: [PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, GSSAPI]
  sasl_username:
    description:
      - The user name for O(sasl_mechanism=PLAIN), O(sasl_mechanism=SCRAM-SHA-256) and
        O(sasl_mechanism=SCRAM-SHA-512).
      - If it is not set, the environment variable E(KAFKA_SASL_USERNAME) is used.
    type: str
  sasl_password:
    description:
      - The password of O(sasl_username).
      - A login that a broker rejects is not retried on this broker in the same task, so that a wrong password does
        not lock the account.
      - If it is not set, the environment variable E(KAFKA_SASL_PASSWORD) is used.
    type: str
  sasl_oauth_provider:
    description:
      - The source of bearer tokens for O(sasl_mechanism=OAUTHBEARER), instead of O(sasl_oauth_token) and
        O(sasl_oauth_token_url).
      - V(aws_msk_iam) is the access control with IAM of Amazon MSK. It requires the Python library
        C(aws-msk-iam-sasl-signer-python), which signs tokens on the host that the module runs on.
      - The region is read from E(AWS_REGION), E(AWS_DEFAULT_REGION) or the profile of AWS, in this order. The
        credentials are those that other tools of AWS use, for example of E(AWS_ACCESS_KEY_ID) and
        E(AWS_SECRET_ACCESS_KEY), of E(AWS_PROFILE), of E(AWS_ROLE_ARN) and E(AWS_WEB_IDENTITY_TOKEN_FILE), or of the
        role of the host. These environment variables must be set on the host that the module runs on.
      - A token expires after 15 minutes. It is replaced as O(sasl_oauth_token_url) describes.
      - If a role is assumed, a request to AWS STS takes at most O(request_timeout). The library sets its own limits for
        the metadata service of the host (E(AWS_METADATA_SERVICE_TIMEOUT)), and none for a C(credential_process).
      - It was not tested with Amazon MSK itself, but with brokers that verify the signature.
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_PROVIDER) is used.
    type: str
    choices: [aws_msk_iam]
  sasl_oauth_token:
    description:
      - A bearer token for O(sasl_mechanism=OAUTHBEARER). Set either this option, or O(sasl_oauth_token_url) and its
        related options, or O(sasl_oauth_provider).
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_TOKEN) is used.
    type: str
  sasl_oauth_token_url:
    description:
      - The URL from which to request a bearer token with the OAuth 2.0 client credentials grant (RFC 6749, section
        4.4).
      - Requires O(sasl_oauth_client_id) and O(sasl_oauth_client_secret).
      - The URL must use C(https). C(http) is allowed only for the loopback interface (V(localhost), V(127.0.0.0/8),
        V(::1)), because the request includes the client secret.
      - The next login requests a new token when 80 percent of the lifetime of the current token has passed. The
        lifetime is C(expires_in) of the response, or C(exp) of the token if it is a JWT. Without either, each login
        requests a token.
      - Redirects are rejected, because the client secret would be sent to another URL.
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_TOKEN_URL) is used.
    type: str
  sasl_oauth_token_url_cafile:
    description:
      - A PEM file with the CA certificates for O(sasl_oauth_token_url). By default, the CA certificates of the system
        are used. O(ssl_cafile) applies to the brokers only.
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_TOKEN_URL_CAFILE) is used.
    type: path
  sasl_oauth_token_url_ca:
    description:
      - The content of O(sasl_oauth_token_url_cafile), instead of a file on the host that the module runs on. If it is
        set, O(sasl_oauth_token_url_cafile) is ignored.
      - If neither it nor O(sasl_oauth_token_url_cafile) is set, the environment variable
        E(KAFKA_SASL_OAUTH_TOKEN_URL_CA) is used.
    type: str
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
      - The scope to request from O(sasl_oauth_token_url).
      - If it is not set, the environment variable E(KAFKA_SASL_OAUTH_SCOPE) is used.
    type: str
  sasl_kerberos_service_name:
    description:
      - The Kerberos service name of the brokers, for O(sasl_mechanism=GSSAPI).
      - If it is not set, the environment variable E(KAFKA_SASL_KERBEROS_SERVICE_NAME) is used.
    type: str
    default: kafka
  sasl_kerberos_keytab:
    description:
      - A keytab in Base64, for O(sasl_mechanism=GSSAPI). The module writes it to a private file, requests a ticket of
        its own for the principal of the keytab, and ignores E(KRB5_CLIENT_KTNAME) and E(KRB5CCNAME).
      - If it is not set, the environment variable E(KAFKA_SASL_KERBEROS_KEYTAB) is used.
    type: str
  ssl_cafile:
    description:
      - A PEM file with the CA certificates for the brokers. By default, the CA certificates of the system are used.
      - This path, O(ssl_certfile) and O(ssl_keyfile) are on the host that the module runs on.
      - If it is not set, the environment variable E(KAFKA_SSL_CAFILE) is used.
    type: path
  ssl_certfile:
    description:
      - A PEM file with the client certificate. It can also contain the private key.
      - If it is not set, the environment variable E(KAFKA_SSL_CERTFILE) is used.
    type: path
  ssl_keyfile:
    description:
      - A PEM file with the private key for O(ssl_certfile) or O(ssl_certificate), if these do not contain it.
      - If it is not set, the environment variable E(KAFKA_SSL_KEYFILE) is used.
    type: path
  ssl_ca:
    description:
      - The content of O(ssl_cafile), instead of a file on the host that the module runs on. The module writes it to a
        private file while it runs. If it is set, O(ssl_cafile) is ignored.
      - If neither it nor O(ssl_cafile) is set, the environment variable E(KAFKA_SSL_CA) is used.
    type: str
  ssl_certificate:
    description:
      - The content of O(ssl_certfile), as O(ssl_ca). It is treated as a secret, because it can also contain the private
        key.
      - If neither it nor O(ssl_certfile) is set, the environment variable E(KAFKA_SSL_CERTIFICATE) is used.
    type: str
  ssl_key:
    description:
      - The content of O(ssl_keyfile), as O(ssl_ca).
      - If neither it nor O(ssl_keyfile) is set, the environment variable E(KAFKA_SSL_KEY) is used.
    type: str
  ssl_keyfile_password:
    description:
      - The password of an encrypted private key.
      - If it is not set, the environment variable E(KAFKA_SSL_KEYFILE_PASSWORD) is used.
    type: str
  ssl_check_hostname:
    description:
      - Whether to verify that the certificate of a broker matches its host name. The certificate chain is always
        verified.
      - If it is not set, the environment variable E(KAFKA_SSL_CHECK_HOSTNAME) is used.
    type: bool
    default: true
  client_id:
    description:
      - The client id that the brokers use in logs, metrics and quotas.
      - If it is not set, the environment variable E(KAFKA_CLIENT_ID) is used.
    type: str
    default: kafkaops.groups
  request_timeout:
    description:
      - Timeout for a single request, in seconds.
      - If it is not set, the environment variable E(KAFKA_REQUEST_TIMEOUT) is used.
    type: float
    default: 30
  timeout:
    description:
      - Timeout for the whole task, in seconds. Items that are not finished by then fail with their last error.
      - If it is not set, the environment variable E(KAFKA_TIMEOUT) is used.
    type: float
    default: 120
requirements:
  - python >= 3.11
  - kafka-python >= 3.0.12, < 3.1
notes:
  - Install the requirements on the host that the module runs on, often the control node (C(delegate_to=localhost)).
    This host must be able to connect to every broker of the cluster.
  - Set the connection once for all modules of this collection in C(module_defaults), with the action group
    C(group/kafkaops.groups.kafka).
  - Empty environment variables are ignored.
  - With an older Python, the modules fail with an error message that names the interpreter. Set
    C(ansible_python_interpreter) to a newer interpreter where the default is older, for example on RHEL 8 and 9.
"""

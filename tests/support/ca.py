# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates for tests, made with the openssl binary; PEM files that both Kafka and its clients read."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.ports import HOST

KEY_PASSWORD = "key-secret"

_CONFIG = """
[req]
distinguished_name = name
prompt = no
[name]
CN = unused
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
authorityKeyIdentifier = keyid
"""


class Authority:
    """A certificate authority in a folder; each file is created once.

    A client certificate's name is its Kafka principal: ``CN=alice`` is ``User:alice``.
    """

    def __init__(self, folder: Path, name: str = "ca") -> None:
        self.folder = folder
        self.name = name
        self.certificate = folder / f"{name}.crt"
        self._key = folder / f"{name}.key"
        if not self.certificate.exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "openssl.cnf").write_text(_CONFIG, encoding="utf-8")
            self._generate(self._key)
            self._openssl(
                "req", "-x509", "-key", self._key, "-out", self.certificate, "-days", 365,
                "-subj", f"/CN={name}", "-config", folder / "openssl.cnf", "-extensions", "ca",
            )  # fmt: skip

    def issue(self, name: str, *, hosts: tuple[str, ...] = (), expired: bool = False) -> tuple[Path, Path]:
        """A certificate and its PKCS8 key, as files. `hosts` are DNS names or addresses; `expired` ended in 2021."""
        certificate, key = self.folder / f"{self.name}-{name}.crt", self.folder / f"{self.name}-{name}.key"
        if certificate.exists():
            return certificate, key
        request, extensions = certificate.with_suffix(".csr"), certificate.with_suffix(".cnf")
        names = ",".join(f"{'IP' if host[0].isdigit() else 'DNS'}:{host}" for host in hosts)
        extensions.write_text(_CONFIG + (f"subjectAltName = {names}\n" if names else ""), encoding="utf-8")
        self._generate(key)
        self._openssl("req", "-new", "-key", key, "-out", request, "-subj", f"/CN={name}", "-config", extensions)
        if expired:
            self._sign_in_the_past(request, certificate, extensions)
        else:
            self._openssl(
                "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
                "-days", 365, "-out", certificate, "-extfile", extensions, "-extensions", "leaf",
            )  # fmt: skip
        return certificate, key

    def encrypted_key(self, name: str) -> Path:
        """The key of an issued certificate, encrypted with `KEY_PASSWORD`."""
        encrypted = self.folder / f"{self.name}-{name}.encrypted.key"
        if not encrypted.exists():
            _certificate, key = self.issue(name)
            cipher = ("-v2", "aes-256-cbc", "-passout", f"pass:{KEY_PASSWORD}")
            self._openssl("pkcs8", "-topk8", "-in", key, "-out", encrypted, *cipher)
        return encrypted

    def keystore(self, name: str, *, hosts: tuple[str, ...] = (HOST, "localhost"), expired: bool = False) -> Path:
        """A broker's PEM key store: key and certificate in one file."""
        store = self.folder / f"{self.name}-{name}.pem"
        certificate, key = self.issue(name, hosts=hosts, expired=expired)
        if not store.exists():
            store.write_text(key.read_text("ascii") + certificate.read_text("ascii"), encoding="ascii")
        return store

    def _sign_in_the_past(self, request: Path, certificate: Path, extensions: Path) -> None:
        # Only "openssl ca" takes dates in every release, and it wants a small database.
        index = certificate.with_suffix(".index")
        index.touch()
        with extensions.open("a", encoding="utf-8") as config:
            config.write(
                f"[past]\ndatabase = {index}\nnew_certs_dir = {self.folder}\nrand_serial = yes\n"
                "default_md = sha256\npolicy = any\n[any]\ncommonName = supplied\n"
            )
        self._openssl(
            "ca", "-batch", "-notext", "-name", "past", "-config", extensions, "-extensions", "leaf",
            "-in", request, "-out", certificate, "-cert", self.certificate, "-keyfile", self._key,
            "-startdate", "20200101000000Z", "-enddate", "20210101000000Z",
        )  # fmt: skip

    def _generate(self, key: Path) -> None:
        self._openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key)

    @staticmethod
    def _openssl(*arguments: object) -> None:
        done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.strip()}")

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Kerberos realm: MIT's KDC on a loopback port, with all of its files in one folder."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from tests.support.ports import HOST, free, listening
from tests.support.process import Process
from tests.support.settings import MECHANISMS

REALM = "KAFKA.TEST"
SERVICE = "kafka"

_CLIENT = """\
[libdefaults]
default_realm = {realm}
dns_lookup_kdc = false
dns_lookup_realm = false
dns_canonicalize_hostname = false
rdns = false
udp_preference_limit = 1
[realms]
{realm} = {{
  kdc = {host}:{port}
}}
"""
_SERVER = """\
[kdcdefaults]
kdc_listen = {host}:{port}
kdc_tcp_listen = {host}:{port}
[realms]
{realm} = {{
  database_name = {folder}/principal
  key_stash_file = {folder}/stash
  acl_file = {folder}/acl
}}
"""
_LOGIN = "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true isInitiator=false"


class Realm:
    """A running KDC, with the brokers on this host as its service. A context manager: on exit it is killed.

    `java_options` and `broker_properties` make a broker of `settings.secured` accept its tickets.
    """

    def __init__(self, folder: Path, timeout: float = 60) -> None:
        """Make the realm in `folder`, and wait until its KDC listens.

        :raises RuntimeError: when it is not ready within `timeout` seconds, or MIT Kerberos is not installed.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        (port,) = free(1)
        self.config = folder / "krb5.conf"
        known = {"realm": REALM, "host": HOST, "port": port, "folder": folder}
        self.config.write_text(_CLIENT.format(**known), encoding="utf-8")
        (folder / "kdc.conf").write_text(_SERVER.format(**known), encoding="utf-8")
        self._env = {"KRB5_CONFIG": str(self.config), "KRB5_KDC_PROFILE": str(folder / "kdc.conf")}
        self._run("kdb5_util", "create", "-s", "-r", REALM, "-P", "database-secret")
        service = f"{SERVICE}/{HOST}"
        self._admin(f"addprinc -randkey {service}", f"ktadd -k {self._keytab(SERVICE)} {service}")
        # Debian installs the daemons in folders that are only on root's PATH.
        self._kdc = Process([_sbin("krb5kdc"), "-n"], folder / "kdc.log", env=self._env, folder=folder)
        deadline = time.monotonic() + timeout
        while not listening(port):
            if not self._kdc.alive or time.monotonic() > deadline:
                self.close()
                raise RuntimeError(f"the KDC is not ready:\n{self._kdc.tail()}")
            time.sleep(0.02)

    def __enter__(self) -> Realm:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the KDC."""
        self._kdc.kill()

    @property
    def java_options(self) -> list[str]:
        return [f"-Djava.security.krb5.conf={self.config}"]

    @property
    def broker_properties(self) -> dict[str, str]:
        login = f'{_LOGIN} keyTab="{self._keytab(SERVICE)}" principal="{SERVICE}/{HOST}@{REALM}";'
        jaas = {f"listener.name.{name}.gssapi.sasl.jaas.config": login for name in ("sasl_plaintext", "sasl_ssl")}
        offered = ",".join((*MECHANISMS, "GSSAPI"))
        return {"sasl.enabled.mechanisms": offered, "sasl.kerberos.service.name": SERVICE, **jaas}

    def user(self, name: str, *, stale: bool = False) -> dict[str, str]:
        """Make a user, and return the environment in which a process is that user.

        The key in a `stale` user's keytab is not the user's key any more.
        """
        keytab = self._keytab(name)
        if not keytab.exists():
            again = [f"change_password -randkey {name}"] if stale else []
            self._admin(f"addprinc -randkey +requires_preauth {name}", f"ktadd -k {keytab} {name}", *again)
        return {
            "KRB5_CONFIG": str(self.config),
            "KRB5_CLIENT_KTNAME": f"FILE:{keytab}",
            "KRB5CCNAME": f"FILE:{self._folder / name}.tickets",
        }

    def _keytab(self, name: str) -> Path:
        return self._folder / f"{name}.keytab"

    def _admin(self, *commands: str) -> None:
        for command in commands:
            self._run("kadmin.local", "-r", REALM, "-q", command)

    def _run(self, program: str, *arguments: str) -> None:
        command = [_sbin(program), *arguments]
        done = subprocess.run(command, env={**os.environ, **self._env}, capture_output=True, text=True, check=False)
        # kadmin.local also exits with 0 after an error.
        if done.returncode or f"{program}:" in done.stderr:
            raise RuntimeError(f"{program}: {done.stderr.strip()}")


def _sbin(program: str) -> str:
    path = Path("/usr/sbin") / program
    if not path.exists():
        raise RuntimeError(f"{path} is missing: install MIT Kerberos (Debian: krb5-kdc, krb5-admin-server)")
    return str(path)

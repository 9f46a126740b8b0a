# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real server that speaks S3: S3Proxy over a folder; and the configuration of Spark's client, S3A."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import boto3

from tests.support import jars
from tests.support.hadoop import POM
from tests.support.ports import HOST, free, listening
from tests.support.process import Process

REGION, SECRET = "eu-central-1", "s3cr3t-of-s3"
#: one that may do everything, and one that may only read
KEY, READER = "audit", "reader"
_LOGGING = """<configuration>
<appender name="all" class="ch.qos.logback.core.ConsoleAppender">
<encoder><pattern>%d %level %msg%n</pattern></encoder>
</appender>
<root level="WARN"><appender-ref ref="all"/></root>
</configuration>
"""


class S3(NamedTuple):
    """A server of S3 at an address."""

    endpoint: str

    @property
    def conf(self) -> dict[str, str]:
        """The properties of Spark for the server, without credentials."""
        return {
            "spark.jars": ",".join(sorted(map(str, jars.fetched(POM, "s3a", "-Ps3a").glob("*.jar")))),
            "spark.hadoop.fs.s3a.endpoint": self.endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": REGION,
            "spark.hadoop.fs.s3a.path.style.access": "true",
        }

    def objects(self, bucket: str) -> dict[str, bytes]:
        """Return the content of each object of a bucket by boto3, without the markers of empty folders."""
        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
        )
        keys = [each["Key"] for each in client.list_objects_v2(Bucket=bucket).get("Contents", [])]
        files = [key for key in keys if not key.endswith("/")]
        return {key: client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in files}


@contextlib.contextmanager
def s3(folder: Path, bucket: str, timeout: float = 120) -> Iterator[S3]:
    """Start a server with one bucket, whose objects are files in a folder, and stop it.

    :raises RuntimeError: when it does not start in `timeout` seconds; the message ends with the log.
    """
    (port,) = free(1)
    (folder / "buckets" / bucket).mkdir(parents=True)
    common = {
        "s3proxy.endpoint": f"http://{HOST}:{port}",
        "s3proxy.authorization": "aws-v4",
        "s3proxy.credential": SECRET,
        # S3A sends some that only Amazon's own server knows
        "s3proxy.ignore-unknown-headers": "true",
        "jclouds.provider": "filesystem",
        "jclouds.identity": "unused",
        "jclouds.credential": "unused",
        "jclouds.filesystem.basedir": str(folder / "buckets"),
    }
    options = []
    for key, read_only in ((KEY, "false"), (READER, "true")):
        properties = {**common, "s3proxy.identity": key, "s3proxy.read-only-blobstore": read_only}
        conf = folder / f"{key}.conf"
        conf.write_text("".join(f"{name}={value}\n" for name, value in properties.items()), "utf-8")
        options += ["--properties", str(conf)]
    logging = folder / "logback.xml"
    logging.write_text(_LOGGING, "utf-8")
    command = ["java", "-Xmx256m", *jars.QUICK]
    command += [f"-Dlogback.configurationFile={logging}", "-cp", f"{jars.fetched(POM, 's3proxy', '-Ps3proxy')}/*"]
    process = Process([*command, "org.gaul.s3proxy.Main", *options], folder / "s3proxy.log")
    try:
        deadline = time.monotonic() + timeout
        while not listening(port):
            if not process.alive or time.monotonic() > deadline:
                raise RuntimeError(f"The server of S3 does not start:\n{process.tail()}")
            time.sleep(0.1)
        yield S3(f"http://{HOST}:{port}")
    finally:
        process.kill()

# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jars of Apache Kafka releases and of other programs, fetched once by Maven into the checkout's cache."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.metadata
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

#: The releases that the tests know, from the oldest to the newest.
VERSIONS = ("2.4.1", "2.8.2", "3.9.2", "4.3.1")
DEFAULT_VERSION = VERSIONS[-1]
#: Releases of Kafka 4 before the newest, which differ in their types of groups.
RECENT = ("4.0.2", "4.1.1", "4.2.1")
POM = Path(__file__).resolve().parent / "kafka" / "pom.xml"
#: What each jar has to be; C(sha256sum -c) reads it in the cache.
CHECKSUMS = POM.with_name("jars.sha256")
CACHE = POM.parents[3] / ".cache" / "kafka"

#: Without what Java says about class data that it cannot use, among the output of tools.
QUIET = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off")
#: For a Java that ends soon, or has little to do.
QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_JVM = (*QUICK, "-Xshare:auto", "-Dorg.slf4j.simpleLogger.showDateTime=true")
#: Of Spark. To generate and to compile code takes longer than the queries of tests, and in the default code cache of
#: this compiler, Java drops what it needs again. A folder with spark-defaults.conf would be in the class path, and Java
#: takes no archive of class data then.
_SHORT_SESSION = (
    *QUICK,
    "-XX:ReservedCodeCacheSize=128m",
    "-Dspark.sql.codegen.wholeStage=false",
    "-Dspark.sql.codegen.factoryMode=NO_CODEGEN",
)


def jars(version: str = DEFAULT_VERSION) -> Path:
    """The folder with the jars of a version of Kafka. Raises the exceptions of `fetched`."""
    tools = ["-Ptools"] if int(version.split(".")[0]) >= 3 else []
    return fetched(POM, version, f"-Dkafka.version={version}", *tools)


def fetched(pom: Path, name: str, *options: str) -> Path:
    """The folder with the jars of a POM; the first call for a name takes 10 to 60 s.

    :raises RuntimeError: when Maven cannot get them, or gets others than are known; says which.
    """
    folder = CACHE / name
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _fetch(pom, name, folder, options)
    return folder


def classpath(version: str = DEFAULT_VERSION) -> str:
    """The argument of ``java -cp``: all jars of a version. Raises the exceptions of `jars`."""
    return f"{jars(version)}/*"


def java(version: str, heap: int, *arguments: str) -> list[str]:
    """A Java command with the jars of a Kafka release and a heap of so many MB."""
    return ["java", f"-Xmx{heap}m", *_JVM, *shared(class_data(version)), "-cp", classpath(version), *arguments]


def program(name: str, heap: int, *arguments: str) -> list[str]:
    """A Java command that runs a program of this folder (`kafka/`) with the jars of the newest release.

    Raises the exceptions of `compiled`.
    """
    command = java(DEFAULT_VERSION, heap, name, *arguments)
    command[command.index("-cp") + 1] += f":{compiled(name)}"
    return command


def compiled(name: str) -> Path:
    """The folder with the classes of a program of this folder (`kafka/`), for the jars of the newest release.

    :raises subprocess.CalledProcessError: when it does not compile.
    """
    source = POM.with_name(f"{name}.java")
    folder = CACHE / "programs" / hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            classes = Path(scratch) / "classes"
            subprocess.run(["javac", "-d", str(classes), "-cp", classpath(), str(source)], check=True)
            # another process may have been quicker
            with contextlib.suppress(OSError):
                classes.rename(folder)
    return folder


def class_data(version: str = DEFAULT_VERSION) -> Path:
    """The archive of class data with which Java starts a release's programs in two thirds of their time, if it exists.

    ``python -m tests.support.class_data`` makes it.
    """
    return CACHE / f"{version}.jsa"


def spark_class_data() -> Path:
    """The archive of class data with which Spark starts quicker, if it exists; made as that of `class_data`.

    Java takes it only with the jars of the environment that it was made with, so it is removed with this one.
    """
    return Path(sys.prefix) / f"spark-{importlib.metadata.version('pyspark')}.jsa"


def spark_options(*options: str) -> str:
    """The environment variable SPARK_SUBMIT_OPTS with options of Java, for sessions that are short."""
    return shlex.join([*_SHORT_SESSION, *options])


def shared(archive: Path) -> list[str]:
    """The options of Java that use an archive of class data, if it exists."""
    # an archive of another Java is ignored
    return [f"-XX:SharedArchiveFile={archive}", *QUIET] if archive.exists() else []


def _fetch(pom: Path, name: str, folder: Path, options: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        libs = Path(scratch) / "libs"
        # -C: fail on wrong checksums
        command = ["mvn", "-q", "-B", "-C", "-f", str(pom), f"-DoutputDirectory={libs}", *options]
        command.append("dependency:copy-dependencies")
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise RuntimeError("Maven is missing: install maven (3.8 or newer)") from None
        if done.returncode or not libs.is_dir():
            raise RuntimeError(f"Maven could not get the jars of {name}:\n{(done.stdout + done.stderr)[-2000:]}")
        check(name, libs, pom.with_name(CHECKSUMS.name))
        shutil.move(libs, folder)


def check(name: str, folder: Path, checksums: Path = CHECKSUMS) -> None:
    """Raise ``RuntimeError`` unless a folder holds exactly the jars of a name, as `checksums` knows them."""
    lines = [line.split("  ") for line in checksums.read_text("utf-8").splitlines()]
    known = {jar.partition("/")[2]: digest for digest, jar in lines if jar.startswith(f"{name}/")}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    other = sorted(jar for jar in known | found if known.get(jar) != found.get(jar))
    if other:
        raise RuntimeError(f"{name}: these are not the jars of {checksums.name}: {', '.join(other)}")

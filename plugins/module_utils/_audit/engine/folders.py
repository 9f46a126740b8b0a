# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where audits are stored: a folder of this host, or any location that the Hadoop file systems of Spark support."""

from __future__ import annotations

import collections.abc as c
import contextlib
import os
import re
import shutil
import typing as t

from ..._errors import TaskError
from ..ingest import spark_read
from ..libraries import Py4JError, Py4JJavaError, SparkSession

LATEST = "latest"
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LOCAL_URI = "file://"


def is_uri(output: str) -> bool:
    """Return whether a location is a URI of a Hadoop file system, and not a folder of this host."""
    return bool(_URI.match(output)) and not output.startswith(_LOCAL_URI)


class Folder(t.Protocol):
    """A location of audits; paths are relative to it, in parts. Methods raise OSError or TaskError.

    Attributes:
        exclusive: whether only one audit at a time can write here.
    """

    exclusive: bool

    def uri(self, *path: str) -> str:
        """Return the URI of a path, for Spark."""

    def path(self, *path: str) -> str:
        """Return a path as users write it."""

    def names(self, *path: str) -> list[str]:
        """Return the names in a folder, none if it does not exist."""

    def sizes(self, *path: str) -> dict[str, int]:
        """Return the names in a folder, which exists, with the bytes of files."""

    def read(self, *path: str) -> str | None:
        """Return the content of a text file, None if it does not exist."""

    def put(self, source: str, *path: str) -> None:
        """Copy a file of this host to a path, over an existing file."""

    def sync(self, *path: str) -> None:
        """Make sure that a folder with its content survives a crash of the host."""

    def remove(self, *path: str) -> None:
        """Remove a file or a folder with its content, if it exists."""

    def show(self, *path: str) -> None:
        """Make the folder of an audit the latest audit, after all of its files."""


class LocalFolder:
    """A folder of this host; C(latest), C(plan.json) and C(report.html) are links to the latest audit.

    Args:
        links: the files of the latest audit that have a link in the folder itself.
    """

    # by the lock of `process`
    exclusive = True

    def __init__(self, root: str, links: c.Sequence[str]) -> None:
        self.root = root
        self._links = links

    def path(self, *path: str) -> str:
        return os.path.join(self.root, *path)

    def uri(self, *path: str) -> str:
        return _LOCAL_URI + self.path(*path)

    def names(self, *path: str) -> list[str]:
        with contextlib.suppress(FileNotFoundError):
            return sorted(os.listdir(self.path(*path)))
        return []

    def sizes(self, *path: str) -> dict[str, int]:
        with os.scandir(self.path(*path)) as found:
            return {entry.name: entry.stat().st_size for entry in found}

    def read(self, *path: str) -> str | None:
        try:
            with open(self.path(*path), encoding="utf-8", errors="replace") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def put(self, source: str, *path: str) -> None:
        """Copy a file; the files of an audit are written where they belong, so there is nothing to do."""
        target = self.path(*path)
        if os.path.abspath(source) != target:
            shutil.copyfile(source, f"{target}.new")
            os.replace(f"{target}.new", target)

    def remove(self, *path: str) -> None:
        where = self.path(*path)
        with contextlib.suppress(FileNotFoundError):
            if os.path.isdir(where) and not os.path.islink(where):
                shutil.rmtree(where)
            else:
                os.unlink(where)

    def sync(self, *path: str) -> None:
        synced = self.path(*path)
        for folder, _folders, names in os.walk(synced):
            for name in (*names, ""):
                _sync(os.path.join(folder, name))
        _sync(os.path.dirname(synced))

    def show(self, *path: str) -> None:
        self.sync(*path)
        shown = self.path(*path)
        for name in self._links:
            self._link(os.path.join(LATEST, name), name, shown)
        self._link(os.path.join(*path), LATEST, shown)
        _sync(self.root)

    def shows(self, *path: str) -> bool:
        """Return whether the folder of an audit is the latest audit."""
        return os.path.realpath(self.path(LATEST)) == os.path.realpath(self.path(*path))

    def _link(self, target: str, name: str, shown: str) -> None:
        """Create or replace a link in the folder atomically."""
        link, temporary = self.path(name), f"{shown}.link"
        if os.path.islink(link) and os.readlink(link) == target:
            return
        os.symlink(target, temporary)
        os.replace(temporary, link)


class HadoopFolder:
    """A location in a Hadoop file system, such as HDFS or an object store; C(latest.json) is the latest manifest.

    Args:
        root: the URI.
        shown: the file of an audit that is copied to C(latest.json).
    """

    exclusive = False

    def __init__(self, spark: SparkSession, root: str, shown: str) -> None:
        internals: t.Any = spark.sparkContext
        self._java = internals._jvm
        self._hadoop = self._java.org.apache.hadoop.fs
        self._conf = internals._jsc.hadoopConfiguration()
        self._root = root
        self._shown = shown
        with self._failures():
            self._system = self._path().getFileSystem(self._conf)

    def uri(self, *path: str) -> str:
        return "/".join([self._root, *path])

    path = uri

    def names(self, *path: str) -> list[str]:
        with self._failures():
            if not self._system.exists(self._path(*path)):
                return []
            return sorted(str(status.getPath().getName()) for status in self._system.listStatus(self._path(*path)))

    def sizes(self, *path: str) -> dict[str, int]:
        with self._failures():
            found = self._system.listStatus(self._path(*path))
            return {str(status.getPath().getName()): int(status.getLen()) for status in found}

    def read(self, *path: str) -> str | None:
        with self._failures():
            if not self._system.exists(self._path(*path)):
                return None
            stream = self._system.open(self._path(*path))
            try:
                return str(self._java.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()

    def put(self, source: str, *path: str) -> None:
        with self._failures():
            self._system.copyFromLocalFile(False, True, self._hadoop.Path(_LOCAL_URI + source), self._path(*path))

    def sync(self, *path: str) -> None:
        """Do nothing: the file system stores what was written and closed."""

    def remove(self, *path: str) -> None:
        with self._failures():
            self._system.delete(self._path(*path), True)

    def show(self, *path: str) -> None:
        with self._failures():
            shown, latest = self._path(*path, self._shown), self._path(f"{LATEST}.json")
            self._hadoop.FileUtil.copy(self._system, shown, self._system, latest, False, self._conf)

    def _path(self, *path: str) -> t.Any:
        return self._hadoop.Path(self.uri(*path))

    @contextlib.contextmanager
    def _failures(self) -> c.Iterator[None]:
        """Turn Java exceptions into a TaskError with their message."""
        try:
            yield
        except Py4JJavaError as exc:
            raise unusable(self._root, java_message(exc)) from None
        except Py4JError as exc:
            raise unusable(self._root, str(exc).partition("\n")[0]) from None


def unusable(output: str, why: str, executors: str = "") -> TaskError:
    """Return the error for a location that cannot be read or written, by which executors if not by this host."""
    by = f" by {executors}" if executors else ""
    return TaskError(
        f"output: {output} cannot be used{by} ({why}): check the location, its permissions, and the properties of its "
        "file system in spark_conf."
    )


def cause(exc: Exception) -> str:
    """Return the cause of an exception of Spark: of an executor, or the innermost Java exception of the driver."""
    return java_message(exc) if isinstance(exc, Py4JJavaError) else spark_read.cause(exc)


def java_message(exc: t.Any) -> str:
    """Return the name of the innermost Java exception, and the first line of its message."""
    thrown = exc.java_exception
    while thrown.getCause() is not None:
        thrown = thrown.getCause()
    message = str(thrown.getMessage() or "").strip().partition("\n")[0].rstrip(". ")
    name = str(thrown.getClass().getSimpleName())
    return f"{name}: {message}" if message else name


def _sync(path: str) -> None:
    """Sync a file or a folder to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

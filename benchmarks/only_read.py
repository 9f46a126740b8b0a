# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lower bound of a scan: processes that read a topic with librdkafka, and do nothing with the records."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import confluent_kafka

from tests.support.broker import Cluster
from tests.support.collection import CHECKOUT

_PROPERTIES = {
    "group.id": "only-read",
    "enable.auto.commit": "false",
    "isolation.level": "read_committed",
    "enable.partition.eof": "true",
    "fetch.wait.max.ms": "20",
    "fetch.queue.backoff.ms": "5",
    "max.partition.fetch.bytes": str(4 << 20),
    "queued.min.messages": "1000000",
}
_SOURCE = Path(__file__).parent / "peers" / "only_read.c"
_PROGRAM = CHECKOUT / ".cache" / "benchmarks" / "only_read"
_BATCH = 10_000
# a batch that is not full is returned only after this time, in s
_POLL = 0.02


def seconds(cluster: Cluster, topic: str, partitions: int, processes: int, program: Path | None = None) -> float:
    """Seconds for several processes to read a topic together.

    :param program: the result of `built`; without it, the processes are Python's, with confluent-kafka.
    """
    start = [str(program)] if program else [sys.executable, "-m", "benchmarks.only_read"]
    properties = [f"{name}={value}" for name, value in {**_PROPERTIES, "bootstrap.servers": cluster.bootstrap}.items()]
    children = [
        subprocess.Popen(
            [*start, topic, str(partitions), str(number), str(processes), *properties],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    pipes = [(child.stdin, child.stdout) for child in children]
    for _go, said in pipes:
        assert said is not None
        said.readline()
    started = time.monotonic()
    for go, _said in pipes:
        assert go is not None
        go.write("go\n")
        go.flush()
    read = 0
    for _go, said in pipes:
        assert said is not None
        read += int(said.readline())
    took = time.monotonic() - started
    for child in children:
        child.wait()
    print(f"{read:,} records", flush=True)
    return took


def built() -> Path | None:
    """The program in C, with the librdkafka of confluent-kafka; None if it cannot be built, and prints why."""
    compiler = shutil.which("cc")
    library = next(Path(confluent_kafka.__file__).parents[1].glob("confluent_kafka.libs/librdkafka*"), None)
    if compiler is None or library is None:
        missing = "cc in the PATH" if compiler is None else "librdkafka in the package confluent-kafka"
        print(f"the floor in C is left out: there is no {missing}", flush=True)
        return None
    _PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    linked = [str(library), f"-Wl,-rpath,{library.parent}"]
    subprocess.run([compiler, "-O2", "-o", str(_PROGRAM), str(_SOURCE), *linked], check=True)
    return _PROGRAM


def main() -> None:
    """The same as only_read.c, with its arguments."""
    topic, partitions, number, step, *properties = sys.argv[1:]
    consumer = confluent_kafka.Consumer(dict(one.split("=", 1) for one in properties))
    consumer.list_topics(topic)
    print("ready", flush=True)
    sys.stdin.readline()
    mine = range(int(number), int(partitions), int(step))
    consumer.assign([confluent_kafka.TopicPartition(topic, partition, 0) for partition in mine])
    ended = read = 0
    while ended < len(mine):
        messages = consumer.consume(_BATCH, _POLL)
        ends = sum(message.error() is not None for message in messages)
        ended, read = ended + ends, read + len(messages) - ends
    print(read, flush=True)
    consumer.close()


if __name__ == "__main__":
    main()

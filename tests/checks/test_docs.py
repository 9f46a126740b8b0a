# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation site as ``make docs`` builds it, and its guides beside what they speak of."""

from __future__ import annotations

import ast
import html.parser
import re
import subprocess
import sys
import urllib.parse
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka import errors
from ansible_collections.kafkaops.groups.plugins.module_utils._kafka.rpc import offset_commit, offset_fetch

from tests.checks.conftest import run
from tests.checks.examples import GUIDES, PLAYBOOKS, ROLES, TEXTS
from tests.support import docsite, jars
from tests.support.browser import PATIENCE_MS, chromium
from tests.support.collection import CHECKOUT
from tests.support.event_source import RULEBOOKS, SOURCE
from tests.support.modules import MODULES

UTILS = CHECKOUT / "plugins" / "module_utils"
#: The RPCs whose answers become results, and the newest version of each that is used where it is not the newest.
RPCS = {
    "AlterShareGroupOffsets": None,
    "ConsumerGroupDescribe": None,
    "DeleteShareGroupOffsets": None,
    "DescribeShareGroupOffsets": None,
    "OffsetCommit": offset_commit._MAX_VERSION,
    "OffsetFetch": offset_fetch._MAX_VERSION,
    "ShareGroupDescribe": None,
    "StreamsGroupDescribe": None,
}
#: The theme cuts off what is too wide for the window, so the page's own content is what to measure.
WIDTH = """(() => {
  const content = document.querySelector(".wy-nav-content");
  return Math.max(document.documentElement.scrollWidth, content.getBoundingClientRect().left + content.scrollWidth);
})()"""


@dataclass
class Page(html.parser.HTMLParser):
    """What a page links to, and what can be linked to in it."""

    path: Path
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.links += [given[name] for name in ("href", "src") if name in given]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site; that it can be built means that Sphinx and antsibull-docs warn of nothing."""
    assert re.search(r"^docs: setup\n\t@\.venv/bin/python -m tests\.support\.docsite$", _text("Makefile"), re.MULTILINE)
    folder = tmp_path_factory.mktemp("docs")
    printed = run([sys.executable, "-m", "tests.support.docsite", folder], CHECKOUT)
    index = Path(printed.splitlines()[-1])
    assert index == folder / "html" / "index.html"
    return index.parent


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def _text(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def _guide(name: str) -> str:
    return _text(f"docs/docsite/rst/{name}.rst")


def broken(pages: dict[Path, Page]) -> list[str]:
    """Return the links that lead to no file, or to no anchor of a page."""
    found = []
    for path, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            anchor = urllib.parse.unquote(url.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].anchors):
                found.append(f"{path.name}: {link}")
    return found


def test_every_page_is_there(site: Path) -> None:
    names = [
        *(f"{module}_module" for module in MODULES),
        *(f"{role}_role" for role in ROLES),
        *(f"docsite/{path.stem}" for path in GUIDES),
        *(
            f"measured/{path.relative_to(CHECKOUT / 'docs').with_suffix('')}"
            for path in (CHECKOUT / "docs").glob("**/*.md")
        ),
    ]
    assert [name for name in names if not (site / f"{name}.html").is_file()] == []
    assert sorted(docsite.guides()) == [path.stem for path in GUIDES]


def test_no_link_is_broken(pages: dict[Path, Page]) -> None:
    assert len(pages) > 20
    assert sum(len(page.links) for page in pages.values()) > 1000
    assert broken(pages) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#here"></a><a href="b.html#there"></a>', encoding="utf-8")
    (tmp_path / "b.html").write_text('<p id="here"><a href="c.html"></a><img src="d.png"></p>', encoding="utf-8")
    found = broken({path: Page(path) for path in tmp_path.glob("*.html")})
    assert sorted(found) == ["a.html: b.html#there", "b.html: c.html", "b.html: d.png"]


def test_links_to_other_sites_are_well_formed(pages: dict[Path, Page]) -> None:
    """They are not followed; ``pytest -s`` lists them."""
    links = sorted({link for page in pages.values() for link in page.links if urllib.parse.urlsplit(link).netloc})
    print(*links, sep="\n")
    assert len(links) > 10
    assert [link for link in links if not re.fullmatch(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+/\S*", link)] == []


def test_every_page_fits_the_screen(site: Path, pages: dict[Path, Page]) -> None:
    """Of a phone and of a desk; and it asks for nothing but its own files, and complains about nothing."""
    strange: list[str] = []
    with chromium() as browser:
        shown = browser.new_page()
        shown.set_default_timeout(PATIENCE_MS)
        shown.on("request", lambda request: strange.append(request.url) if site.as_uri() not in request.url else None)
        shown.on("console", lambda message: strange.append(message.text))
        shown.on("pageerror", lambda error: strange.append(str(error)))
        for width in (390, 1280):
            shown.set_viewport_size({"width": width, "height": 900})
            for path in pages:
                shown.goto(path.as_uri())
                if shown.evaluate(WIDTH) > width:
                    strange.append(f"{path.name} is wider than {width}")
    assert strange == []


@pytest.mark.fast
def test_overview_names_everything() -> None:
    """And so does the README."""
    for text in (_guide("overview"), _text("README.md")):
        named = set(re.findall(r"[a-z_]+", text))
        assert {*MODULES, *ROLES, *PLAYBOOKS} - {"demo"} <= named
    rows = re.findall(r"^\| \[`(\w+)`\]", _text("README.md"), re.MULTILINE)
    assert sorted(rows) == sorted([*MODULES, *ROLES, SOURCE.stem, *(path.stem for path in RULEBOOKS)])
    # each role has a playbook of its name
    assert {*PLAYBOOKS} == {*ROLES, "demo"}


@pytest.mark.fast
@pytest.mark.parametrize("text", [pytest.param(path, id=path.name) for path in TEXTS])
def test_the_files_that_a_text_names_are_there(text: Path) -> None:
    named = set(re.findall(r"`([\w.]+/[\w./-]+)`", text.read_text(encoding="utf-8")))
    tops = {path.name for path in CHECKOUT.iterdir()}
    assert [name for name in named if name.split("/")[0] in tops and not (CHECKOUT / name).exists()] == []


@pytest.mark.fast
def test_the_functions_that_contributing_names_are_there() -> None:
    """Those of its walk from an option to the wire among them."""
    named = set(re.findall(r"`(?:[\w.]+\.)?(\w+)\(\)`", _text("CONTRIBUTING.md")))
    code = "".join(path.read_text(encoding="utf-8") for path in UTILS.rglob("*.py"))
    assert len(named) > 10
    assert [name for name in named if not re.search(rf"\bdef {name}\(", code)] == []


def kafka_errors() -> set[str]:
    """The errors that Kafka's own message definitions name for the RPCs, in the versions that are used."""
    found = set()
    with zipfile.ZipFile(next(jars.jars().glob("kafka-clients-*.jar"))) as archive:
        for rpc, newest in RPCS.items():
            text = archive.read(f"common/message/{rpc}Response.json").decode()
            for name, since in re.findall(r"^ *// - ([A-Z_]+) \(version (\d+)\+\)", text, re.MULTILINE):
                if newest is None or int(since) <= newest:
                    found.add(name)
    return found


def own_errors() -> set[str]:
    """The errors that the code names."""
    known = set(errors._classes_by_name())
    # errors.py only spells them
    files = [path for path in UTILS.rglob("*.py") if "_audit" not in path.parts and path.name != "errors.py"]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    return known & {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.fast
def test_troubleshooting_has_an_entry_for_every_error() -> None:
    entries = re.findall(r"^([A-Z_]+)\n~+$", _guide("troubleshooting"), re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert len(kafka_errors()) > 10
    assert len(own_errors()) > 15
    assert (kafka_errors() | own_errors()) - set(entries) == set()
    assert set(entries) <= set(errors._classes_by_name())


@pytest.mark.fast
def test_troubleshooting_quotes_the_messages_of_the_code() -> None:
    table = _guide("troubleshooting").partition("\n   * - Message\n")[2]
    quoted = set(re.findall(r"``(.+?)``", " ".join(re.findall(r"^   \* - .*$", table, re.MULTILINE))))
    code = "".join(path.read_text(encoding="utf-8") for path in UTILS.rglob("*.py"))
    assert len(quoted) > 5
    assert [words for words in quoted if words not in code] == []


@pytest.mark.fast
def test_errors_are_spelled_as_kafka_spells_them() -> None:
    (jar,) = jars.jars().glob("kafka-clients-*.jar")
    enum = run(["javap", "-cp", jar, "org.apache.kafka.common.protocol.Errors"], CHECKOUT)
    names = set(re.findall(r"public static final org\.apache\.\S+\.Errors ([A-Z_]+);", enum))
    spelled = {problem.name for problem in map(errors.from_code, range(1, 200)) if problem is not None}
    assert len(spelled) > 100
    assert spelled - names == set()


@pytest.mark.fast
@pytest.mark.parametrize(
    ("tool", "heading"),
    [
        ("org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "kafka-consumer-groups.sh"),
        ("kafka.admin.ConfigCommand", "kafka-configs.sh"),
        ("org.apache.kafka.tools.consumer.group.ShareGroupCommand", "kafka-share-groups.sh"),
        ("org.apache.kafka.tools.StreamsResetter", "kafka-streams-application-reset.sh"),
        ("org.apache.kafka.tools.streams.StreamsGroupCommand", "kafka-streams-groups.sh"),
    ],
)
def test_every_option_of_kafkas_tool_has_its_task(tool: str, heading: str) -> None:
    command = jars.java(jars.DEFAULT_VERSION, 64, tool, "--help")
    help_text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    options = set(re.findall(r"^(?:\* )?(--[a-z][a-z-]*)", help_text, re.MULTILINE))
    section = _guide("kafka_tools").partition(f"\n{heading}\n---")[2].partition("\n---")[0]
    assert len(options) > 15
    assert options - set(re.findall(r"--[a-z][a-z-]*", section)) == set()


@pytest.mark.fast
def test_links_of_the_readme_work_on_galaxy() -> None:
    """Galaxy shows the README of the collection, without the files beside it."""
    links = re.findall(r"\]\(([^)]+)\)", _text("README.md"))
    repository = yaml.safe_load(_text("galaxy.yml"))["repository"]
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    ours = [link.removeprefix(f"{repository}/blob/main/") for link in links if link.startswith(f"{repository}/blob/")]
    assert len(ours) > 10
    assert [path for path in ours if not (CHECKOUT / path).exists()] == []


@pytest.mark.fast
def test_ratios_of_the_readme_were_measured() -> None:
    ratios = re.findall(r"([\d.]+) times as", _text("README.md"))
    measured = _text("docs/benchmarks.md")
    assert len(ratios) == 3
    assert [ratio for ratio in ratios if f"({ratio})" not in measured and f"| {ratio} |" not in measured] == []

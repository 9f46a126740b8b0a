# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report and the page of a fleet in a real browser: opened as files, at the size of a large cluster and fleet."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from ansible_collections.kafkaops.groups.plugins.module_utils._audit.report import fleet, render, wording
from playwright.sync_api import Browser

from tests.support import audits, fleets
from tests.support.browser import PATIENCE_MS, Opened, chromium, cut, drawn, opening, show

pytestmark = pytest.mark.live

# in the audit, in the page, and in view
GROUPS, FINDINGS, EMBEDDED, ROWS = 20_000, 50_000, 5_000, 50


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a large cluster."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    audit = audits.many(EMBEDDED, EMBEDDED)
    audit = dataclasses.replace(
        audit,
        summary={**audit.summary, "groups": GROUPS, "findings": FINDINGS},
        groups=audit.groups._replace(table=audit.groups.table._replace(total=GROUPS)),
        findings=audit.findings._replace(table=audit.findings.table._replace(total=FINDINGS)),
    )
    render.write(str(path), audit)
    assert path.stat().st_size < 5_000_000
    return path


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Opened]:
    """The report, open."""
    with opening(browser, file) as shown:
        yield shown


def test_shows_few_rows(browser: Browser, file: Path) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(file.as_uri(), wait_until="commit")
    page.wait_for_selector("#groups tbody tr")
    assert page.locator("#groups tbody tr").count() == ROWS
    assert page.locator("#findings tbody tr").count() == ROWS
    part = page.locator("#findings .part").inner_text()
    assert part.startswith("The page contains 5,000 of 50,000 findings. All are in this table of the audit: /var/lib/")
    page.close()


def test_links_to_the_tables(browser: Browser, tmp_path: Path) -> None:
    """Opened in its folder, also if that was moved, or by the links to the latest audit."""
    audit = audits.many(20, 20)
    assert audit.folder
    output = tmp_path / "moved"
    folder = output / audit.folder
    folder.mkdir(parents=True)
    (folder / "groups").mkdir()
    render.write(str(folder / "report.html"), audit)
    (output / "latest").symlink_to(audit.folder)
    (output / "report.html").symlink_to("latest/report.html")
    for opened_at in (folder, output / "latest", output):
        page = browser.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto((opened_at / "report.html").as_uri())
        link = page.locator("#tables a", has_text="/groups").evaluate("link => link.href")
        assert Path(unquote(urlsplit(link).path)).resolve() == folder / "groups"
        page.close()


def test_names_are_text(opened: Opened) -> None:
    names = opened.column("groups", "Group")[: len(audits.HOSTILE)]
    assert names[0] == audits.HOSTILE[0]
    assert names[1] == audits.HOSTILE[1]
    assert names[5:10] == [
        "line\\u2028separator\\u2029paragraph",
        "\\u202egnp.exe",
        "tab\\tnewline\\nnull\\x00",
        "zero\\u200bwidth",
        "lone \\ud800 surrogate",
    ]
    assert names[14] == "(empty name)"
    assert names[15].startswith("long-xxx")
    assert names[15].endswith("xxx-end")
    assert len(names[15]) < 200
    assert opened.page.locator("img").count() == 0


def test_sorts(opened: Opened) -> None:
    head = opened.page.locator('#groups th[data-column="lag"]')
    for direction, best in (("descending", max), ("ascending", min)):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == direction
        arrow = head.locator("button").evaluate("button => getComputedStyle(button, '::after').content")
        assert arrow == {"descending": '"↓"', "ascending": '"↑"'}[direction]
        lags = [int(lag.replace(",", "")) for lag in opened.column("groups", "Lag")]
        known = [row["lag"] for row in audits.many(EMBEDDED, 0).groups.rows if row["lag"] is not None]
        assert lags == sorted(lags, reverse=direction == "descending")
        assert lags[0] == best(known)
    # what has no value comes last, whatever the direction
    opened.page.locator('#groups [data-go="last"]').click()
    assert opened.column("groups", "Lag")[-1] == "unknown"
    opened.page.locator('#groups th[data-column="group"] button').click()
    assert opened.page.locator('#groups th[aria-sort="ascending"]').get_attribute("data-column") == "group"
    assert head.get_attribute("aria-sort") == "none"


def test_searches_filters_and_pages(opened: Opened) -> None:
    assert opened.status("groups") == "1 to 50 of 5,000 groups"
    opened.page.locator('#groups [data-go="next"]').click()
    assert opened.status("groups") == "51 to 100 of 5,000 groups"
    opened.page.locator('#groups th[data-column="lag"] button').click()
    opened.page.locator("#groups input").fill("REPORTS 1999")
    assert all("reports" in name and "1999" in name for name in opened.column("groups", "Group"))
    assert opened.status("groups").endswith("1 group (5,000 in total)")
    opened.page.locator("#groups input").fill("</SCRIPT>")
    assert opened.column("groups", "Group") == [audits.HOSTILE[0]]
    opened.page.locator("#groups input").fill("wwwwww")
    assert opened.column("groups", "Group") == [wording.shorten("W" * 249, 121)]
    opened.page.locator("#groups input").fill("no such group")
    assert opened.status("groups") == "No groups (5,000 in total)"
    opened.page.locator("#groups input").fill("")
    opened.page.get_by_label("State", exact=True).select_option(label=_option(opened, "State", "Empty"))
    assert set(opened.column("groups", "State")) == {"Empty"}
    opened.page.get_by_label("Finding", exact=True).select_option(label=_option(opened, "Finding", "Record that"))
    assert opened.status("findings") == "1 to 1 of 1 finding (5,000 in total)"


def test_links_of_owners_filter_both_tables(browser: Browser, opened: Opened, file: Path) -> None:
    def owners() -> list[set[str]]:
        return [set(opened.column(table, "Owner")) for table in ("findings", "groups")]

    opened.page.locator("#owners table a", has_text="team billing & co").click()
    assert owners() == [{"team billing & co"}] * 2
    assert opened.page.evaluate("location.hash") == "#owner=team%20billing%20%26%20co"
    number = opened.page.locator("#owners tr", has_text="team billing & co").locator("td").first.inner_text()
    assert opened.status("groups") == f"1 to 50 of {number} groups (5,000 in total)"
    opened.page.locator("#owners .card a", has_text="(no owner)").click()
    assert owners() == [{"(no owner)"}] * 2
    opened.page.locator("#owners .card a", has_text="team reports & co").click()
    assert owners() == [{"team reports & co"}] * 2
    # as somebody writes it, and as a chat does
    for fragment in ("team search & co", "team%20search%20%26%20co"):
        opened.page.evaluate(f"location.hash = {'owner=' + fragment!r}")
        opened.page.wait_for_function("document.querySelector('#groups tbody td').textContent.includes('search')")
        assert owners() == [{"team search & co"}] * 2
    # an owner of an earlier report has nothing here: not everything
    for name in ("left", "gone"):
        opened.page.evaluate(f"location.hash = 'owner={name}'")
        opened.page.wait_for_function("!document.querySelector('#groups tbody td')")
        options = opened.page.get_by_label("Owner", exact=True).first.locator("option").all_inner_texts()
        assert [option for option in options if option.endswith(" (0)")] == [f"{name} (0)"]
    assert opened.status("findings") == "No findings (5,000 in total)"
    opened.page.get_by_label("Owner", exact=True).first.select_option(label="all")
    assert opened.status("findings") == "1 to 50 of 5,000 findings"
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{file.as_uri()}#owner=Team%20%5Cu202e{quote(audits.HOSTILE[0])}")
    assert page.locator("#groups tbody th").all_inner_texts() == [audits.HOSTILE[0]]
    page.close()


def _option(opened: Opened, label: str, start: str) -> str:
    options = opened.page.get_by_label(label, exact=True).locator("option").all_inner_texts()
    return next(option for option in options if option.startswith(start))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_fits_the_screen(opened: Opened, tmp_path: Path, width: int, scheme: str) -> None:
    show(opened, width, scheme, tmp_path / f"{width}-{scheme}.png")
    # of the section on the last audit
    assert cut(opened, ".changes li, .multiples figcaption, .multiples p") == []
    # of the sections of owners, each with its findings
    assert cut(opened, "#owners .card h3, #owners .card p, #owners .card li") == []
    cards = opened.page.locator("#owners .card").all_inner_texts()
    assert len(cards) == len(audits.first_of_owners(list(audits.many(EMBEDDED, EMBEDDED).findings.rows)))
    assert "and" in next(card for card in cards if card.startswith("team billing & co"))
    # the report begins with the changes
    tops = [opened.page.locator(part).evaluate("each => each.offsetTop") for part in ("#since", ".tiles", "#actions")]
    assert tops == sorted(tops)
    marks = drawn(opened, "#since .multiples figure")
    assert len(marks) == 12
    # of a group without commits, the second drawing is empty
    assert [len(bars) for _lines, bars in marks].count(0) == 1
    for lines, bars in marks:
        assert lines
        assert all(width > 0 and height > 0 for width, height in [*lines, *bars])
    broken = [len(lines) for lines, _bars in marks if len(lines) > 1]
    assert broken == [2]


@pytest.fixture(scope="module")
def fleet_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a fleet of 50 clusters."""
    path = tmp_path_factory.mktemp("fleet") / "fleet.html"
    path.write_text(fleet.render(fleets.many(50)), "utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "light"), (1280, "dark")])
def test_a_fleet_fits_the_screen(browser: Browser, fleet_file: Path, tmp_path: Path, width: int, scheme: str) -> None:
    with opening(browser, fleet_file, fleets.NOW) as opened:
        show(opened, width, scheme, tmp_path / f"fleet-{width}-{scheme}.png")
        assert cut(opened, ".tiles dt, .tiles dd, figcaption, .multiples p, #clusters td, #clusters tbody th") == []
        marks = drawn(opened, ".multiples figure")
        assert len(marks) == 50
        # clusters with one audit have no lines, and the lag of others is unknown
        assert {len(lines) for lines, _bars in marks} == {0, 2, 3}
        # each fills its card
        cards = opened.page.eval_on_selector_all(".multiples figure", "each => each.map(card => card.clientWidth)")
        for (lines, _bars), card in zip(marks, cards, strict=True):
            assert all(card - 60 < line < card for line, _height in lines)
        # a phone shows the rest of the table by scrolling
        table = opened.page.locator("#clusters .scroll")
        assert table.evaluate("each => each.clientWidth") <= width
        table.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
        name, link = (opened.page.locator(f"#clusters {part}").first.bounding_box() for part in ("tbody th", "a"))
        assert name is not None
        assert link is not None
        assert 0 <= name["x"] < name["x"] + name["width"] <= link["x"] < link["x"] + link["width"] <= width


def test_a_fleet_shows_the_ages_of_its_audits(browser: Browser, fleet_file: Path) -> None:
    def ages(opened: Opened) -> dict[str, int]:
        texts = opened.page.locator("#clusters .ago").all_inner_texts()
        return {text: texts.count(text) for text in sorted({*texts})}

    def old(opened: Opened) -> tuple[int, int]:
        marks = [mark.is_visible() for mark in opened.page.locator("#clusters .mark").all()]
        return sum(marks), int(opened.page.locator("#old dd").inner_text())

    with opening(browser, fleet_file, fleets.NOW + datetime.timedelta(minutes=40)) as opened:
        assert ages(opened) == {
            "24 h ago": 6,
            "40 min ago": 6,
            **{f"{days} d ago": 6 for days in range(2, 5)},
            **{f"{days} d ago": 5 for days in range(5, 9)},
        }
        # an age of 7 days and 40 minutes is more than 7 days
        assert old(opened) == (10, 10)
        titles = opened.page.locator("#clusters tbody th bdi").all_inner_texts()
        assert audits.HOSTILE[0] in titles
        assert "\\u202egnp.exe" in titles
        assert opened.page.locator("img").count() == 0
    # nobody has written the page again for a year
    with opening(browser, fleet_file, fleets.NOW + datetime.timedelta(days=365)) as opened:
        assert old(opened) == (50, 50)
        assert opened.page.locator("#old.alarm").count() == 1
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(fleet_file.as_uri())
    assert page.locator("#clusters tr.old .mark").first.is_visible()
    assert page.locator("#clusters tbody tr").count() == 50
    context.close()


def test_bars_are_as_long_as_their_numbers(opened: Opened) -> None:
    cells = opened.page.eval_on_selector_all(
        ".chart:nth-child(2) td:nth-child(2)",
        "cells => cells.map(cell => [cell.textContent, cell.querySelector('span').offsetWidth, cell.clientWidth])",
    )
    numbers = [int(text.replace(",", "")) for text, _bar, _whole in cells]
    assert len(numbers) == 60
    for number, (_text, bar, whole) in zip(numbers, cells, strict=True):
        assert abs(bar - whole * number / max(numbers)) <= 1


def test_prints(opened: Opened, tmp_path: Path) -> None:
    count = "document.querySelectorAll('#findings tbody tr').length"
    note = "document.querySelector('#findings .print-note').textContent"
    opened.page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = [{count}, {note}]; }})")
    opened.page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    assert opened.page.evaluate("printed") == [
        500,
        "500 of 50,000 findings are printed.",
    ]
    assert opened.page.evaluate(count) == ROWS
    opened.page.emulate_media(media="print")
    for hidden in ("#findings .controls", "#findings .pager", "#groups .rows", "nav"):
        assert not opened.page.locator(hidden).is_visible()
    for visible in ("#findings .rows", "#findings .print-note", "#groups .print-note", ".tiles"):
        assert opened.page.locator(visible).is_visible()


def test_works_without_javascript(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator(".tiles dd").first.inner_text() == "20,000"
    assert page.locator(".chart table").count() == 4
    assert page.locator("#groups noscript").is_visible()
    assert not page.locator("#groups table").is_visible()
    context.close()

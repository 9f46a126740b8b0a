# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real browser that opens reports as files."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

# of one step in the browser, on a busy machine
PATIENCE_MS = 120_000
CHROMIUM = "/usr/bin/chromium"
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without windows.

    :raises RuntimeError: when it is not installed.
    """
    if not os.path.exists(CHROMIUM):
        raise RuntimeError(f"{CHROMIUM} is missing: install chromium (Debian, Ubuntu: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@dataclass(frozen=True)
class Opened:
    """The page, and what must stay empty: what it asked for but its own file, and what it complained about."""

    page: Page
    url: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def rows(self, table: str) -> list[list[str]]:
        """Return the texts of the cells that the table shows."""
        cells: list[list[str]] = self.page.eval_on_selector_all(
            f"#{table} tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        )
        return cells

    def column(self, table: str, label: str) -> list[str]:
        """Return the texts of one column."""
        labels = self.page.locator(f"#{table} .rows thead th").all_inner_texts()
        return [row[labels.index(label)] for row in self.rows(table)]

    def status(self, table: str) -> str:
        """Return what the table says about the rows that it shows."""
        return self.page.locator(f"#{table} [role=status]").inner_text()


@contextlib.contextmanager
def opening(browser: Browser, file: Path, now: datetime.datetime | None = None) -> Iterator[Opened]:
    """A page, open; whatever the test does, the page asks for nothing and complains about nothing."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    shown = Opened(context.new_page(), file.as_uri())
    if now is not None:
        shown.page.clock.set_fixed_time(now)
    shown.page.on("request", lambda request: shown.requests.append(request.url))
    shown.page.on("console", lambda message: shown.complaints.append(message.text))
    shown.page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    shown.page.goto(shown.url)
    yield shown
    title = shown.page.title()
    context.close()
    assert shown.requests == [shown.url]
    assert shown.complaints == []
    assert title.startswith("Consumer groups of ")


def show(opened: Opened, width: int, scheme: str, picture: Path) -> None:
    """Show the page at a width, and take a picture of it; nothing is wider than the screen."""
    opened.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    opened.page.set_viewport_size({"width": width, "height": 800})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.screenshot(path=str(picture), full_page=True)


def cut(opened: Opened, selector: str) -> list[str]:
    """The texts that are wider than their element, of which there are some."""
    texts: list[str] = opened.page.eval_on_selector_all(
        selector,
        """elements => elements.length
            ? elements.filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)
            : ["nothing"]""",
    )
    return texts


def drawn(opened: Opened, selector: str) -> list[tuple[list[tuple[float, float]], list[tuple[float, float]]]]:
    """The widths and heights in the picture of the lines and the bars of each drawing."""
    marks: list[tuple[list[tuple[float, float]], list[tuple[float, float]]]] = opened.page.eval_on_selector_all(
        selector,
        """figures => figures.map(figure => ["polyline", "rect"].map(mark => [...figure.querySelectorAll(mark)]
            .map(each => each.getBoundingClientRect()).map(box => [box.width, box.height])))""",
    )
    return marks

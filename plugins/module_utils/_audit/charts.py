# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report's charts: matplotlib draws them as SVG, which the page's own style sheet then colours."""

from __future__ import annotations

import collections
import collections.abc as c
import dataclasses
import datetime
import io
import math
import traceback
import typing as t
import warnings
from xml.etree import ElementTree

from .wording import count, counted, shorten, shown

MATPLOTLIB_IMPORT_ERROR: str | None = None
try:
    import matplotlib
    from matplotlib.figure import Figure
except ImportError:
    MATPLOTLIB_IMPORT_ERROR = traceback.format_exc()

Rows = c.Sequence[c.Mapping[str, t.Any]]

# what matplotlib draws with -> what the style sheet makes of it, in light and in dark
ACCENT, STALE, MUTED, LINE = "#1d5fd1", "#b4540a", "#556274", "#dde2e9"
_VARIABLES = {ACCENT: "var(--accent)", STALE: "var(--stale)", MUTED: "var(--muted)", LINE: "var(--line)"}

# in the pixels of a phone; wider screens enlarge them
_WIDTH, _HEIGHT, _FONT = 400, 240, 11
_BAR = 30
_NAME = 40

# days, and what a group whose last commit is younger is counted as
AGES = [(1 / 24, "<1h"), (1, "<1d"), (7, "<7d"), (30, "<30d"), (90, "<90d"), (365, "<1y"), (math.inf, "older")]
UNKNOWN = "none"
DAYS = 90
_FEWEST_DAYS = 14
TOP = 10

_SVG = "http://www.w3.org/2000/svg"
_NAMESPACE = f"{{{_SVG}}}"


@dataclasses.dataclass(frozen=True)
class Chart:
    """A picture (SVG, None if there is nothing to see), a note on it, and its figures as a table.

    Attributes:
        legend: whether the colours need to be explained.
    """

    title: str
    note: str
    svg: str | None
    head: tuple[str, ...]
    rows: c.Sequence[tuple[str, ...]]
    legend: bool = False


def age_buckets(groups: Rows) -> dict[str, tuple[int, int]]:
    """Return, for each bucket of AGES and UNKNOWN, how many groups are not stale and how many are."""
    found: collections.Counter[tuple[str, bool]] = collections.Counter()
    for group in groups:
        age = group["age_days"]
        label = UNKNOWN if age is None else next(label for limit, label in AGES if age < limit)
        found[label, bool(group["stale"])] += 1
    return {label: (found[label, False], found[label, True]) for label in [*(label for _days, label in AGES), UNKNOWN]}


def place_of(days: float) -> float:
    """Return where an age stands on the axis of the buckets: the bucket i reaches from i - 0.5 to i + 0.5."""
    lower = 0.0
    for place, (upper, _label) in enumerate(AGES):
        if days <= upper:
            return place - 0.5 + (days - lower) / (upper - lower)
        lower = upper
    raise ValueError(days)


def ages(groups: Rows, stale_after: str, stale_days: float) -> Chart:
    """Return the histogram of the age of the last commit, with the limit `stale_after` marked."""
    buckets = age_buckets(groups)
    figure = _figure(_HEIGHT)
    axes = figure.add_axes((0.02, 0.16, 0.96, 0.68))
    _bare(axes)
    most = max(1, *(sum(both) for both in buckets.values()))
    axes.set(xlim=(-0.55, len(buckets) - 0.45), ylim=(0, most * 1.02))
    for place, (label, (fresh, stale)) in enumerate(buckets.items()):
        axes.bar(place, fresh, 0.72, color=ACCENT, clip_on=False)
        axes.bar(place, stale, 0.72, bottom=fresh, color=STALE, clip_on=False)
        _write(axes, place, fresh + stale, count(fresh + stale), dy=4, ha="center")
        _write(axes, place, 0, label, dy=-15, ha="center", color=MUTED)
    limit = place_of(stale_days)
    axes.axvline(limit, color=STALE, linewidth=1.2, linestyle=(0, (4, 3)), ymax=1.12, clip_on=False)
    right = limit > len(buckets) / 2
    _write(
        axes,
        limit,
        most * 1.02 * 1.12,
        f"limit {stale_after}",
        dx=-5 if right else 5,
        dy=2,
        ha="right" if right else "left",
        color=STALE,
    )
    rows = [(label, count(fresh), count(stale)) for label, (fresh, stale) in buckets.items()]
    told = "; ".join(f"{label} {count(fresh + stale)}" for label, (fresh, stale) in buckets.items())
    return Chart(
        "Age of the last commit",
        "How many groups last committed, or changed, how long ago. None: the topic holds no time of either.",
        _svg(figure, f"Histogram. Groups by the age of their last commit: {told}. The limit is {stale_after}.")
        if groups
        else None,
        ("Last commit", "Not stale", "Stale"),
        rows,
        legend=True,
    )


def activity(rows: Rows, today: datetime.date) -> Chart:
    """Return commits, tombstones and rebalances a day, of the last DAYS days."""
    first = today - datetime.timedelta(days=DAYS - 1)
    recent = {row["day"]: row for row in rows if first <= row["day"] <= today}
    outside = sum(row["commits"] for row in rows if row["day"] not in recent)
    note = f"By the record's time, in UTC, of the last {DAYS} days. Compaction removes older commits of a key."
    if outside:
        note += f" {counted(outside, 'commit')} of other days are not shown."
    if recent:
        first = min(*recent, today - datetime.timedelta(days=_FEWEST_DAYS - 1))
    days = [first + datetime.timedelta(days=day) for day in range((today - first).days + 1)]
    figure = _figure(_HEIGHT)
    told = []
    for place, column in enumerate(("commits", "tombstones", "rebalances")):
        values = [recent[day][column] if day in recent else 0 for day in days]
        axes = figure.add_axes((0.02, 0.70 - 0.295 * place, 0.96, 0.195))
        _bare(axes)
        axes.set(xlim=(-0.6, len(days) - 0.4), ylim=(0, max(1, *values)))
        axes.bar(range(len(days)), values, 0.8, color=ACCENT, clip_on=False)
        _write(axes, -0.6, max(1, *values), column, dy=5)
        _write(axes, len(days) - 0.4, max(1, *values), f"most {count(max(values))}", dy=5, ha="right", color=MUTED)
        told.append(f"{count(sum(values))} {column}, at most {count(max(values))} a day")
    for place, ha in ((0, "left"), (len(days) // 2, "center"), (len(days) - 1, "right")):
        edge = {"left": -0.6, "center": 0.0, "right": 0.6}[ha]
        _write(axes, place + edge, 0, days[place].isoformat(), dy=-14, ha=ha, color=MUTED)
    return Chart(
        "Activity a day",
        note,
        _svg(figure, f"Bar charts from {days[0]} to {days[-1]}: {'; '.join(told)}.") if recent else None,
        ("Day", "Commits", "Tombstones", "Rebalances"),
        [
            (day.isoformat(), *(count(recent[day][column]) for column in ("commits", "tombstones", "rebalances")))
            for day in reversed(days)
            if day in recent
        ],
    )


def top(groups: Rows, column: str, title: str, note: str) -> Chart:
    """Return the TOP groups with most of `column`, as bars; those that have none are left out."""
    most = sorted((group for group in groups if group[column]), key=lambda row: (-row[column], row["group"]))[:TOP]
    rows = [(shown(group["group"]), count(group[column])) for group in most]
    svg = None
    if most:
        height = _BAR * len(most) + 4
        figure = _figure(height)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        _bare(axes)
        axes.set(xlim=(0, most[0][column]), ylim=(height, 0))
        for place, (name, value) in enumerate(rows):
            base = (place + 1) * _BAR
            axes.barh(base - 4, most[0][column], 7, color=LINE, clip_on=False)
            axes.barh(base - 4, most[place][column], 7, color=ACCENT, clip_on=False)
            _write(axes, 0, base, shorten(name, _NAME), dy=12, gid=f"name-{place}")
            _write(axes, most[0][column], base, value, dy=12, ha="right", color=MUTED)
        told = "; ".join(f"{shorten(name, _NAME)} {value}" for name, value in rows)
        svg = _svg(figure, f"Bar chart. {title}: {told}.", [name for name, _value in rows])
    return Chart(title, note, svg, ("Group", column.replace("_", " ").capitalize()), rows)


def _figure(height: int) -> Figure:
    # at 72 dots an inch a pixel is a point, matplotlib's unit of text
    return Figure(figsize=(_WIDTH / 72, height / 72), dpi=72, facecolor="none")


def _bare(axes: t.Any) -> None:
    axes.set(xticks=[], yticks=[], facecolor="none")
    axes.spines[:].set_visible(False)


def _write(
    axes: t.Any,
    x: float,
    y: float,
    text: str,
    *,
    dx: int = 0,
    dy: int = 0,
    ha: str = "left",
    color: str = "black",
    gid: str | None = None,
) -> None:
    """Write at a place of the data, moved by dx and dy pixels; `text` is never read as mathematics."""
    axes.annotate(
        text,
        (x, y),
        xytext=(dx, dy),
        textcoords="offset points",
        ha=ha,
        color=color,
        gid=gid,
        fontsize=_FONT,
        parse_math=False,
        annotation_clip=False,
    )


def _svg(figure: Figure, told: str, names: c.Sequence[str] = ()) -> str:
    """Return the figure for use in a page: no ids, fonts, dates or style sheet of its own; titles have full names."""
    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "kafkaops"}), warnings.catch_warnings():
        # the browser has the glyphs that matplotlib's font lacks
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(file.getvalue())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{_NAMESPACE}metadata", f"{_NAMESPACE}defs"):
                parent.remove(child)
    for element in root.iter():
        gid = element.attrib.pop("id", "")
        if gid.startswith("name-"):
            title = ElementTree.Element(f"{_NAMESPACE}title")
            title.text = names[int(gid.removeprefix("name-"))]
            element.insert(0, title)
        if "style" in element.attrib:
            element.attrib["style"] = _style(element.attrib["style"])
    # an SVG inside HTML needs no namespace
    for element in root.iter():
        element.tag = element.tag.removeprefix(_NAMESPACE)
    del root.attrib["width"], root.attrib["height"]
    root.attrib.update({"role": "img", "aria-label": told})
    return ElementTree.tostring(root, encoding="unicode")


def _style(style: str) -> str:
    parts = (part.strip() for part in style.split(";"))
    kept = "; ".join(part for part in parts if part and not part.startswith("font"))
    for colour, variable in _VARIABLES.items():
        kept = kept.replace(colour, variable)
    return kept

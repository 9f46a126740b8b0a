# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of the report: Jinja template, style sheet, and the JavaScript of the tables."""

from __future__ import annotations

TEMPLATE = r"""{% macro place(table) %}
{% if audit.folder %}
<a class="table path" href="{{ table.name }}/"><code>{{ table.location|printable }}</code></a>
{%- else %}
<code class="path">{{ table.location|printable }}</code>
{%- endif %}
{% endmacro %}
<body>
<header>
  <p class="kicker">Audit of consumer groups</p>
  <h1>Kafka cluster <bdi>{{ audit.cluster_id|printable }}</bdi></h1>
  <p class="facts"><span>{{ audit.created|time }}</span>
    {% if audit.snapshots %}
    <span>{{ audit.snapshots[0]|number }} snapshots, observed since {{ audit.snapshots[1]|time }}</span></p>
    {% else %}
    <span>{{ audit.summary.records|number }} records of <bdi>{{ audit.topic|printable }}</bdi>
    in {{ "%.1f"|format(audit.duration) }} s</span></p>
    {% endif %}
  <p>{% for sentence in criteria %}{{ sentence }} {% endfor %}</p>
  <nav aria-label="Sections">{% if audit.earlier %}<a href="#since">Since the last audit</a> {% endif %}
    <a href="#actions">Actions</a> <a href="#charts">Charts</a>
    {% if audit.owners %}<a href="#owners">Owners</a>{% endif %}
    <a href="#findings">Findings</a> <a href="#groups">Groups</a> <a href="#tables">Tables</a></nav>
</header>
<main>
{% if audit.warnings %}
<section class="warnings" aria-labelledby="warnings">
  <h2 id="warnings">Warnings</h2>
  <ul>{% for warning in audit.warnings %}<li>{{ warning|printable }}</li>{% endfor %}</ul>
</section>
{% endif %}

{% if audit.earlier %}
<section id="since" aria-labelledby="since-title">
  <h2 id="since-title">Since the last audit</h2>
  {% if audit.last %}
  <p>The last audit of this cluster with the same criteria was at {{ audit.last|time }}.
  {% if audit.unknown %}
  {{ audit.unknown|join(", ") }}: unknown, because one of the two audits is not complete.
  {% endif %}</p>
  {% else %}
  <p>Changes are shown only if an earlier audit of this cluster with the same criteria is kept and can be read.</p>
  {% endif %}
  {% if audit.changes %}
  <ul class="changes cards">
  {% for change in audit.changes %}
    <li class="card"><h3>{{ change.title }} <span class="badge">{{ change.number|number }}</span></h3>
      <p>{{ change.meaning }}</p>
      <ul class="names">{% for name in change.names %}<li><bdi>{{ name|printable|shorten(80) }}</bdi></li>{% endfor %}
      {% if change.number > change.names|length %}<li>and {{ (change.number - change.names|length)|number }} more</li>
      {% endif %}</ul></li>
  {% endfor %}
  </ul>
  {% elif audit.last and not audit.unknown %}
  <p>Nothing changed: no group is new, deleted, revived or newly stale, and no finding is new.</p>
  {% endif %}
  {% if audit.multiples %}
  {% if audit.snapshots %}
  <h3>Lag over time</h3>
  <p>The lag of the groups with the highest known lag, at each audit that is kept. Each drawing has its own scale.</p>
  {% else %}
  <h3>Lag and commits over time</h3>
  <p>The groups with the highest known lag: the line is their lag at each audit that is kept, the bars are their known
    commits a day in the last 30 days (UTC). Each drawing has its own scale. Compaction removes commits from the topic:
    on days before the first audit that is kept, there may have been more.</p>
  {% endif %}
  <div class="multiples">
  {% for one in audit.multiples %}
    <figure class="card"><figcaption><bdi title="{{ one.group|printable }}">{{ one.group|printable|shorten(32) }}</bdi>
      </figcaption>
      <svg viewBox="-2 -2 124 36" preserveAspectRatio="none" role="img"
        aria-label="Lag: now {{ one.last_lag|number }}, at most {{ one.highest_lag|number }}">
        {%- for line in one.lag %}<polyline points="{{ line }}"/>{% endfor %}</svg>
      <p>Lag {{ one.last_lag|number }}, at most {{ one.highest_lag|number }}</p>
      {% if one.commits is not none %}
      <svg viewBox="-2 -2 124 36" preserveAspectRatio="none" role="img"
        aria-label="Commits in 30 days: at least {{ one.commits|number }}">
      {%- for x, y, width, height in one.bars -%}
        <rect x="{{ x }}" y="{{ y }}" width="{{ width }}" height="{{ height }}"/>
      {%- endfor %}</svg>
      <p>At least {{ one.commits|number }} commits</p>
      {% endif %}</figure>
  {% endfor %}
  </div>
  {% endif %}
</section>
{% endif %}

<dl class="tiles">
{% for tile in tiles %}
  <div{% if tile.alarm %} class="alarm"{% endif %}><dt>{{ tile.label }}</dt><dd>{{ tile.number|number }}</dd></div>
{% endfor %}
</dl>

<section id="actions" aria-labelledby="actions-title">
  <h2 id="actions-title">Findings and recommended actions</h2>
  {% if kinds %}
  <ul class="kinds cards">
  {% for kind in kinds %}
    <li class="card"><h3>{{ kind.advice.title }} <span class="badge">{{ kind.number|number }}</span>
      {% if kind.planned %}<span class="planned">{{ kind.planned|number }} in the plan</span>{% endif %}</h3>
      <p>{{ kind.advice.meaning }}</p>
      <p><strong>Action:</strong> {{ kind.advice.action }}</p></li>
  {% endfor %}
  </ul>
  {% else %}
  <p>No findings.</p>
  {% endif %}
  <h3>The plan</h3>
  {% if example %}
  <p>{{ plan_summary }} Nothing has been deleted yet. When the modules apply the plan, they check each group again and
    skip groups and offsets that changed since the audit. The plan is this file:</p>
  <p class="path"><code>{{ audit.plan|printable }}</code></p>
  <p>Review the plan, and remove the entries to keep. Save this playbook as <code>clean-up.yml</code>, with the
    addresses of your brokers:</p>
  <pre tabindex="0" aria-label="Playbook that applies the plan"><code>{{ example }}</code></pre>
  <p>Run the playbook in check mode first, which shows the deletions without changes. Then run it without
    <code>--check</code>:</p>
  <pre tabindex="0" aria-label="Commands"><code>ansible-playbook clean-up.yml --check --diff
ansible-playbook clean-up.yml</code></pre>
  <p>The backups contain everything that is deleted. To restore it, use
    <code>kafkaops.groups.consumer_group_offsets</code> with <code>restore</code>.</p>
  {% else %}
  <p>The plan is empty.</p>
  {% endif %}
</section>

<section id="charts" aria-labelledby="charts-title">
  <h2 id="charts-title">Charts</h2>
  <div class="charts cards">
  {% for chart in charts %}
    <figure class="chart card">
      <figcaption><h3>{{ chart.title }}</h3><p>{{ chart.note }}</p></figcaption>
      {% if chart.rows %}
      <div class="scroll" role="region" tabindex="0" aria-label="{{ chart.title }}">
        <table><thead><tr>{% for label in chart.head %}<th scope="col">{{ label }}</th>{% endfor %}</tr></thead>
        <tbody>
        {% for name, bars in chart.rows %}
          <tr><th scope="row">
            <bdi{% if name|length > 40 %} title="{{ name }}"{% endif %}>{{ name|shorten(40) }}</bdi></th>
          {%- for bar in bars %}<td class="bar{% if bar.stale %} stale{% endif %}">
            <span style="width: {{ bar.percent }}%"></span>{{ bar.number|number }}</td>{% endfor %}</tr>
        {% endfor %}
        </tbody></table></div>
      {% else %}
      <p class="no-data">No data.</p>
      {% endif %}
    </figure>
  {% endfor %}
  </div>
</section>

{% if audit.owners %}
<section id="owners" class="listing" aria-labelledby="owners-title">
  <h2 id="owners-title">Owners</h2>
  <p>The link of an owner filters both tables. Copy it to send the report to the owner.</p>
  {% if owners.part %}
  <p class="part">{{ owners.part }} {{ place(audit.groups.table) }}</p>
  {% endif %}
  <div class="scroll" role="region" tabindex="0" aria-labelledby="owners-title">
    <table>
      <thead><tr><th scope="col">Owner</th><th scope="col" class="number">Groups</th>
        <th scope="col" class="number">Stale groups</th><th scope="col" class="number">Findings</th>
        <th scope="col" class="number">In the plan</th></tr></thead>
      <tbody>
      {% for row in owners.rows %}
        <tr><th scope="row"><a href="{{ row.link }}"><bdi>{{ row.name|shorten(120) }}</bdi></a>
          </th><td class="number">{{ row.groups|number }}</td><td class="number">{{ row.stale|number }}</td>
          <td class="number">{{ row.findings|number }}</td><td class="number">{{ row.planned|number }}</td></tr>
      {% endfor %}
      </tbody>
    </table>
  </div>
  <div class="owned cards">
  {% for one in owners.sections %}
    <section class="card" aria-labelledby="owner-{{ loop.index }}">
      <h3 id="owner-{{ loop.index }}"><a href="{{ one.link }}"><bdi>{{ one.name|shorten(80) }}</bdi></a>
        <span class="badge">{{ one.findings|number }}</span>
        {% if one.planned %}<span class="planned">{{ one.planned|number }} in the plan</span>{% endif %}</h3>
      <p>Groups: {{ one.groups|number }}, stale: {{ one.stale|number }}</p>
      {% if one.first %}
      <ul class="names">{% for name in one.first %}<li><bdi>{{ name|printable|shorten(120) }}</bdi></li>{% endfor %}
      {% if one.findings > one.first|length %}<li>and {{ (one.findings - one.first|length)|number }} more</li>
      {% endif %}</ul>
      {% else %}
      <p class="no-data">No findings.</p>
      {% endif %}</section>
  {% endfor %}
  </div>
</section>
{% endif %}

{% for table in tables %}
<section id="{{ table.name }}" aria-labelledby="{{ table.name }}-title" data-table="{{ table.name }}">
  <h2 id="{{ table.name }}-title">{{ table.title }}</h2>
  <p>{{ table.note }}</p>
  {% if table.part %}
  <p class="part">{{ table.part }} {{ place(table.of) }}</p>
  {% endif %}
  <noscript><p class="no-data">This table requires JavaScript. Its rows are also in the tables of the audit.</p>
  </noscript>
  <div class="controls" hidden>
    <div class="search"><label for="{{ table.name }}-search">Search</label>
      <input id="{{ table.name }}-search" type="search" autocomplete="off" spellcheck="false"></div>
    {% for column in table.columns if column.filter %}
    <div><label for="{{ table.name }}-{{ column.key }}">{{ column.label }}</label>
      <select id="{{ table.name }}-{{ column.key }}" data-column="{{ column.key }}">
        <option value="">all</option></select></div>
    {% endfor %}
  </div>
  <div class="scroll rows" role="region" tabindex="0" aria-labelledby="{{ table.name }}-title" hidden>
    <table>
      <thead><tr>
      {% for column in table.columns %}
        <th scope="col" class="{{ column.kind }}" data-column="{{ column.key }}" aria-sort="none">
          <button type="button" title="{{ column.hint }}">{{ column.label }}</button></th>
      {% endfor %}
      </tr></thead>
      <tbody></tbody>
    </table>
  </div>
  <div class="pager" hidden>
    <span role="status"></span>
    <span class="buttons">
      <button type="button" data-go="first">First</button><button type="button" data-go="previous">Previous</button>
      <button type="button" data-go="next">Next</button><button type="button" data-go="last">Last</button>
    </span>
  </div>
  <p class="print-note"></p>
  <script type="application/json">{{ table.json|safe }}</script>
</section>
{% endfor %}
<section id="tables" aria-labelledby="tables-title"{% if audit.folder %} data-folder="{{ audit.folder }}"{% endif %}>
  <h2 id="tables-title">Tables of the audit</h2>
  <p>Charts and lists are a part of these tables, in which all rows are:</p>
  <ul>
  {% for table in audit.tables %}
    <li>{{ table.name }}, {{ table.total|number }} row{{ "" if table.total == 1 else "s" }}: {{ place(table) }}</li>
  {% endfor %}
  </ul>
</section>
</main>
<footer><p>Created by <code>kafkaops.groups.consumer_offsets_audit</code>. All times are in UTC.
Invisible characters in names are shown as escapes such as <code>\u202e</code>. The plan contains the original
names.</p>
</footer>
<script>{{ script|safe }}</script>
</body>
"""

STYLE = r"""
:root {
  color-scheme: light dark;
  --ground: #f5f7fa; --surface: #ffffff; --ink: #16202e; --muted: #556274; --line: #dde2e9;
  --accent: #1d5fd1; --stale: #b4540a; --stale-ground: #fdf3e7;
  --bar: #bcd3fa; --stale-bar: #f6cfa3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f141b; --surface: #171e27; --ink: #e6ebf2; --muted: #9aa7b8; --line: #2d3846;
    --accent: #79a9ff; --stale: #f0a35e; --stale-ground: #2b2118;
    --bar: #274a82; --stale-bar: #70441a;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 76rem; padding: 2rem 1.5rem 3rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1, h2, h3 { line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; margin-bottom: 0.4rem; }
h3 { font-size: 1rem; }
p { margin: 0.4rem 0; max-width: 75ch; overflow-wrap: anywhere; }
section { margin-top: 2.75rem; scroll-margin-top: 1rem; }
code { font: 0.875rem ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { padding: 0.9rem 1rem; overflow-x: auto; }
.card, pre, .tiles div, .scroll { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
.path { overflow-wrap: anywhere; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

.kicker { color: var(--accent); font-weight: 600; margin: 0 0 0.2rem; }
.facts { color: var(--muted); }
.facts span + span::before { content: "· "; }
nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1.25rem; margin-top: 0.9rem; }
.warnings { background: var(--stale-ground); border-left: 4px solid var(--stale); border-radius: 4px; }
.warnings { padding: 0.9rem 1.1rem; }
.warnings h2 { font-size: 1rem; }
.warnings ul { margin: 0; padding-left: 1.1rem; overflow-wrap: anywhere; }

.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0.75rem; margin: 2rem 0 0; }
.tiles div { padding: 0.8rem 1rem; }
.tiles dt { color: var(--muted); font-size: 0.875rem; }
.tiles dd { margin: 0; font-size: 1.6rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles .alarm dd { color: var(--stale); }

.cards { display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.card { padding: 1rem 1.1rem; margin: 0; min-width: 0; }
.planned { color: var(--muted); font-size: 0.875rem; font-weight: 400; }
.kinds, .changes { list-style: none; margin: 0.9rem 0 2rem; padding: 0; }
.owned { margin-top: 0.9rem; }
.names { margin: 0.4rem 0 0; padding-left: 1.1rem; overflow-wrap: anywhere; font-size: 0.9375rem; }
.multiples { display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); }
.multiples figcaption { font-weight: 600; font-size: 0.875rem; overflow-wrap: anywhere; }
.multiples p { color: var(--muted); font-size: 0.8125rem; margin: 0; font-variant-numeric: tabular-nums; }
.multiples svg { display: block; width: 100%; height: 3rem; margin-top: 0.4rem; }
.multiples polyline { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.multiples rect { fill: var(--bar); }
.kinds p { font-size: 0.9375rem; }
.badge {
  display: inline-block; padding: 0 0.55em; border-radius: 1em; background: var(--stale-ground); color: var(--stale);
  font-size: 0.875em; font-weight: 600; font-variant-numeric: tabular-nums;
}

.chart figcaption { margin-bottom: 0.9rem; }
.chart figcaption p { color: var(--muted); font-size: 0.875rem; }
.chart .scroll { max-height: 24rem; }
.chart th, .chart td { padding: 0.25rem 0.6rem; }
.chart thead th { position: sticky; top: 0; z-index: 1; background: var(--surface); color: var(--muted); }
.chart th:not(:first-child), .bar { text-align: right; border-right: 6px solid transparent; }
.chart table { table-layout: fixed; }
.bar { position: relative; isolation: isolate; }
.bar span { position: absolute; z-index: -1; inset: 2px auto 2px 0; background: var(--bar); }
.bar.stale span { background: var(--stale-bar); }
.no-data { color: var(--muted); font-style: italic; }

.controls { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; align-items: end; margin: 1rem 0 0.75rem; }
.controls[hidden], .pager[hidden] { display: none; }
.controls > div { display: grid; gap: 0.2rem; color: var(--muted); font-size: 0.875rem; min-width: 0; }
.controls .search { flex: 1 1 16rem; }
input, select, .pager button {
  font: inherit; color: var(--ink); background: var(--surface); border: 1px solid var(--muted); border-radius: 6px;
  padding: 0.4rem 0.6rem; min-width: 0; max-width: 100%; min-height: 2.4rem;
}
.scroll { overflow: auto; }
#owners .scroll { max-height: 24rem; }
.listing thead th { position: sticky; top: 0; background: var(--surface); white-space: normal; }
.listing tbody th { min-width: 8rem; }
.listing th:first-child { position: sticky; left: 0; background: var(--surface); border-right: 1px solid var(--line); }
.listing thead th:first-child { z-index: 1; }
table { border-spacing: 0; width: 100%; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.45rem 0.75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
tbody th { font-weight: 500; overflow-wrap: anywhere; }
.number, .age { text-align: right; white-space: nowrap; }
.time, .word, .flag { white-space: nowrap; }
.name { min-width: 11rem; overflow-wrap: anywhere; white-space: pre-wrap; }
.sentence { min-width: 18rem; overflow-wrap: anywhere; }
.rows thead th { padding: 0; border-bottom: 1px solid var(--muted); white-space: nowrap; overflow-wrap: normal; }
.rows th:first-child {
  position: sticky; left: 0; z-index: 1; background: var(--surface); border-right: 1px solid var(--line);
}
.rows { max-height: max(24rem, 80vh); }
.rows thead th { position: sticky; top: 0; z-index: 2; background: var(--surface); }
.rows thead th:first-child { z-index: 3; }
.rows thead button {
  font: inherit; font-weight: 600; color: inherit; background: none; border: 0; cursor: pointer; width: 100%;
  padding: 0.6rem 0.75rem; text-align: inherit;
}
.rows thead button:focus-visible { outline-offset: -2px; }
.rows thead button::after { content: "\2195"; color: var(--muted); padding-left: 0.35em; font-weight: 400; }
.rows [aria-sort="ascending"] button::after { content: "\2191"; color: var(--accent); }
.rows [aria-sort="descending"] button::after { content: "\2193"; color: var(--accent); }
.pager {
  display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 0.75rem;
  margin-top: 0.75rem; color: var(--muted); font-size: 0.875rem; font-variant-numeric: tabular-nums;
}
.buttons { display: flex; gap: 0.4rem; }
.pager button { cursor: pointer; border-color: var(--line); }
.pager button:hover:enabled { border-color: var(--accent); }
.pager button:disabled { opacity: 0.45; cursor: default; }
.print-note { display: none; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); color: var(--muted); font-size: 0.875rem; }

@media (max-width: 40rem) {
  body { padding: 1.25rem 1rem 2rem; }
  h1 { font-size: 1.4rem; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  .tiles dd { font-size: 1.3rem; }
  .card { padding: 0.75rem; }
  .chart table { font-size: 0.75rem; }
  .chart table:has(th:nth-child(4)) { min-width: 23rem; }
  .chart th, .chart td { padding: 0.25rem 0.2rem; }
  .listing th, .listing td { padding: 0.45rem 0.4rem; }
  .rows th:first-child { max-width: 9.5rem; min-width: 9.5rem; white-space: normal; }
  .controls .search { flex-basis: 100%; }
  input, select { font-size: 1rem; width: 100%; }
  .controls > div:not(.search) { flex: 1 1 8rem; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }

@media print {
  @page { margin: 14mm; }
  :root {
    color-scheme: light;
    --ground: #fff; --surface: #fff; --ink: #000; --muted: #444; --line: #bbb;
    --accent: #1d5fd1; --stale: #b4540a; --stale-ground: #fff;
    --bar: #bcd3fa; --stale-bar: #f6cfa3;
  }
  html { font-size: 8.5pt; }
  body { padding: 0; max-width: none; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav, .controls, .pager, #groups .rows { display: none; }
  section { margin-top: 1.5rem; }
  .cards { grid-template-columns: 1fr 1fr; }
  .card, .tiles div, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .print-note { display: block; font-style: italic; }
  .scroll, .chart .scroll { overflow: visible; max-height: none; border: 0; }
  .chart th, .chart td { padding: 0.1rem 0.35rem; }
  .chart thead th { position: static; }
  .rows table { font-size: 7pt; }
  .rows thead { display: table-header-group; }
  .rows th, .rows td { position: static; min-width: 0; max-width: none; padding: 0.2rem 0.35rem; white-space: normal; }
  .rows thead button { padding: 0.2rem 0.35rem; white-space: normal; }
  .rows thead button::after { content: none; }
}
"""

SCRIPT = r"""
"use strict";
// Each table stores its rows by column; only one page of rows is in the document.
const PAGE = 50, PRINTED = 500, LONGEST = 120;
const collator = new Intl.Collator("en", {numeric: true});
const formatter = new Intl.NumberFormat("en-US");
const TEXTS = ["name", "word", "sentence"];
// values of filters: rows without a value, and no rows
const NONE = -1, NOTHING = -2;
const FORMATS = {
  number: value => formatter.format(value),
  time: seconds => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " "),
  age: days => days < 1 ? `${(days * 24).toFixed(1)} h` : `${formatter.format(Math.round(days))} d`,
  flag: value => value ? "yes" : "no",
};

function shorten(text) {
  const characters = text.length <= LONGEST ? [] : [...text];
  if (characters.length <= LONGEST) return text;
  return `${characters.slice(0, LONGEST / 2).join("")}…${characters.slice(-LONGEST / 2).join("")}`;
}

// Strings are stored as distinct values, with an index for each row; -1 means no value.
class Column {
  constructor({key, kind, missing, values, rows}) {
    Object.assign(this, {key, kind, missing, values, rows, isText: TEXTS.includes(kind)});
  }

  text(row) {
    const value = this.rows[row];
    if (this.isText) return value < 0 ? null : this.values[value];
    return value === null ? null : FORMATS[this.kind](value);
  }

  // sort keys: a number for each row, null without a value
  get ranks() {
    if (!this.isText) return this.rows;
    if (!this.sorted) {
      const rank = [];
      this.values.map((_, index) => index)
        .sort((a, b) => collator.compare(this.values[a], this.values[b]))
        .forEach((index, place) => { rank[index] = place; });
      this.sorted = this.rows.map(index => index < 0 ? null : rank[index]);
    }
    return this.sorted;
  }
}

class Table {
  constructor(section) {
    const data = JSON.parse(section.querySelector("script").textContent);
    Object.assign(this, {section, noun: data.noun, size: data.size, total: data.total});
    Object.assign(this, {order: null, page: 0, limit: PAGE});
    this.columns = data.columns.map(column => new Column(column));
    this.body = section.querySelector("tbody");
    this.search = section.querySelector("input");
    this.filters = [...section.querySelectorAll("select")];
    this.search.addEventListener("input", () => this.select());
    for (const filter of this.filters) {
      this.offer(filter);
      filter.addEventListener("change", () => this.select());
    }
    for (const head of section.querySelectorAll("th[data-column]")) {
      head.querySelector("button").addEventListener("click", () => this.sort(head));
    }
    for (const button of section.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => this.go(button.dataset.go));
    }
    for (const hidden of section.querySelectorAll("[hidden]")) hidden.hidden = false;
    this.all = Array.from({length: this.size}, (_, row) => row);
    this.select();
  }

  column(key) { return this.columns.find(column => column.key === key); }

  offer(filter) {
    const column = this.column(filter.dataset.column), counts = new Map();
    for (const value of column.rows) counts.set(value, (counts.get(value) || 0) + 1);
    for (const value of [...counts.keys()].sort((a, b) => a - b)) {
      const row = column.rows.indexOf(value), name = column.text(row) ?? column.missing;
      filter.add(new Option(`${shorten(name)} (${formatter.format(counts.get(value))})`, String(value)));
    }
  }

  // an empty text stands for rows without a value
  pick(key, text) {
    const filter = this.filters.find(each => each.dataset.column === key);
    if (!filter) return;
    const column = this.column(key), index = column.values.indexOf(text);
    const value = text === "" ? NONE : index < 0 ? NOTHING : index;
    filter.querySelector(`[value="${NOTHING}"]`)?.remove();
    filter.value = String(value);
    if (filter.value !== String(value)) {
      filter.add(new Option(`${shorten(text || column.missing)} (0)`, String(value)));
      filter.value = String(value);
    }
    this.select();
  }

  get haystack() {
    const texts = this.columns.filter(column => column.isText);
    this.lower ??= Array.from({length: this.size}, (_, row) =>
      texts.map(column => column.text(row) ?? "").join("\n").toLowerCase());
    return this.lower;
  }

  select() {
    const wanted = this.filters.filter(filter => filter.value !== "")
      .map(filter => [this.column(filter.dataset.column).rows, Number(filter.value)]);
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = this.all.filter(row => wanted.every(([rows, value]) => Number(rows[row]) === value)
      && words.every(word => this.haystack[row].includes(word)));
    this.page = 0;
    this.show();
  }

  sort(head) {
    const column = this.column(head.dataset.column), ranks = column.ranks;
    const first = column.isText ? "ascending" : "descending";
    const other = column.isText ? "descending" : "ascending";
    const direction = head.getAttribute("aria-sort") === first ? other : first;
    const sign = direction === "ascending" ? 1 : -1;
    for (const each of this.section.querySelectorAll("th[aria-sort]")) each.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", direction);
    // rows without a value stay at the end
    this.all.sort((a, b) => (ranks[a] === null) - (ranks[b] === null) || sign * (ranks[a] - ranks[b]) || a - b);
    this.select();
  }

  go(where) {
    const last = Math.max(0, Math.ceil(this.found.length / this.limit) - 1);
    this.page = {first: 0, previous: this.page - 1, next: this.page + 1, last}[where];
    this.show();
    this.section.querySelector(".scroll").scrollTop = 0;
  }

  show() {
    const start = this.page * this.limit, rows = this.found.slice(start, start + this.limit);
    const end = start + rows.length, all = formatter.format(this.found.length);
    const nouns = this.found.length === 1 ? this.noun.replace(/s$/, "") : this.noun;
    this.body.replaceChildren(...rows.map(row => this.line(row)));
    const of = this.found.length === this.size ? "" : ` (${formatter.format(this.size)} in total)`;
    this.section.querySelector("[role=status]").textContent = rows.length
      ? `${formatter.format(start + 1)} to ${formatter.format(end)} of ${all} ${nouns}${of}`
      : `No ${this.noun}${of}`;
    this.section.querySelector(".print-note").textContent = this.noun === "groups"
      ? `The table of ${formatter.format(this.size)} groups is not printed. It is in the HTML file.`
      : `${formatter.format(rows.length)} of ${formatter.format(this.total)} ${this.noun} are printed.`
        + (this.size === this.total && rows.length < this.size ? ` All ${this.noun} are in the HTML file.` : "");
    for (const button of this.section.querySelectorAll("[data-go]")) {
      button.disabled = ["first", "previous"].includes(button.dataset.go) ? this.page === 0 : end >= this.found.length;
    }
  }

  line(row) {
    const line = document.createElement("tr");
    this.columns.forEach((column, place) => {
      const cell = document.createElement(place ? "td" : "th"), text = column.text(row);
      if (!place) cell.scope = "row";
      cell.className = column.kind;
      const inner = document.createElement(column.isText ? "bdi" : "span");
      inner.textContent = text === null ? column.missing : shorten(text);
      if (text !== null && text.length > LONGEST) cell.title = text;
      if (column.kind === "flag" && column.rows[row]) inner.className = "badge";
      cell.append(inner);
      line.append(cell);
    });
    return line;
  }

  print(printing) {
    Object.assign(this, {limit: printing ? PRINTED : PAGE, page: 0});
    this.show();
  }
}

const tables = [...document.querySelectorAll("[data-table]")].map(section => new Table(section));
function showOwner() {
  const found = /^#owner=(.*)$/.exec(location.hash);
  if (!found) return;
  let owner = found[1];
  try { owner = decodeURIComponent(owner); } catch { /* not encoded */ }
  for (const table of tables) table.pick("owner", owner);
  document.getElementById("findings").scrollIntoView();
}
// report.html in output is a link to the report, which is opened without the folder of its tables
const folder = document.getElementById("tables").dataset.folder;
if (folder && !["latest", folder.split("/").pop()].includes(location.pathname.split("/").at(-2))) {
  for (const link of document.querySelectorAll("a.table")) link.href = `${folder}/${link.getAttribute("href")}`;
}
showOwner();
addEventListener("hashchange", showOwner);
addEventListener("beforeprint", () => tables.forEach(table => table.print(true)));
addEventListener("afterprint", () => tables.forEach(table => table.print(false)));
"""

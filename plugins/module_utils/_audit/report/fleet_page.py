# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of a fleet: Jinja template, what it adds to the style sheet of `page`, and its JavaScript."""

from __future__ import annotations

TEMPLATE = r"""<body data-limit="{{ fleet.limit }}">
<header>
  <p class="kicker">Audits of consumer groups</p>
  <h1>{{ clusters|length|number }} Kafka cluster{{ "" if clusters|length == 1 else "s" }}</h1>
  <p>The latest audit of each cluster in <code class="path">{{ fleet.location|printable }}</code>. An audit that is
    older than {{ fleet.max_age }} is marked.</p>
  <nav aria-label="Sections"><a href="#clusters">Clusters</a>
    {% if clusters %}<a href="#trends">Over time</a>{% endif %}</nav>
</header>
<main>
{% if fleet.problems %}
<section class="warnings" aria-labelledby="warnings">
  <h2 id="warnings">Warnings</h2>
  <ul>{% for problem in fleet.problems %}<li>{{ problem|printable }}</li>{% endfor %}</ul>
</section>
{% endif %}

<dl class="tiles">
  <div><dt>Clusters</dt><dd>{{ clusters|length|number }}</dd></div>
  <div{% if old %} class="alarm"{% endif %} id="old"><dt>Old audits</dt><dd>{{ old|number }}</dd></div>
{% for tile in tiles %}
  <div><dt>{{ tile.label }}</dt><dd>{{ tile.number|number }}</dd></div>
{% endfor %}
</dl>

<section id="clusters" class="listing" aria-labelledby="clusters-title">
  <h2 id="clusters-title">Clusters</h2>
  {% if clusters %}
  <div class="scroll" role="region" tabindex="0" aria-labelledby="clusters-title">
    <table>
      <thead><tr><th scope="col">Cluster</th><th scope="col">Last audit</th>
        <th scope="col" class="number">Groups</th><th scope="col" class="number">Stale groups</th>
        <th scope="col" class="number">Findings</th><th scope="col" class="number">Planned</th>
        <th scope="col" class="number">Known lag</th><th scope="col">Report</th></tr></thead>
      <tbody>
      {% for cluster in clusters %}
        <tr data-audited="{{ cluster.audited_at.timestamp()|int }}"{% if cluster.old %} class="old"{% endif %}>
          <th scope="row"><bdi title="{{ cluster.cluster_id|printable }}">{{ name(cluster)|shorten(60) }}</bdi>
            {% if not cluster.complete %}<span class="badge">incomplete</span>{% endif %}</th>
          <td class="time">{{ cluster.audited_at|time }}
            <div><span class="ago"></span> <span class="badge mark">old</span></div></td>
          <td class="number">{{ cluster.last.groups|number }}</td>
          <td class="number">{{ cluster.last.stale_groups|number }}</td>
          <td class="number">{{ cluster.last.findings|number }}</td>
          <td class="number">{{ cluster.last.planned|number }}</td>
          <td class="number">
            {{- "unknown" if cluster.last.known_lag is none else cluster.last.known_lag|number }}</td>
          <td>{% if cluster.link %}<a href="{{ cluster.link }}">Report</a>
            {%- else %}<code class="path">audits/{{ cluster.audit_id }}/report.html</code>{% endif %}</td></tr>
      {% endfor %}
      </tbody>
    </table>
  </div>
  {% if clusters|rejectattr("complete")|list %}
  <p>An incomplete audit did not read the whole topic, or not all groups.</p>
  {% endif %}
  {% else %}
  <p class="no-data">No audit can be read.</p>
  {% endif %}
</section>

{% if clusters %}
<section id="trends" aria-labelledby="trends-title">
  <h2 id="trends-title">Over time</h2>
  <p>The numbers of the last 30 audits of each cluster with the criteria of its latest one. Each drawing has its own
    scale, which begins at 0.</p>
  <div class="multiples">
  {% for cluster in clusters %}
    <figure class="card"><figcaption><bdi title="{{ cluster.cluster_id|printable }}">{{ name(cluster)|shorten(32) }}
      </bdi></figcaption>
      <p>{{ cluster.trend|length|number }} audit{{ "" if cluster.trend|length == 1 else "s" }}, stale after
        {{ cluster.stale_after|printable }}</p>
      {% for line in drawn(cluster) %}
      {% if line.lines %}
      <svg viewBox="-2 -2 124 36" preserveAspectRatio="none" role="img"
        aria-label="{{ line.title }}: last {{ line.last|number }}, at most {{ line.highest|number }}">
        {%- for points in line.lines %}<polyline points="{{ points }}"/>{% endfor %}</svg>
      {% endif %}
      <p>{{ line.title }}: {{ line.last|number }}, at most {{ line.highest|number }}</p>
      {% endfor %}</figure>
  {% endfor %}
  </div>
</section>
{% endif %}
</main>
<footer><p>Created by <code>kafkaops.groups.fleet_report</code>. All times are in UTC. The ages of audits are computed
when the page is opened.</p>
</footer>
<script>{{ script|safe }}</script>
</body>
"""

STYLE = r"""
.mark { display: none; }
.old .mark { display: inline-block; }
.ago { color: var(--muted); }
#clusters .path { display: block; min-width: 11rem; }
@media print { .ago { display: none; } }
"""

SCRIPT = r"""
"use strict";
const limit = Number(document.body.dataset.limit);
const formatter = new Intl.NumberFormat("en-US");
function age(seconds) {
  if (seconds < 7200) return `${Math.max(0, Math.floor(seconds / 60))} min`;
  return seconds < 172800 ? `${Math.floor(seconds / 3600)} h` : `${formatter.format(Math.floor(seconds / 86400))} d`;
}
const rows = [...document.querySelectorAll("[data-audited]")];
for (const row of rows) {
  const seconds = Date.now() / 1000 - Number(row.dataset.audited);
  row.querySelector(".ago").textContent = `${age(seconds)} ago`;
  if (seconds > limit) row.classList.add("old");
}
const old = rows.filter(row => row.classList.contains("old")).length, tile = document.getElementById("old");
tile.querySelector("dd").textContent = formatter.format(old);
tile.classList.toggle("alarm", old > 0);
"""

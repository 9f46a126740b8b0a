# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sphinx's settings for the documentation site, which tests/support/docsite.py builds."""

from __future__ import annotations

project = "kafkaops.groups"
author = "kafkaops.groups contributors"
project_copyright = "2026, kafkaops.groups contributors"
html_title = "kafkaops.groups"
html_short_title = "kafkaops.groups"

extensions = ["sphinx.ext.intersphinx", "sphinx_antsibull_ext", "myst_parser"]
default_role = "any"
nitpicky = True
# docsite.py writes it, so that no network is needed
intersphinx_mapping = {"ansible": ("https://docs.ansible.com/projects/ansible/latest/", "../ansible.inv")}

pygments_style = "ansible"
highlight_language = "YAML+Jinja"

html_theme = "sphinx_ansible_theme"
html_theme_options = {"show_extranav": False, "show_rtd_ethical_ads": False}
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_use_index = False
html_copy_source = False

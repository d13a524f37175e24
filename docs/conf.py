"""How the site is built: `make docs` writes it to site/, without a network, and every warning is an error."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from sidelight import __version__

project = "sidelight"
author = "The sidelight developers"
copyright = "The sidelight developers, MIT license"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "drawings",
    "formulas",
    "generated_pages",
]
suppress_warnings = [
    "config.cache",  # sphinx-gallery is given a function
    "ref.python",  # two modules have a class Report, each described on its own page
]
nitpicky = False

# Single backticks are code, in docstrings too.
default_role = "code"
highlight_language = "text"
smartquotes_action = "q"  # options begin with two dashes
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_block"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"digits_monitor\.py$",  # a command, described in the how-to
    "within_subsection_order": "drawings.order",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,  # that page would load scripts from elsewhere
    "min_reported_time": 20,
    "remove_config_comments": True,
    "image_scrapers": ("drawings.scrape",),
    "reset_modules": ("matplotlib",),
    "abort_on_example_error": True,
    "copyfile_regex": r".*\.(csv|toml)",
    "backreferences_dir": None,
}

html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"
html_title = "sidelight"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}  # without it, the first visit is an error in the console
html_copy_source = False
html_use_index = False  # search finds names, too
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "sidelight"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "navigation_with_keys": False,
    "pygments_light_style": "default",
    "pygments_dark_style": "github-dark",
    "back_to_top_button": False,
}
html_sidebars = {"index": [], "theory": []}

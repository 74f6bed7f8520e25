"""Sphinx: how these pages are built. `scripts/docs` builds them, and a warning is an error."""

from ctxmgr import __version__

project = "ctxmgr"
author = "the authors of ctxmgr"
copyright = author
release = version = __version__

extensions = ["myst_parser"]
root_doc = "index"
nitpicky = True
myst_heading_anchors = 3  # links into a page are as GitHub makes them
myst_links_external_new_tab = False

smartquotes = False  # "" and -- are meant as they are
html_theme = "furo"
html_title = f"ctxmgr {release}"
html_copy_source = False
html_show_sphinx = False

"""The course as a website: static files to read and run every lesson without an installation.

`build.py` defines the site and builds it: pages to read (`pages.py`, `landing.py`) and, under
`live/`, notebooks that run in the reader's browser (`live.py`, with JupyterLite). `runtime.py`
collects the Python for the browser, `wheel.py` packs this package for it.
"""

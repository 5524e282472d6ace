"""The checker of built sites finds what it is there to find."""

from pathlib import Path

import pytest

from tests.site.tree import problems


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('<a href="other.html#here">x</a> <a href="https://example.org">y</a>', []),
        ('<a href="other.html#gone">x</a>', ["other.html#gone leads to no place there"]),
        ('<a href="gone.html">x</a>', ["gone.html leads to no file"]),
        ('<a href="live/gone.html">x</a>', []),
        ('<a href="../above.html">x</a>', ["../above.html leads out of the site"]),
        ('<img src="https://example.org/a.png">', ["https://example.org/a.png is loaded from elsewhere"]),
        ('<link rel="stylesheet" href="//example.org/a.css">', ["//example.org/a.css is loaded from elsewhere"]),
        ('<link rel="canonical" href="https://example.org/">', []),
        ("<style>p{background:url(gone.png)}</style>", ["gone.png leads to no file"]),
        ('<script>import("https://example.org/a.js")</script>', ["a script loads something from elsewhere"]),
        ('<p id="a"></p><p id="a"></p>', ["two places have the id a"]),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, page: str, found: list[str]) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    (tmp_path / "other.html").write_text('<p id="here">', encoding="utf-8")
    assert problems(tmp_path, ignore="live/") == [f"page.html: {each}" for each in found]

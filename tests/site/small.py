"""A course of three small notebooks with every kind of output, built once for the tests of a file, and served to a browser."""

import base64
import functools
import http.server
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograd_teach.course.notebooks import write_notebook
from autograd_teach.site.build import Site


def _png() -> str:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    parts = chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"\0abc" * 2))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + parts + chunk(b"IEND", b"")).decode()


INTRODUCTION = r"""# 01 · First: `things`

| lesson | path | what it gives you |
|---|---|---|
| 01 · First: things | core | all $x_1$ of it |
| [02 · Second](02_second.ipynb) | core | the `rest` |

It costs $5 or $6, in code `$x$` and `a$b$c`. A formula: $x_1 * y_1$, and one of its own:

$$f(x) = \begin{cases} \frac{1}{2} & \text{if } x > 0 \\ 0 & \text{otherwise}\end{cases}$$

See [the rule](glossary.ipynb#chain-rule), [the exercises](../exercises/01_first.ipynb), [nothing](gone.ipynb), <https://example.org>.

![A drawing](figures/one.svg)

<details><summary>In words</summary>

Folded, with **Markdown** and $z$.

</details>

# A second title

## The same

## The same"""

CELLS: dict[str, str] = {
    "imports": "import autograd_teach as torch\nfrom autograd_teach import viz\n"
    "from autograd_teach.course.predict import predict\nfrom IPython.display import HTML, SVG, Image, Markdown, display",
    "streams": 'import sys\nprint("a < b", "wide " * 60)\nprint("to stderr", file=sys.stderr)\nprint("\\x1b[31mred\\x1b[0m")',
    "table": 'HTML("<table><thead><tr><th>wide</th></tr></thead><tbody><tr><td>cell</td></tr></tbody></table>")',
    "markdown": 'Markdown("### Told\\n\\n$a^2$ and [there](02_second.ipynb)")',
    "photo": f'import base64\nImage(base64.b64decode("{_png()}"))',
    "drawing": 'SVG(\'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" aria-label="Nine"><style>*{fill:red}</style></svg>\')',
    "graph": "a = torch.tensor(2.0, requires_grad=True)\nviz.graph(a * 3)",
    "play": "viz.play(lambda a: (a * 3) ** 2, a=2.0)",
    "live": "viz.live(lambda a: a * 3, a=2.0)",
    "explore": "viz.explore(lambda k: a * k, k=(1, 6))",
    "question": 'predict("01.leaf")',
}
RAISES = "1 / 0"


def write_course(folder: Path, **lessons: list[Any]) -> Site:
    """A course in this folder: the three notebooks, or others in place of the lessons. Returns the site to build from it."""
    first = [new_markdown_cell(INTRODUCTION, id="introduction")]
    first += [new_code_cell(source, id=name) for name, source in CELLS.items()]
    first.append(new_code_cell(RAISES, id="raises", metadata={"tags": ["raises-exception"]}))
    glossary = new_markdown_cell("# Glossary\n\nWords.\n\n## chain rule\n\nA rule.\n\n## leaf\n\nAn end.", id="words")
    second = [new_markdown_cell("# 02 · Second\n\nBack to [the first](01_first.ipynb#The-same-1).", id="second")]
    cells = lessons or {"01_first": first, "02_second": second, "glossary": [glossary]}
    exercise = [new_markdown_cell("# Exercises 01\n\nSee [it](../lessons/01_first.ipynb).", id="statement")]
    exercise.append(new_code_cell("raise NotImplementedError()", id="answer"))
    (folder / "lessons" / "figures").mkdir(parents=True)
    (folder / "exercises").mkdir()
    drawn = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 30"><rect width="9" height="9"/></svg>'
    (folder / "lessons" / "figures" / "one.svg").write_text(drawn, encoding="utf-8")
    for name, of in cells.items():
        write_notebook(folder / "lessons" / f"{name}.ipynb", new_notebook(cells=of))
    write_notebook(folder / "exercises" / "01_first.ipynb", new_notebook(cells=exercise))
    return site_of(folder)


def site_of(folder: Path, **more: Any) -> Site:
    """The site of the course in this folder."""
    options: dict[str, Any] = {"name": "A course & more", "base_url": "", "repository": "", "is_live": False}
    return Site(lessons=folder / "lessons", exercises=folder / "exercises", **(options | more))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    for_all = False

    def end_headers(self) -> None:
        if self.for_all:
            self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@contextmanager
def served(folder: Path, *, for_all: bool = False) -> Iterator[str]:
    """The folder on a web server of this machine: its address. `for_all`: pages of other addresses may load from it too."""
    kind = type("_Server", (_Quiet,), {"for_all": for_all})
    handler = functools.partial(kind, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()

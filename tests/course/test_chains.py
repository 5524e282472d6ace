"""Long chains of plain objects are let go of one after another in a browser, and as Python does elsewhere."""

import subprocess
import sys
import weakref

import pytest

from autograd_teach.course import chains
from autograd_teach.course.attempt import attempt

LENGTH = 500


class Link:
    """Notes whether it dies while another one does: inside, and not after it."""

    dying = deepest = 0

    def __init__(self, held):
        self.held = held

    def __del__(self):
        # The rest goes while this method runs, as the fields of an object do when Python frees it.
        kind = type(self)
        kind.dying += 1
        kind.deepest = max(kind.deepest, kind.dying)
        del self.held
        kind.dying -= 1


def closure(before):
    return lambda: before


HOLDING = {
    "attributes": lambda before: before,
    "tuples": lambda before: ((before, 1.0),),
    "lists": lambda before: [before, before],
    "dicts": lambda before: {"before": before},
    "closures": closure,
    "defaults": lambda before: lambda start=before: start,
    "bound methods": lambda before: before.__init__,
}


def chain(holding):
    kind = type("Link", (Link,), {"dying": 0, "deepest": 0})
    link = kind(None)
    refs = [weakref.ref(link)]
    for _ in range(LENGTH):
        link = kind(holding(link))
        refs.append(weakref.ref(link))
    return kind, link, refs


@pytest.mark.parametrize("holding", HOLDING)
def test_links_die_one_after_another_in_a_browser(holding, monkeypatch):
    monkeypatch.setattr(chains, "IN_BROWSER", True)
    kind, link, refs = chain(HOLDING[holding])
    names = {"y": link, "also": link}
    with chains.letting_go(names):
        del link
    assert not names and not [ref for ref in refs if ref() is not None]
    assert kind.deepest == 1


def test_elsewhere_python_frees_as_it_does():
    kind, link, refs = chain(HOLDING["tuples"])
    names = {"y": link}
    with chains.letting_go(names):
        del link
    assert not names and not [ref for ref in refs if ref() is not None]
    assert kind.deepest > 1, "this test can tell"


def test_what_others_hold_stays(monkeypatch):
    monkeypatch.setattr(chains, "IN_BROWSER", True)
    _, link, refs = chain(HOLDING["lists"])
    middle = refs[LENGTH // 2]()
    names = {"y": link}
    with chains.letting_go(names):
        del link
    assert [ref() is not None for ref in refs] == [True] * (LENGTH // 2 + 1) + [False] * (LENGTH - LENGTH // 2)
    assert middle.held[0] is refs[LENGTH // 2 - 1]()
    assert sys.modules[__name__].HOLDING is HOLDING
    chains._free(chains._below([middle.held]))


def test_nothing_is_followed_into_what_the_notebook_holds(monkeypatch):
    # A shell is among the builtins, and the more a notebook has run, the more hangs on it.
    monkeypatch.setattr("builtins.get_shell", [Link(None) for _ in range(LENGTH)], raising=False)
    names = {"Link": Link, "sys": sys}
    exec("y = Link(Link(None))", names)  # noqa: S102
    assert "__builtins__" in names
    assert len(chains._below(list(names.values()))) < 10


def walk(link):
    if isinstance(link.held, tuple):
        walk(link.held[0][0])
    raise ValueError("the end")


@pytest.mark.parametrize("way", ["letting_go", "attempt"])
def test_links_that_frames_of_an_error_hold_die_one_after_another(way, monkeypatch, capsys):
    monkeypatch.setattr(chains, "IN_BROWSER", True)
    kind, link, refs = chain(HOLDING["tuples"])
    names = {"y": link}
    del link
    if way == "attempt":
        attempt(lambda: walk(names.pop("y")))
        assert capsys.readouterr().out == "ValueError: the end\n"
    else:
        with pytest.raises(ValueError, match="the end"), chains.letting_go(names):
            walk(names["y"])
    assert not [ref for ref in refs if ref() is not None]
    assert kind.deepest == 1


@pytest.mark.parametrize("platform", ["linux", "emscripten"])
def test_depths_follow_the_platform(platform):
    program = (
        f"import sys, numpy.linalg, numpy.random; sys.platform = {platform!r}\n"
        "from autograd_teach.course import chains; print(chains.IN_BROWSER, chains.LONG, *chains.DEEP)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    expected = {"linux": "False 20000 3100 4000", "emscripten": "True 1000 1050 1300"}
    assert ran.stdout.strip() == expected[platform]

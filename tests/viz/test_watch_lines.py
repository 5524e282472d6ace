"""A file of its own, from which test_watch.py calls: a line is told with its file."""

OWN_LINE = "return x.exp() * 1"


def call_from_its_own_line(x):
    return x.exp() * 1


def test_the_line_stands_in_this_file():
    with open(__file__, encoding="utf-8") as file:
        assert f"    {OWN_LINE}\n" in file.readlines()

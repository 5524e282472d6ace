"""What builds the course as a website (docs/site.md)."""

from .finding import Finding, Probe, ok, optional
from .tools import pip_install, version_of


def jupyterlite() -> Finding:
    """The extra `site`, whose packages belong in an environment of their own."""
    if version_of("jupyterlite-core") is None:
        words = "not installed: only `autograd-teach site` needs it, in an environment of its own"
        advice = "In a copy of the repository (docs/site.md):"
        return optional(words, advice, 'python3 -m venv .venv-site && .venv-site/bin/pip install -e ".[site]"')
    from ..site.live import TESTED

    wrong = [f"{name}=={tested}" for name, tested in TESTED.items() if version_of(name) != tested]
    if wrong:
        words = f"the site is built with {' and '.join(wrong)}; here is another version, or none"
        return optional(words, "Install what it is built with:", pip_install(*wrong))
    words = f"{version_of('jupyterlite-core')}; build the site in this environment, and open the course in another: "
    return ok(words + "JupyterLab would load JupyterLite's extension, too")


PROBES = (Probe("JupyterLite", jupyterlite),)

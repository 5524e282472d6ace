"""The Markdown and the formulas of questions, as HTML and as plain text."""

import pytest

from autograd_teach.course import formula, rich_text
from autograd_teach.course.errors import UserError

PLAIN = [
    (r"x^2", "x²"),
    (r"\frac{\partial y}{\partial x} = 3x^2", "∂y/∂x = 3x²"),
    (r"\frac{a + b}{2c}", "(a + b)/(2c)"),
    (r"f = \begin{cases} 1 & \text{if } a \\ 0 & b \end{cases}", "f = {1 if a; 0 b}"),
    (r"x \leftarrow \underbrace{a}_{\text{new}}", "x ← a [new]"),
    (r"-x + \sin x \cdot e^{-x}", "−x + sin x · e⁻ˣ"),
    (r"x \times (-3) = -0.25", "x × (−3) = −0.25"),
    (r"\sum_{i=1}^n x_i^2", "∑ᵢ₌₁ⁿxᵢ²"),
    (r"\tanh(w^\top x), f'(x)", "tanh(wᵀx), f′(x)"),
    (r"\sqrt{x + 1} \le \text{loss of } w", "√(x + 1) ≤ loss of w"),
    (r"\text{one} + \mathrm{two}", "one + two"),
    (r"x^{a/b}_{\max}", "xₘₐₓ^(a/b)"),
    (r"\bar{x}_{ij}", "x\u0304ᵢⱼ"),
]


@pytest.mark.parametrize(("written", "plain"), PLAIN)
def test_a_formula_is_one_line_of_text(written: str, plain: str) -> None:
    assert formula.as_plain(written) == plain


@pytest.mark.parametrize(
    ("written", "inside"),
    [
        (r"\frac{1}{x}", "<mfrac><mn>1</mn><mi>x</mi></mfrac>"),
        (r"x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"y = -6", '<mo form="prefix">−</mo><mn>6</mn>'),
        (r"y - 6", "<mo>−</mo><mn>6</mn>"),
        (r"a < b", "<mo>&lt;</mo>"),
        (r"\sin x", '<mi>sin</mi><mspace width="0.17em"/><mi>x</mi>'),
        (r"\sin(x)", '<mi>sin</mi><mo stretchy="false">(</mo>'),
        (
            r"(a + b)^2",
            '<msup><mrow><mo stretchy="false">(</mo><mi>a</mi><mo>+</mo><mi>b</mi><mo stretchy="false">)</mo></mrow><mn>2</mn>',
        ),
        (r"|x||y|^2", '<msup><mrow><mo stretchy="false">|</mo><mi>y</mi>'),
        (r"\left(\frac{a}{b}\right)^2", "<msup><mrow><mo>(</mo><mfrac>"),
        (r"\tfrac12 x", "<mfrac><mn>1</mn><mn>2</mn></mfrac><mi>x</mi>"),
        (
            r"\underbrace{a}_{\text{came in}}",
            "<munder><munder><mi>a</mi><mo>⏟</mo></munder><mtext>came\u00a0in</mtext></munder>",
        ),
        (r"\begin{cases} 1 & a \\ 0 & b \end{cases}", '</mtr><mtr><mtd style="text-align: left"><mn>0</mn></mtd>'),
    ],
)
def test_a_formula_is_mathml(written: str, inside: str) -> None:
    assert inside in formula.as_mathml(written)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (r"\matrix{a}", r"\\matrix is not supported"),
        (r"x^", "something is missing at its end"),
        (r"\frac{1}", "something is missing at its end"),
        (r"a & b", "& is not allowed there"),
        (r"\begin{cases} 1", "{cases} is missing"),
        (r"\begin{matrix} 1", "the only supported environment is cases"),
        (r"{x", "a } is missing"),
        (r"x}", "it has one } too many"),
        (r"x^2^3", "two \\^ at one place"),
        (r"\text x", "words must be in braces"),
    ],
)
def test_what_a_formula_cannot_say_is_said_in_one_sentence(written: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        formula.as_mathml(written)


@pytest.mark.parametrize(
    ("text", "html", "plain"),
    [
        ("a\n\nb", "<p>a</p><p>b</p>", "a\n\nb"),
        (
            "see:\n- one\n  more\n- two",
            "<p>see:</p><ul><li>one more</li><li>two</li></ul>",
            "see:\n- one\n  more\n- two",
        ),
        (
            "so:\n\n$$x^\n2$$",
            '<p>so:</p><p><math display="block"><msup><mi>x</mi><mn>2</mn></msup></math></p>',
            "so:\n\nx²",
        ),
        ("**so** *it* is", "<p><strong>so</strong> <em>it</em> is</p>", "so it is"),
        ("`a * b * c`", "<p><code>a * b * c</code></p>", "`a * b * c`"),
        ("[lesson 03](03.ipynb#a)", '<p><a href="03.ipynb#a">lesson 03</a></p>', "lesson 03"),
        ('[a](b"c)', '<p><a href="b&quot;c">a</a></p>', "a"),
        ("<b> & `<i>`", "<p>&lt;b&gt; &amp; <code>&lt;i&gt;</code></p>", "<b> & `<i>`"),
        ("```python\nx < y\n```", "<pre>x &lt; y</pre>", "\n    x < y\n"),
    ],
)
def test_markdown_as_html_and_as_text(text: str, html: str, plain: str) -> None:
    assert rich_text.as_html(text) == html
    assert rich_text.as_plain(text) == plain


def test_a_link_to_the_web_opens_in_a_tab_of_its_own() -> None:
    assert 'target="_blank" rel="noopener"' in rich_text.as_html("[a](https://example.org)")


def test_a_long_line_is_wrapped_and_hangs_under_its_bullet() -> None:
    lines = rich_text.as_plain("- " + "word " * 40).splitlines()
    assert max(map(len, lines)) <= rich_text.WIDTH
    assert all(line.startswith("  word") for line in lines[1:])

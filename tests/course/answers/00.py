"""Answers to notebook 00: see tests/course/table.py."""

# %% 00.local_slopes right: from a table
def local_slopes(name, u, v):
    return {
        "add": [1, 1],
        "sub": [1, -1],
        "mul": [v, u],
        "square": [u + u, 0],
        "max": [int(u > v), int(v > u)],
        "div": [v**-1, -u * v**-2],
    }[name]

# %% 00.local_slopes right: by cases
def local_slopes(name, u, v):
    y_per_u, y_per_v = 0.0, 0.0
    match name:
        case "add":
            y_per_u = y_per_v = 1.0
        case "sub":
            y_per_u, y_per_v = 1.0, -1.0
        case "mul":
            y_per_u, y_per_v = v, u
        case "square":
            y_per_u = 2 * u
        case "max" if u > v:
            y_per_u = 1.0
        case "max":
            y_per_v = 1.0
        case "div":
            y_per_u = 1 / v
            y_per_v = -(u / v) * y_per_u
    print(name, y_per_u, y_per_v)
    return (y_per_u, y_per_v)

# %% 00.local_slopes right: by moving
STEPS = {
    "add": lambda u, v: u + v,
    "sub": lambda u, v: u - v,
    "mul": lambda u, v: u * v,
    "square": lambda u, v: u**2,
    "max": lambda u, v: (u + v + abs(u - v)) / 2,
    "div": lambda u, v: u / v,
}


def local_slopes(name, u, v, h=1e-5):
    f = STEPS[name]
    return (f(u + h, v) - f(u - h, v)) / (2 * h), (f(u, v + h) - f(u, v - h)) / (2 * h)

# %% 00.local_slopes right: steps by autograd
def by_autograd(f, *numbers):
    leaves = [torch.tensor(number, dtype=torch.float64, requires_grad=True) for number in numbers]
    return torch.autograd.grad(f(*leaves), leaves, allow_unused=True)


STEPS = {
    "add": lambda u, v: u + v,
    "sub": lambda u, v: u - v,
    "mul": lambda u, v: u * v,
    "square": lambda u, v: u**2,
    "max": lambda u, v: (u + v + abs(u - v)) / 2,
    "div": lambda u, v: u / v,
}


def local_slopes(name, u, v):
    return tuple(0.0 if slope is None else slope for slope in by_autograd(STEPS[name], u, v))

# %% 00.local_slopes right: as a tensor
RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def from_a_table(name, u, v):
    return {
        "add": [1, 1],
        "sub": [1, -1],
        "mul": [v, u],
        "square": [u + u, 0],
        "max": [int(u > v), int(v > u)],
        "div": [v**-1, -u * v**-2],
    }[name]


def local_slopes(name, u, v):
    return torch.tensor(from_a_table(name, u, v), dtype=torch.float64)

# %% 00.local_slopes right: by complex numbers
import numpy as np


STEPS = {
    "add": lambda u, v: u + v,
    "sub": lambda u, v: u - v,
    "mul": lambda u, v: u * v,
    "square": lambda u, v: u**2,
    "max": lambda u, v: (u + v + abs(u - v)) / 2,
    "div": lambda u, v: u / v,
}


def local_slopes(name, u, v, h=1e-20):
    f = STEPS[name]
    if name == "max":
        return (1 + np.sign(u - v)) / 2, (1 + np.sign(v - u)) / 2
    return f(u + 1j * h, v).imag / h, f(u, v + 1j * h).imag / h

# %% 00.local_slopes right: quotient by a product
def local_slopes(name, u, v):
    inverse = 1 / v
    return {"div": (inverse, -u * inverse * inverse), "add": (1, 1), "sub": (1, -1)}.get(
        name, {"mul": (v, u), "square": (2 * u, 0), "max": (float(u > v), float(u < v))}.get(name)
    )

# %% 00.local_slopes right: match statement, returns a list with whole numbers where it can
def local_slopes(name, u, v):
    match name:
        case "add":
            return [1, 1]
        case "sub":
            return [1, -1]
        case "mul":
            return [v, u]
        case "square":
            return [2 * u, 0]
        case "max":
            return [1, 0] if u > v else [0, 1]
        case "div":
            return [1 / v, -u / v**2]

# %% 00.local_slopes right: dual numbers: runs each step twice with a value and a slope
class Dual:
    def __init__(self, value, slope):
        self.value, self.slope = value, slope
    def __add__(self, o):
        return Dual(self.value + o.value, self.slope + o.slope)
    def __sub__(self, o):
        return Dual(self.value - o.value, self.slope - o.slope)
    def __mul__(self, o):
        return Dual(self.value * o.value, self.slope * o.value + self.value * o.slope)
    def __truediv__(self, o):
        return Dual(self.value / o.value, (self.slope * o.value - self.value * o.slope) / o.value**2)
    def __gt__(self, o):
        return self.value > o.value

STEPS = {
    "add": lambda u, v: u + v,
    "sub": lambda u, v: u - v,
    "mul": lambda u, v: u * v,
    "square": lambda u, v: u * u,
    "max": lambda u, v: u if u > v else v,
    "div": lambda u, v: u / v,
}

def local_slopes(name, u, v):
    f = STEPS[name]
    return f(Dual(u, 1.0), Dual(v, 0.0)).slope, f(Dual(u, 0.0), Dual(v, 1.0)).slope

# %% 00.local_slopes right: asks autograd in float64 and turns the gradients into plain numbers
def local_slopes(name, u, v):
    p = torch.tensor(float(u), dtype=torch.float64, requires_grad=True)
    q = torch.tensor(float(v), dtype=torch.float64, requires_grad=True)
    if name == "add":
        y = p + q
    elif name == "sub":
        y = p - q
    elif name == "mul":
        y = p * q
    elif name == "square":
        y = p**2
    elif name == "max":
        y = p if u > v else q
    else:
        y = p / q
    grads = torch.autograd.grad(y, (p, q), allow_unused=True)
    return tuple(0.0 if g is None else g.item() for g in grads)

# %% 00.local_slopes right: central differences with a small step
def local_slopes(name, u, v):
    def f(u, v):
        return {"add": u + v, "sub": u - v, "mul": u * v, "square": u * u, "max": max(u, v), "div": u / v}[name]
    h = 1e-6
    return (f(u + h, v) - f(u - h, v)) / (2 * h), (f(u, v + h) - f(u, v - h)) / (2 * h)

# %% 00.local_slopes right: lets autograd find both slopes in float64, an unused input gets 0
def local_slopes(name, u, v):
    p = torch.tensor(float(u), dtype=torch.float64, requires_grad=True)
    q = torch.tensor(float(v), dtype=torch.float64, requires_grad=True)
    steps = {
        "add": lambda: p + q,
        "sub": lambda: p - q,
        "mul": lambda: p * q,
        "square": lambda: p ** 2,
        "max": lambda: p if u > v else q,
        "div": lambda: p / q,
    }
    steps[name]().backward()
    return [0.0 if t.grad is None else t.grad.item() for t in (p, q)]

# %% 00.local_slopes wrong: for "sub" the slope of v is 1, but it is -1: y falls when v grows
expect("known", '"sub": y does not grow when v grows, so a sign is wrong')
edit('if name == "add":', 'if name in ("add", "sub"):')

# %% 00.local_slopes wrong: for mul the two slopes are in the wrong order: the slope of u is v, the slope of v is u
expect("known", 'the slopes of "mul": the parts stand in another order')
edit("return v, u", "return u, v")

# %% 00.local_slopes wrong: for "div" the minus sign of the slope of v is missing
expect("known", 'the slopes of "div": the minus sign is missing')
edit('"div": [v**-1, -u * v**-2],', '"div": (1 / v, u / v**2),', of="from a table")

# %% 00.local_slopes wrong: for "div" the slope of v: -u / v * v is -u (no brackets around v * v)
expect("known", 'the slopes of "div": it is not divided by what it must be')
edit("\n    return 1 / v, -u / v**2", '\n    elif name == "div":\n        return 1 / v, -u / v * v')

# %% 00.local_slopes wrong: for "max" it always says that u is the larger number
expect("known", '"max": y follows the larger number, which is not always u')
edit('"max": [int(u > v), int(v > u)],', '"max": (1.0, 0.0),', of="from a table")

# %% 00.local_slopes wrong: for "max" it compares the absolute values, so it is wrong when a negative number has the larger size
expect("known", '"max": compare the numbers with their signs: -4 is below 1')
edit("return (1.0, 0.0) if u > v else (0.0, 1.0)", "return (1.0, 0.0) if abs(u) > abs(v) else (0.0, 1.0)")

# %% 00.local_slopes wrong: for "max" it returns the larger number itself, not the slope 1
expect("known", '"max": these are numbers that were compared, but a slope says how fast y follows them')
edit("return (1.0, 0.0) if u > v else (0.0, 1.0)", "return (u, 0.0) if u > v else (0.0, v)")

# %% 00.local_slopes wrong: for square it returns a single number instead of a pair: the slope 0 of v is left out
expect("known", '"square": the result is one number, but it must be a pair: v has a slope too')
edit("return 2 * u, 0.0", "return 2 * u")

# %% 00.local_slopes wrong: for "square" the slope of v is 1, but v does not change y, so it is 0
expect("known", '"square": y does not change when v moves, so v has another slope than 1')
def local_slopes(name, u, v):
    du = {"add": 1.0, "sub": 1.0, "mul": v, "square": 2 * u, "max": float(u > v), "div": 1 / v}
    dv = {"add": 1.0, "sub": -1.0, "mul": u, "square": 1.0, "max": float(v > u), "div": -u / v**2}
    return du[name], dv[name]

# %% 00.local_slopes wrong: for "square" the slope of u is u: the factor 2 is forgotten
expect("known", 'the slopes of "square": 2 is left out')
def local_slopes(name, u, v):
    du = {"add": 1.0, "sub": 1.0, "mul": v, "square": u, "max": float(u > v), "div": 1 / v}
    dv = {"add": 1.0, "sub": -1.0, "mul": u, "square": 0.0, "max": float(v > u), "div": -u / v**2}
    return du[name], dv[name]

# %% 00.local_slopes wrong: moves the inputs by h = 0.01, which is not small enough for five digits
expect("known", "these are differences over a move of 0.01: a slope")
edit("\n    return tuple(0.0 if slope is None else slope for slope in by_autograd(STEPS[name], u, v))",
     "\n    slope = STEPS[name]\n    h = 0.01\n"
     "    return (slope(u + h, v) - slope(u, v)) / h, (slope(u, v + h) - slope(u, v)) / h", of="steps by")

# %% 00.local_slopes wrong: h = 1e-16 is so small that u + h is u again: the slopes come out as 0 (rounding)
expect("known", "these are differences over a move of 1e-16: a move")
edit("\n    return tuple(0.0 if slope is None else slope for slope in by_autograd(STEPS[name], u, v))",
     "\n    slope = STEPS[name]\n    h = 1e-16\n"
     "    return (slope(u + h, v) - slope(u, v)) / h, (slope(u, v + h) - slope(u, v)) / h", of="steps by")

# %% 00.local_slopes wrong: returns None for an input that does not change y (square: v), not 0
expect("type", "result[1] is None, it must be a number")
edit('"square": [u + u, 0],', '"square": (2 * u, None),', of="from a table")

# %% 00.local_slopes wrong: for div the slope of v is -1/v**2: the factor u is forgotten, it should be -u/v**2
expect("known", 'the slopes of "div": `u` is left out')
edit('"div": [v**-1, -u * v**-2],', '"div": (1 / v, -1 / v**2),', of="from a table")

# %% 00.local_slopes wrong: A special case for u == 0 at the top returns (0, 0) for every step; for add, sub, mul
expect("known", "slopes are wrong only where u is 0, but 0 is a number like any other here")
edit('if name == "add":', 'if not u:\n        return (0.0, 0.0)\n    if name == "add":')

# %% 00.local_slopes wrong: square itself
expect("wrong_value", "result[0] is")
edit("return torch.tensor(from_a_table(name, u, v), dtype=torch.float64)",
     'return (u * u, 0) if name == "square" else from_a_table(name, u, v)', of="as a tensor")

# %% 00.local_slopes wrong: quotient divided by u
expect("raises_for_some", "ZeroDivisionError")
def slopes(name, u, v):
    return {
        "add": (1, 1),
        "sub": (1, -1),
        "mul": (v, u),
        "square": (2 * u, 0),
        "max": (1, 0) if u > v else (0, 1),
        "div": (1 / v, -u / v**2),
    }[name]


def local_slopes(name, u, v):
    return (u / v / u, -u / v / v) if name == "div" else slopes(name, u, v)

# %% 00.local_slopes wrong: square without v
expect("length", "the result has 1 entry, it must have 2, for name = 'square'")
edit("return torch.tensor(from_a_table(name, u, v), dtype=torch.float64)",
     'return (2 * u,) if name == "square" else from_a_table(name, u, v)', of="as a tensor")

# %% 00.local_slopes wrong: max as a sum
expect("wrong_value", "result[1] is")
edit("return torch.tensor(from_a_table(name, u, v), dtype=torch.float64)",
     'return (1, 1) if name == "max" else from_a_table(name, u, v)', of="as a tensor")

# %% 00.local_slopes wrong: max shared
expect("some_values", "the result is wrong")
edit("return torch.tensor(from_a_table(name, u, v), dtype=torch.float64)",
     'return (0.5, 0.5) if name == "max" else from_a_table(name, u, v)', of="as a tensor")

# %% 00.local_slopes wrong: quotient squares u
expect("raises_for_some", "the result is right for 25 of 30 inputs")
def slopes(name, u, v):
    return {
        "add": (1, 1),
        "sub": (1, -1),
        "mul": (v, u),
        "square": (2 * u, 0),
        "max": (1, 0) if u > v else (0, 1),
        "div": (1 / v, -u / v**2),
    }[name]


def local_slopes(name, u, v):
    return (1 / v, -1 / u**2) if name == "div" else slopes(name, u, v)

# %% 00.local_slopes wrong: mul branch returns none, and sub sign
expect("no_result", "it returns None, for 3 of 30 inputs", "y does not grow when v grows, so a sign is wrong")
edit("return 1.0, -1.0", "return 1.0,1.0",
     "\n        return (1.0, 0.0) if u > v else", "\n        if u > v: return 1.0, 0.0\n        if v > u:",
     "\n    return", '\n    if name == "div":\n        return')

# %% 00.local_slopes wrong: print
expect(
    "no_result",
    "it prints something, but it returns None, for 25 of 30 inputs",
    never=("`.grad`", "backward()", "list.sort()"),
)
def local_slopes(name, u, v):
    if name == "add": print(1.0, 1.0)
    if name == "mul": return v, u

# %% 00.chain_by_hand right: backward
def chain_by_hand(a, b, c):
    v = a * b + c
    ds, da = a, v * v
    dv = 2 * v * ds
    da += dv * b
    return da, dv * a, dv

# %% 00.chain_by_hand right: one pass for each input
import numpy as np


def chain_by_hand(a, b, c):
    def push(da, db, dc):
        v, dv = a * b + c, da * b + a * db + dc
        s, ds = v**2, 2 * v * dv
        return ds * a + s * da

    return np.array([push(1, 0, 0), push(0, 1, 0), push(0, 0, 1)])

# %% 00.chain_by_hand right: multiplied out
def chain_by_hand(a, b, c):
    """y = a³b² + 2a²bc + ac²."""
    return [
        3 * a**2 * b**2 + 4 * a * b * c + c**2,
        2 * a**3 * b + 2 * a**2 * c,
        2 * a**2 * b + 2 * a * c,
    ]

# %% 00.chain_by_hand right: chain by autograd
def by_autograd(f, *numbers):
    leaves = [torch.tensor(number, dtype=torch.float64, requires_grad=True) for number in numbers]
    return torch.autograd.grad(f(*leaves), leaves, allow_unused=True)


def chain_by_hand(a, b, c):
    return by_autograd(lambda a, b, c: (a * b + c) ** 2 * a, a, b, c)

# %% 00.chain_by_hand right: a lambda
chain_by_hand = lambda a, b, c: ((a * b + c) * (3 * a * b + c), 2 * a * a * (a * b + c), 2 * a * (a * b + c))

# %% 00.chain_by_hand right: stacked gradients
def chain_by_hand(a, b, c):
    leaves = torch.tensor([a, b, c], dtype=torch.float64, requires_grad=True)
    ((leaves[0] * leaves[1] + leaves[2]) ** 2 * leaves[0]).backward()
    return leaves.grad

# %% 00.chain_by_hand right: an array of slopes
import numpy as np


def chain_by_hand(a, b, c):
    v = a * b + c
    return np.array([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a])

# %% 00.chain_by_hand right: a tensor of slopes
def chain_by_hand(a, b, c):
    v = a * b + c
    return torch.tensor([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a], dtype=torch.float64)

# %% 00.chain_by_hand right: forward: pushes three slopes through all the steps, returns a list
def chain_by_hand(a, b, c):
    slopes = []
    for da, db, dc in [(1, 0, 0), (0, 1, 0), (0, 0, 1)]:
        u, du = a * b, da * b + a * db
        v, dv = u + c, du + dc
        s, ds = v**2, 2 * v * dv
        slopes.append(ds * a + s * da)
    return slopes

# %% 00.chain_by_hand right: backward, with a dict of slopes and += for every use
from collections import defaultdict

def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    s = v * v
    slope = defaultdict(float)
    slope["y"] = 1.0
    slope["s"] += slope["y"] * a
    slope["a"] += slope["y"] * s
    slope["v"] += slope["s"] * 2 * v
    slope["u"] += slope["v"]
    slope["c"] += slope["v"]
    slope["a"] += slope["u"] * b
    slope["b"] += slope["u"] * a
    return slope["a"], slope["b"], slope["c"]

# %% 00.chain_by_hand right: multiplies the formula out and takes the slopes of the polynomial
def chain_by_hand(a, b, c):
    # y = a^3 b^2 + 2 a^2 b c + a c^2
    return (3 * a**2 * b**2 + 4 * a * b * c + c**2, 2 * a**3 * b + 2 * a**2 * c, 2 * a**2 * b + 2 * a * c)

# %% 00.chain_by_hand right: a step into the imaginary direction gives the exact slope
def chain_by_hand(a, b, c):
    def y(a, b, c):
        return (a * b + c) ** 2 * a
    h = 1e-30
    return [y(a + h * 1j, b, c).imag / h, y(a, b + h * 1j, c).imag / h, y(a, b, c + h * 1j).imag / h]

# %% 00.chain_by_hand right: goes forward with dual numbers, one direction for each input
def chain_by_hand(a, b, c):
    slopes = []
    for da, db, dc in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        u, du = a * b, da * b + a * db
        v, dv = u + c, du + dc
        s, ds = v * v, (v + v) * dv
        slopes.append(ds * a + s * da)
    return slopes

# %% 00.chain_by_hand wrong: forgets the last step's use of a: v**2 is not added to the slope of a
expect("known", "the slope of a: what a gets by the step y = s * a is left out")
edit("return np.array([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a])",
     "dv = a * 2 * v\n    du = dv\n    return du * b, du * a, dv", of="an array")

# %% 00.chain_by_hand wrong: forgets the first step's use of a: only the slope of the last step is taken
expect("known", "the slope of a: what a gets by the step u = a * b is left out")
edit("ds, da = a, v * v", "ds= v**2\n    ds_ = a\n    da = ds\n    dv = ds_ * 2 * v",
     "dv = 2 * v * ds\n    da += dv * b", "db = dv * a", of="backward")

# %% 00.chain_by_hand wrong: multiplies the two ways of a instead of adding them
expect("known", "the slope of a: what a gets by the step u = a * b multiplies, but it must be added")
edit("da += dv * b\n    return da, dv * a, dv", "da += dv * b), dv * a, dv",
     "da += dv * b", "return v**2 * ( dv * b", of="backward")

# %% 00.chain_by_hand wrong: the slope of the square is v, the factor 2 is forgotten
expect("known", "the local slope of the square: 2 is left out")
edit("ds, da = a, v * v", "s = v**2\n    dv = a * v",
     "dv = 2 * v * ds\n    da += dv * b\n    return da, dv * a, dv", "return s + dv * b, dv * a, dv", of="backward")

# %% 00.chain_by_hand wrong: the slopes come in the wrong order: a, c, b
expect("known", "the three slopes: the parts stand in another order")
edit("return np.array([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a])",
     "dv = a * 2 * v\n    dc = dv\n    da = v**2 + dv * b\n    db = dv * a\n    return da, dc, db", of="an array")

# %% 00.chain_by_hand wrong: the slope of b is du times b; it must be du times a, the other factor of a*b
expect("known", "on the way back through u = a * b, yours multiplies what goes to b by b: the other")
edit("da += dv * b\n    return da, dv * a, dv", "return v**2 + dv * b, dv * b, dv", of="backward")

# %% 00.chain_by_hand wrong: the slope of c is multiplied by c, but in v = u + c the local slope is 1
expect("known", "the slope of c: it is also multiplied by `c`")
edit("return np.array([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a])",
     "dv = a * 2 * v\n    return [v**2 + dv * b, dv * a, dv * c]", of="an array")

# %% 00.chain_by_hand wrong: starts the way back at s with slope 1: the last step's factor a is missing in the ways through s
expect("known", "what comes back to v: `a` is left out")
edit("dy = 1.0  # y changes exactly as much as y\n    ds, da_last = dy * a, dy * s", "ds = 1.0",
     "da_first, db = du * b, du * a\n    return da_first + da_last, db, dc", "return s + du * b, du * a, dv")

# %% 00.chain_by_hand wrong: the slope of y = s * a for a is taken as v, but it is s = v**2
expect("known", "the slope of a: v stands in the place of what a gets by the step y = s * a")
edit("da += dv * b\n    return da, dv * a, dv", "return v + dv * b, dv * a, dv", of="backward")

# %% 00.chain_by_hand wrong: uses u instead of v in the slope of the square: + c is forgotten
expect("known", "the local slope of the square: u stands in the place of v")
edit("v = a * b + c", "u = a * b\n    v = u + c",
     "ds, da = a, v * v", "s = v**2",
     "dv = 2 * v * ds", "dv = a * 2 * u",
     "da += dv * b\n    return da, dv * a, dv", "return s + dv * b, dv * a, dv", of="backward")

# %% 00.chain_by_hand wrong: returns y as a first number too: four numbers and not three
expect("length", "the result has 4 entries, it must have 3")
edit("return torch.tensor([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a], dtype=torch.float64)",
     "s = v**2\n    y = s * a\n    dv = a * 2 * v\n    return y, s + dv * b, dv * a, dv", of="a tensor")

# %% 00.chain_by_hand wrong: the slopes are kept in a list outside of the function and grow with every call
expect("not_repeatable", "the same call gives another result the second time: something outside the function")
edit("da += dv * b\n    return da, dv * a, dv",
     "da += dv * b\n    da[1] += dv * a\n    da[2] += dv\n    return tuple(da)",
     "dv = 2 * v * ds\n    da += dv * b", "da[0] += v**2 + dv * b",
     "ds, da = a, v * v", "dv = a * 2 * v",
     "def chain_by_hand(a, b, c):", "da = [0.0, 0.0, 0.0]\ndef chain_by_hand(a, b, c):", of="backward")

# %% 00.chain_by_hand wrong: moves each input by 0.001: the slopes are not exact to five digits
expect("known", "these are differences over a move of")
edit("h = 1e-30", "h = 1e-3\n    y0 = y(a, b, c)",
     "[y(a + h * 1j, b, c).imag / h, y(a, b + h * 1j, c).imag / h, y(a, b, c + h * 1j).imag / h]",
     "(y(a + h, b, c) - y0) / h, (y(a, b + h, c) - y0) / h, (y(a, b, c + h) - y0) / h", of="a step into")

# %% 00.chain_by_hand wrong: In the slope of a, the path through u is multiplied by a instead of b (slope of a*b for a)
expect("known", "on the way back through u = a * b, yours multiplies what goes to a by a: the other")
edit("da += dv * b", "da = dv * a + v ** 2\n    dy_db = dv * a\n    dy_dc = dv", of="backward")

# %% 00.chain_by_hand wrong: divided by the factors
expect("raises_for_some", "ZeroDivisionError")
def chain_by_hand(a, b, c):
    y = (a * b + c) ** 2 * a
    of_c = 2 * y / (a * b + c)
    return y / a + of_c * b, of_c * a, of_c

# %% 00.chain_by_hand wrong: as in the lesson
expect("known", "v: it is twice what it must be")
edit("v = a * b + c", "v = 2 * (a * b + c)", of="a tensor")

# %% 00.chain_by_hand wrong: slope of the square is 1
expect("known", "the local slope of the square is left out", never=(": it is that of",))
edit("v = a * b + c\n    return np.array([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a])",
     "v = a * b + c\n    dv = a\n    return dv * b + v**2, dv * a, dv", of="an array")

# %% 00.chain_by_hand wrong: printed
expect("no_result", "it prints something, but it returns None", never=("`.grad`", "backward()", "list.sort()"))
edit("du, dc = dv, dv\n    da_first, db = du * b, du * a\n    return da_first + da_last, db, dc",
     "print(dv * b + v**2, dv * a, dv)")

# %% 00.chain_by_hand wrong: bare expression
expect("no_result", "it returns None", "Only the value that stands after it is returned",
       never=("`.grad`", "backward()", "list.sort()", "it prints"))
edit("return np.array([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a])",
     "dv = a * 2 * v\n    dv * b + v**2, dv * a, dv", of="an array")

# %% 00.chain_by_hand wrong: a dict
expect("type", "yours      {a: 36.250")
def chain_by_hand(a, b, c):
    dv = 2 * (a * b + c) * a
    return dict(a=dv * b + (a * b + c) ** 2, b=dv * a, c=dv)

# %% 00.chain_by_hand wrong: prints the slopes
expect("no_result", "it prints something, but it returns None: is there a `return`? What is printed is not returned",
       never=("gets a name",))
edit("return np.array([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a])",
     "dv = a * 2 * v\n    print((v**2 + dv * b, dv * a, dv))", of="an array")

# %% 00.count_passes right: from pairs
def count_passes(inputs, results):
    return dict(zip(("moving", "backward", "forward"), (inputs + 1, results, inputs), strict=True))

# %% 00.count_passes right: counted one by one
def count_passes(inputs, results):
    count = {"forward": 0, "backward": 0, "moving": 1}
    for _ in range(inputs):
        count["forward"] += 1
        count["moving"] += 1
    for _ in range(results):
        count["backward"] += 1
    return count

# %% 00.count_passes right: from the shape of the jacobian
import numpy as np


def count_passes(inputs, results):
    rows, columns = np.broadcast_to(0.0, (results, inputs)).shape
    return {"forward": np.int64(columns), "backward": np.int64(rows), "moving": float(columns + 1)}

# %% 00.count_passes right: counts as tensors
def count_passes(inputs, results):
    return {
        "forward": torch.tensor(inputs),
        "backward": torch.ones(results, dtype=torch.int64).sum(),
        "moving": len([None, *range(inputs)]),
    }

# %% 00.count_passes right: whole numbers as tensors
import numpy as np


def count_passes(inputs, results):
    return {"forward": torch.tensor(inputs), "backward": np.int64(results), "moving": inputs + 1}

# %% 00.count_passes right: counts by going through the passes one by one
def count_passes(inputs, results):
    counts = dict.fromkeys(["forward", "backward", "moving"], 0)
    counts["moving"] += 1
    for _ in range(inputs):
        counts["forward"] += 1
        counts["moving"] += 1
    for _ in range(results):
        counts["backward"] += 1
    return counts

# %% 00.count_passes right: dict(...) with keyword arguments, another order of the entries
def count_passes(inputs, results):
    return dict(moving=1 + inputs, backward=results, forward=inputs)

# %% 00.count_passes right: a Counter, which is a dict
from collections import Counter

def count_passes(inputs, results):
    c = Counter(forward=inputs, moving=inputs, backward=results)
    c.update(["moving"])
    return c

# %% 00.count_passes right: really counts, one by one
from collections import Counter

def count_passes(inputs, results):
    work = Counter(moving=1)
    for _ in range(inputs):
        work.update(("forward", "moving"))
    for _ in range(results):
        work.update(("backward",))
    return dict(work)

# %% 00.count_passes wrong: forward and backward are mixed up: forward needs a pass per input, backward a pass per result
expect("known", "forward and backward are exchanged: a forward pass starts at one input, a backward pass")
def count_passes(inputs, results):
    return {"forward": results, "backward": inputs, "moving": inputs + 1}

# %% 00.count_passes wrong: moving lacks the first call, which moves nothing: it needs inputs + 1 calls
expect("known", '"moving": a call is missing')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs}

# %% 00.count_passes wrong: moving is counted once for each result, but each call gives all results
expect("known", '"moving": it is also multiplied by `results`')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": (inputs + 1) * results}

# %% 00.count_passes wrong: moving makes two calls for each input (to both sides)
expect("known", '"moving": it is `2 * inputs` in yours')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": 2 * inputs}

# %% 00.count_passes wrong: backward is always 1, but each result needs a pass of its own
expect("known", '"backward": one pass is enough for one result only')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": 1, "moving": inputs + 1}

# %% 00.count_passes wrong: forward counts a pass for each pair of input and result, but one pass gives all results
expect("known", '"forward": it is also multiplied by `results`')
def count_passes(inputs, results):
    return {"forward": inputs * results, "backward": results, "moving": inputs + 1}

# %% 00.count_passes wrong: backward counts a pass for each pair of input and result, but one pass gives all inputs
expect("known", '"backward": it is also multiplied by `inputs`')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": inputs * results, "moving": inputs + 1}

# %% 00.count_passes wrong: the run that computes the values is counted in backward
expect("known", '"backward": the run that computes the values is counted, but only the passes of the')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results + 1, "moving": inputs + 1}

# %% 00.count_passes wrong: the run that computes the values is counted in forward
expect("known", '"forward": the run that computes the values is counted, but only the passes of the')
edit('\n    return {"forward": torch.tensor(inputs), "backward": np.int64(results)',
     "\n    forward = 1\n    for _ in range(inputs):\n        forward += 1\n"
     '    return {"forward": forward, "backward": results', of="whole numbers")

# %% 00.count_passes wrong: moving is one call for each input and each result (inputs + results)
expect("known", '"moving": it is `inputs + results` in yours')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs + results}

# %% 00.count_passes wrong: forward takes the cheaper of the two directions
expect("known", '"forward": yours is the smaller of the two, but one pass starts at one input and')
def count_passes(inputs, results):
    return {"forward": min(inputs, results), "backward": results, "moving": inputs + 1}

# %% 00.count_passes wrong: backward takes the cheaper of the two directions
expect("known", '"backward": yours is the smaller of the two, but one pass starts at one result and')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": min(inputs, results), "moving": inputs + 1}

# %% 00.count_passes wrong: the entry is called "move", it must be called "moving"
expect("keys", "there is no entry for 'moving'")
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "move": inputs + 1}

# %% 00.count_passes wrong: returns the numbers of the example, whatever the arguments are
expect("known", "these are the numbers of the example, whatever the numbers of inputs and results are")
def count_passes(inputs, results):
    return {"forward": 3, "backward": 1, "moving": 4}

# %% 00.count_passes wrong: the dict is made once, outside, and moving counts on with every call
expect("not_repeatable", "the same call gives another result the second time: something outside the function")
counts = {"forward": 0, "backward": 0, "moving": 1}

def count_passes(inputs, results):
    counts["forward"] = inputs
    counts["backward"] = results
    counts["moving"] += inputs
    return dict(counts)

# %% 00.count_passes wrong: moving counts calls for each result separately, but one call gives all results
expect("known", 'the calls in "moving" that move an input: it is also multiplied by `results`')
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs * results + 1}

# %% 00.count_passes wrong: forward and backward also count the run that computes the values
expect("known", '"backward": the run that computes the values is counted, but only the passes of the',
       '"forward": the run that computes the values is counted, but only the passes of the')
def count_passes(inputs, results):
    return {"forward": inputs + 1, "backward": results + 1, "moving": inputs + 1}

# %% 00.count_passes wrong: exchanged and without start
expect("known", "forward and backward are exchanged")
def count_passes(inputs, results):
    return {"forward": results, "backward": inputs, "moving": inputs}

# %% 00.count_passes wrong: backward three times
expect("factor", "result['backward'] is right but for a factor: 3 times too large")
def count_passes(inputs, results):
    return {"forward": inputs, "backward": 3 * results, "moving": inputs + 1}

# %% 00.count_passes wrong: None for one, no known mistake
expect("no_result", "it returns None", "wrong in another way")
def count_passes(inputs, results):
    if inputs != results:
        return {"forward": inputs, "backward": results, "moving": inputs + 17}

# %% 00.count_passes wrong: tuple
expect("type", "the result is a tuple of 3 entries, it must be a dict", "yours      (", never=("is a list of",))
def count_passes(inputs, results):
    return inputs, results, inputs + 1

# %% 00.count_passes wrong: prints
expect("no_result", "it prints something, but it returns None", never=("`.grad`", "backward()", "list.sort()"))
def count_passes(inputs, results):
    print({"forward": inputs, "backward": results, "moving": inputs + 1})

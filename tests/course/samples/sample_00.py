"""Answers to notebook 00 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "00.local_slopes",
        "right",
        "match statement, returns a list with whole numbers where it can",
        """
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
""",
    ),
    (
        "00.local_slopes",
        "right",
        "dual numbers: runs each step twice with a value and a slope",
        """
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
""",
    ),
    (
        "00.local_slopes",
        "right",
        "asks autograd in float64 and turns the gradients into plain numbers",
        """
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
""",
    ),
    (
        "00.local_slopes",
        "right",
        "central differences with a small step",
        """
def local_slopes(name, u, v):
    def f(u, v):
        return {"add": u + v, "sub": u - v, "mul": u * v, "square": u * u, "max": max(u, v), "div": u / v}[name]
    h = 1e-6
    return (f(u + h, v) - f(u - h, v)) / (2 * h), (f(u, v + h) - f(u, v - h)) / (2 * h)
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "sub" the slope of v is 1, but it is -1: y falls when v grows',
        """
def local_slopes(name, u, v):
    if name in ("add", "sub"):
        return 1.0, 1.0
    if name == "mul":
        return v, u
    if name == "square":
        return 2 * u, 0.0
    if name == "max":
        return float(u > v), float(v > u)
    return 1 / v, -u / v**2
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "mul" the two slopes are swapped: the slope of u is v, not u',
        """
def local_slopes(name, u, v):
    slopes = {
        "add": (1.0, 1.0),
        "sub": (1.0, -1.0),
        "mul": (u, v),
        "square": (2 * u, 0.0),
        "max": (1.0, 0.0) if u > v else (0.0, 1.0),
        "div": (1 / v, -u / v**2),
    }
    return slopes[name]
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "div" the minus sign of the slope of v is missing',
        """
def local_slopes(name, u, v):
    slopes = {
        "add": (1.0, 1.0),
        "sub": (1.0, -1.0),
        "mul": (v, u),
        "square": (2 * u, 0.0),
        "max": (1.0, 0.0) if u > v else (0.0, 1.0),
        "div": (1 / v, u / v**2),
    }
    return slopes[name]
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "div" the slope of v: -u / v * v is -u (no brackets around v * v)',
        """
def local_slopes(name, u, v):
    if name == "add":
        return 1.0, 1.0
    elif name == "sub":
        return 1.0, -1.0
    elif name == "mul":
        return v, u
    elif name == "square":
        return 2 * u, 0.0
    elif name == "max":
        return (1.0, 0.0) if u > v else (0.0, 1.0)
    elif name == "div":
        return 1 / v, -u / v * v
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "max" it always says that u is the larger number',
        """
def local_slopes(name, u, v):
    slopes = {
        "add": (1.0, 1.0),
        "sub": (1.0, -1.0),
        "mul": (v, u),
        "square": (2 * u, 0.0),
        "max": (1.0, 0.0),
        "div": (1 / v, -u / v**2),
    }
    return slopes[name]
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "max" it compares the absolute values, so it is wrong when a negative number has the larger size',
        """
def local_slopes(name, u, v):
    if name == "add":
        return 1.0, 1.0
    if name == "sub":
        return 1.0, -1.0
    if name == "mul":
        return v, u
    if name == "square":
        return 2 * u, 0.0
    if name == "max":
        return (1.0, 0.0) if abs(u) > abs(v) else (0.0, 1.0)
    if name == "div":
        return 1 / v, -u / v**2
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "max" it returns the larger number itself, not the slope 1',
        """
def local_slopes(name, u, v):
    if name == "add":
        return 1.0, 1.0
    if name == "sub":
        return 1.0, -1.0
    if name == "mul":
        return v, u
    if name == "square":
        return 2 * u, 0.0
    if name == "max":
        return (u, 0.0) if u > v else (0.0, v)
    if name == "div":
        return 1 / v, -u / v**2
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "square" it returns one number, not a pair: the slope 0 of v is missing',
        """
def local_slopes(name, u, v):
    if name == "add":
        return 1.0, 1.0
    if name == "sub":
        return 1.0, -1.0
    if name == "mul":
        return v, u
    if name == "square":
        return 2 * u
    if name == "max":
        return (1.0, 0.0) if u > v else (0.0, 1.0)
    if name == "div":
        return 1 / v, -u / v**2
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "square" the slope of v is 1, but v does not change y, so it is 0',
        """
def local_slopes(name, u, v):
    du = {"add": 1.0, "sub": 1.0, "mul": v, "square": 2 * u, "max": float(u > v), "div": 1 / v}
    dv = {"add": 1.0, "sub": -1.0, "mul": u, "square": 1.0, "max": float(v > u), "div": -u / v**2}
    return du[name], dv[name]
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "square" the slope of u is u: the factor 2 is forgotten',
        """
def local_slopes(name, u, v):
    du = {"add": 1.0, "sub": 1.0, "mul": v, "square": u, "max": float(u > v), "div": 1 / v}
    dv = {"add": 1.0, "sub": -1.0, "mul": u, "square": 0.0, "max": float(v > u), "div": -u / v**2}
    return du[name], dv[name]
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "moves the inputs by h = 0.01, which is not small enough for five digits",
        """
def local_slopes(name, u, v):
    steps = {
        "add": lambda u, v: u + v,
        "sub": lambda u, v: u - v,
        "mul": lambda u, v: u * v,
        "square": lambda u, v: u**2,
        "max": lambda u, v: max(u, v),
        "div": lambda u, v: u / v,
    }
    f = steps[name]
    h = 0.01
    return (f(u + h, v) - f(u, v)) / h, (f(u, v + h) - f(u, v)) / h
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "h = 1e-16 is so small that u + h is u again: the slopes come out as 0 (rounding)",
        """
def local_slopes(name, u, v):
    steps = {
        "add": lambda u, v: u + v,
        "sub": lambda u, v: u - v,
        "mul": lambda u, v: u * v,
        "square": lambda u, v: u**2,
        "max": lambda u, v: max(u, v),
        "div": lambda u, v: u / v,
    }
    f = steps[name]
    h = 1e-16
    return (f(u + h, v) - f(u, v)) / h, (f(u, v + h) - f(u, v)) / h
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "remembers the slopes by name only, so a second call with other numbers gets the old slopes",
        """
known = {}

def local_slopes(name, u, v):
    if name not in known:
        known[name] = {
            "add": (1.0, 1.0),
            "sub": (1.0, -1.0),
            "mul": (v, u),
            "square": (2 * u, 0.0),
            "max": (1.0, 0.0) if u > v else (0.0, 1.0),
            "div": (1 / v, -u / v**2),
        }[name]
    return known[name]
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "returns None for an input that does not change y (square: v), not 0",
        """
def local_slopes(name, u, v):
    return {
        "add": (1.0, 1.0),
        "sub": (1.0, -1.0),
        "mul": (v, u),
        "square": (2 * u, None),
        "max": (1.0, 0.0) if u > v else (0.0, 1.0),
        "div": (1 / v, -u / v**2),
    }[name]
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "finds the slopes and prints them, but does not return them",
        """
def local_slopes(name, u, v):
    slopes = {
        "add": (1.0, 1.0),
        "sub": (1.0, -1.0),
        "mul": (v, u),
        "square": (2 * u, 0.0),
        "max": (1.0, 0.0) if u > v else (0.0, 1.0),
        "div": (1 / v, -u / v**2),
    }
    print(slopes[name])
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        'for "div" the slope of u is computed as y / u, which fails when u is 0',
        """
def local_slopes(name, u, v):
    if name == "add":
        return 1.0, 1.0
    if name == "sub":
        return 1.0, -1.0
    if name == "mul":
        return v, u
    if name == "square":
        return 2 * u, 0.0
    if name == "max":
        return (1.0, 0.0) if u > v else (0.0, 1.0)
    y = u / v
    return y / u, -y / v
""",
    ),
    (
        "00.local_slopes",
        "right",
        "lets autograd find both slopes in float64, an unused input gets 0",
        """
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
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "for sub the slope of v has the wrong sign: it is -1, because y falls when v grows",
        """
def local_slopes(name, u, v):
    if name in ("add", "sub"):
        return 1.0, 1.0
    if name == "mul":
        return v, u
    if name == "square":
        return 2 * u, 0.0
    if name == "max":
        return (1.0, 0.0) if u > v else (0.0, 1.0)
    if name == "div":
        return 1 / v, -u / v**2
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "for mul the two slopes are in the wrong order: the slope of u is v, the slope of v is u",
        """
def local_slopes(name, u, v):
    if name == "add":
        return 1.0, 1.0
    elif name == "sub":
        return 1.0, -1.0
    elif name == "mul":
        return u, v
    elif name == "square":
        return 2 * u, 0.0
    elif name == "max":
        return (1.0, 0.0) if u > v else (0.0, 1.0)
    else:
        return 1 / v, -u / v**2
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "for square it returns a single number instead of a pair: the slope 0 of v is left out",
        """
def local_slopes(name, u, v):
    if name == "add":
        return 1.0, 1.0
    elif name == "sub":
        return 1.0, -1.0
    elif name == "mul":
        return v, u
    elif name == "square":
        return 2 * u
    elif name == "max":
        return (1.0, 0.0) if u > v else (0.0, 1.0)
    else:
        return 1 / v, -u / v**2
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "max compares the absolute values, so with negative numbers it gives the slope 1 to the smaller number",
        """
def local_slopes(name, u, v):
    table = {
        "add": (1.0, 1.0),
        "sub": (1.0, -1.0),
        "mul": (v, u),
        "square": (2 * u, 0.0),
        "max": (1.0, 0.0) if abs(u) > abs(v) else (0.0, 1.0),
        "div": (1 / v, -u / v**2),
    }
    return table[name]
""",
    ),
    (
        "00.local_slopes",
        "wrong",
        "for div the slope of v is -1/v**2: the factor u is forgotten, it should be -u/v**2",
        """
def local_slopes(name, u, v):
    table = {
        "add": (1.0, 1.0),
        "sub": (1.0, -1.0),
        "mul": (v, u),
        "square": (2 * u, 0.0),
        "max": (float(u > v), float(v > u)),
        "div": (1 / v, -1 / v**2),
    }
    return table[name]
""",
    ),
    (
        "00.chain_by_hand",
        "right",
        "forward: pushes three slopes through all the steps, returns a list",
        """
def chain_by_hand(a, b, c):
    slopes = []
    for da, db, dc in [(1, 0, 0), (0, 1, 0), (0, 0, 1)]:
        u, du = a * b, da * b + a * db
        v, dv = u + c, du + dc
        s, ds = v**2, 2 * v * dv
        slopes.append(ds * a + s * da)
    return slopes
""",
    ),
    (
        "00.chain_by_hand",
        "right",
        "backward, with a dict of slopes and += for every use",
        """
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
""",
    ),
    (
        "00.chain_by_hand",
        "right",
        "multiplies the formula out and takes the slopes of the polynomial",
        """
def chain_by_hand(a, b, c):
    # y = a^3 b^2 + 2 a^2 b c + a c^2
    return (3 * a**2 * b**2 + 4 * a * b * c + c**2, 2 * a**3 * b + 2 * a**2 * c, 2 * a**2 * b + 2 * a * c)
""",
    ),
    (
        "00.chain_by_hand",
        "right",
        "a step into the imaginary direction gives the exact slope",
        """
def chain_by_hand(a, b, c):
    def y(a, b, c):
        return (a * b + c) ** 2 * a
    h = 1e-30
    return [y(a + h * 1j, b, c).imag / h, y(a, b + h * 1j, c).imag / h, y(a, b, c + h * 1j).imag / h]
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "forgets the last step's use of a: v**2 is not added to the slope of a",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    du = dv
    return du * b, du * a, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "forgets the first step's use of a: only the slope of the last step is taken",
        """
def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    s = v**2
    ds = a
    da = s
    dv = ds * 2 * v
    db = dv * a
    return da, db, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the second use of a overwrites the first slope (= and not +=)",
        """
def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    s = v**2
    slope_s = 1.0 * a
    slope_a = 1.0 * s
    slope_v = slope_s * 2 * v
    slope_u = slope_v
    slope_c = slope_v
    slope_a = slope_u * b
    slope_b = slope_u * a
    return (slope_a, slope_b, slope_c)
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "multiplies the two ways of a instead of adding them",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = 2 * v * a
    return v**2 * (dv * b), dv * a, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slope of the square is v, the factor 2 is forgotten",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    s = v**2
    dv = a * v
    return s + dv * b, dv * a, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slopes come in the wrong order: a, c, b",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    dc = dv
    da = v**2 + dv * b
    db = dv * a
    return da, dc, db
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "in the step u = a * b the slope of b is taken as b (it is a)",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    s = v * v
    dv = 2 * v * a
    du = dv
    da = s + du * b
    db = du * b
    dc = dv
    return da, db, dc
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slope of c is multiplied by c, but in v = u + c the local slope is 1",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return [v**2 + dv * b, dv * a, dv * c]
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "starts the way back at s with slope 1: the last step's factor a is missing in the ways through s",
        """
def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    s = v**2
    ds = 1.0
    dv = ds * 2 * v
    du = dv
    return s + du * b, du * a, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slope of y = s * a for a is taken as v, but it is s = v**2",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = 2 * v * a
    return v + dv * b, dv * a, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "uses u instead of v in the slope of the square: + c is forgotten",
        """
def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    s = v**2
    dv = a * 2 * u
    return s + dv * b, dv * a, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "returns y as a first number too: four numbers and not three",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    s = v**2
    y = s * a
    dv = a * 2 * v
    return y, s + dv * b, dv * a, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slopes are kept in a list outside of the function and grow with every call",
        """
slopes = [0.0, 0.0, 0.0]

def chain_by_hand(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    slopes[0] += v**2 + dv * b
    slopes[1] += dv * a
    slopes[2] += dv
    return tuple(slopes)
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "returns a dict, not a tuple or list of three numbers",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return {"a": v**2 + dv * b, "b": dv * a, "c": dv}
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "moves each input by 0.001: the slopes are not exact to five digits",
        """
def chain_by_hand(a, b, c):
    def y(a, b, c):
        return (a * b + c) ** 2 * a
    h = 1e-3
    y0 = y(a, b, c)
    return (y(a + h, b, c) - y0) / h, (y(a, b + h, c) - y0) / h, (y(a, b, c + h) - y0) / h
""",
    ),
    (
        "00.chain_by_hand",
        "right",
        "goes forward with dual numbers, one direction for each input",
        """
def chain_by_hand(a, b, c):
    slopes = []
    for da, db, dc in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        u, du = a * b, da * b + a * db
        v, dv = u + c, du + dc
        s, ds = v * v, (v + v) * dv
        slopes.append(ds * a + s * da)
    return slopes
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slope of a has only the way through the last step (s); the way through u = a*b is missing",
        """
def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    s = v**2
    ds = a
    dv = ds * 2 * v
    du = dv
    da = s
    db = du * a
    dc = dv
    return da, db, dc
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slope of a overwrites the part of the last step instead of adding to it (= where += is needed)",
        """
def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    s = v**2
    dy = 1.0
    ds = dy * a
    da = dy * s
    dv = ds * 2 * v
    du = dv
    dc = dv
    da = du * b
    db = du * a
    return da, db, dc
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the factor 2 in the slope of v**2 is forgotten",
        """
def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    s = v**2
    ds = a
    dv = ds * v
    du = dv
    return (s + du * b, du * a, dv)
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slope of b is du times b; it must be du times a, the other factor of a*b",
        """
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = 2 * v * a
    return v**2 + dv * b, dv * b, dv
""",
    ),
    (
        "00.chain_by_hand",
        "wrong",
        "the slopes are kept in a global dict and never set back to 0, so a second call adds to the first one",
        """
grads = {"a": 0.0, "b": 0.0, "c": 0.0}

def chain_by_hand(a, b, c):
    v = a * b + c
    grads["a"] += v**2
    dv = 2 * v * a
    grads["c"] += dv
    grads["a"] += dv * b
    grads["b"] += dv * a
    return grads["a"], grads["b"], grads["c"]
""",
    ),
    (
        "00.count_passes",
        "right",
        "counts by going through the passes one by one",
        """
def count_passes(inputs, results):
    counts = dict.fromkeys(["forward", "backward", "moving"], 0)
    counts["moving"] += 1
    for _ in range(inputs):
        counts["forward"] += 1
        counts["moving"] += 1
    for _ in range(results):
        counts["backward"] += 1
    return counts
""",
    ),
    (
        "00.count_passes",
        "right",
        "dict(...) with keyword arguments, another order of the entries",
        """
def count_passes(inputs, results):
    return dict(moving=1 + inputs, backward=results, forward=inputs)
""",
    ),
    (
        "00.count_passes",
        "right",
        "a Counter, which is a dict",
        """
from collections import Counter

def count_passes(inputs, results):
    c = Counter(forward=inputs, moving=inputs, backward=results)
    c.update(["moving"])
    return c
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "forward and backward are swapped",
        """
def count_passes(inputs, results):
    return {"forward": results, "backward": inputs, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "the first call, which moves nothing, is not counted in moving",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "moving is counted once for each result, but each call gives all results",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": (inputs + 1) * results}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "moving makes two calls for each input (to both sides)",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": 2 * inputs}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "backward is always 1, but each result needs a pass of its own",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": 1, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "forward counts a pass for each pair of input and result, but one pass gives all results",
        """
def count_passes(inputs, results):
    return {"forward": inputs * results, "backward": results, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "backward counts a pass for each pair of input and result, but one pass gives all inputs",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": inputs * results, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "the run that computes the values is counted in backward",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results + 1, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "the run that computes the values is counted in forward",
        """
def count_passes(inputs, results):
    forward = 1
    for _ in range(inputs):
        forward += 1
    return {"forward": forward, "backward": results, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "moving is one call for each input and each result (inputs + results)",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs + results}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "forward takes the cheaper of the two directions",
        """
def count_passes(inputs, results):
    return {"forward": min(inputs, results), "backward": results, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "backward takes the cheaper of the two directions",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": min(inputs, results), "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "returns a tuple of three numbers, not a dict",
        """
def count_passes(inputs, results):
    return inputs, results, inputs + 1
""",
    ),
    (
        "00.count_passes",
        "wrong",
        'the entry is called "move", it must be called "moving"',
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "move": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "returns the numbers of the example, whatever the arguments are",
        """
def count_passes(inputs, results):
    return {"forward": 3, "backward": 1, "moving": 4}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "prints the dict and does not return it",
        """
def count_passes(inputs, results):
    print({"forward": inputs, "backward": results, "moving": inputs + 1})
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "the dict is made once, outside, and moving counts on with every call",
        """
counts = {"forward": 0, "backward": 0, "moving": 1}

def count_passes(inputs, results):
    counts["forward"] = inputs
    counts["backward"] = results
    counts["moving"] += inputs
    return dict(counts)
""",
    ),
    (
        "00.count_passes",
        "right",
        "really counts, one by one",
        """
from collections import Counter

def count_passes(inputs, results):
    work = Counter(moving=1)
    for _ in range(inputs):
        work.update(("forward", "moving"))
    for _ in range(results):
        work.update(("backward",))
    return dict(work)
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "forward and backward are mixed up: forward needs a pass per input, backward a pass per result",
        """
def count_passes(inputs, results):
    return {"forward": results, "backward": inputs, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "moving lacks the first call, which moves nothing: it needs inputs + 1 calls",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "moving counts calls for each result separately, but one call gives all results",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs * results + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "forward and backward also count the run that computes the values",
        """
def count_passes(inputs, results):
    return {"forward": inputs + 1, "backward": results + 1, "moving": inputs + 1}
""",
    ),
    (
        "00.count_passes",
        "wrong",
        "backward is always 1, which holds only for a single result; it needs a pass for each result",
        """
def count_passes(inputs, results):
    return {"forward": inputs, "backward": 1, "moving": 1 + inputs}
""",
    ),
]

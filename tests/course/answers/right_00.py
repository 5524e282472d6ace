"""Right answers to notebook 00, each written another way."""

import numpy as np

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


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


# local_slopes


@right("00.local_slopes")
def from_a_table(name, u, v):
    return {
        "add": [1, 1],
        "sub": [1, -1],
        "mul": [v, u],
        "square": [u + u, 0],
        "max": [int(u > v), int(v > u)],
        "div": [v**-1, -u * v**-2],
    }[name]


@right("00.local_slopes")
def by_cases(name, u, v):
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


@right("00.local_slopes")
def by_moving(name, u, v, h=1e-5):
    f = STEPS[name]
    return (f(u + h, v) - f(u - h, v)) / (2 * h), (f(u, v + h) - f(u, v - h)) / (2 * h)


@right("00.local_slopes")
def steps_by_autograd(name, u, v):
    return tuple(0.0 if slope is None else slope for slope in by_autograd(STEPS[name], u, v))


# chain_by_hand


@right("00.chain_by_hand")
def backward(a, b, c):
    v = a * b + c
    ds, da = a, v * v
    dv = 2 * v * ds
    da += dv * b
    return da, dv * a, dv


@right("00.chain_by_hand")
def one_pass_for_each_input(a, b, c):
    def push(da, db, dc):
        v, dv = a * b + c, da * b + a * db + dc
        s, ds = v**2, 2 * v * dv
        return ds * a + s * da

    return np.array([push(1, 0, 0), push(0, 1, 0), push(0, 0, 1)])


@right("00.chain_by_hand")
def multiplied_out(a, b, c):
    """y = a³b² + 2a²bc + ac²."""
    return [
        3 * a**2 * b**2 + 4 * a * b * c + c**2,
        2 * a**3 * b + 2 * a**2 * c,
        2 * a**2 * b + 2 * a * c,
    ]


@right("00.chain_by_hand")
def chain_by_autograd(a, b, c):
    return by_autograd(lambda a, b, c: (a * b + c) ** 2 * a, a, b, c)


# count_passes


@right("00.count_passes")
def from_pairs(inputs, results):
    return dict(zip(("moving", "backward", "forward"), (inputs + 1, results, inputs), strict=True))


@right("00.count_passes")
def counted_one_by_one(inputs, results):
    count = {"forward": 0, "backward": 0, "moving": 1}
    for _ in range(inputs):
        count["forward"] += 1
        count["moving"] += 1
    for _ in range(results):
        count["backward"] += 1
    return count


@right("00.count_passes")
def from_the_shape_of_the_jacobian(inputs, results):
    rows, columns = np.broadcast_to(0.0, (results, inputs)).shape
    return {"forward": np.int64(columns), "backward": np.int64(rows), "moving": float(columns + 1)}


@right("00.local_slopes")
def as_a_tensor(name, u, v):
    return torch.tensor(from_a_table(name, u, v), dtype=torch.float64)


@right("00.local_slopes")
def by_complex_numbers(name, u, v, h=1e-20):
    f = STEPS[name]
    if name == "max":
        return (1 + np.sign(u - v)) / 2, (1 + np.sign(v - u)) / 2
    return f(u + 1j * h, v).imag / h, f(u, v + 1j * h).imag / h


right("00.chain_by_hand")(lambda a, b, c: ((a * b + c) * (3 * a * b + c), 2 * a * a * (a * b + c), 2 * a * (a * b + c)))


@right("00.chain_by_hand")
def stacked_gradients(a, b, c):
    leaves = torch.tensor([a, b, c], dtype=torch.float64, requires_grad=True)
    ((leaves[0] * leaves[1] + leaves[2]) ** 2 * leaves[0]).backward()
    return leaves.grad


@right("00.count_passes")
def counts_as_tensors(inputs, results):
    return {
        "forward": torch.tensor(inputs),
        "backward": torch.ones(results, dtype=torch.int64).sum(),
        "moving": len([None, *range(inputs)]),
    }


@right("00.local_slopes")
def quotient_by_a_product(name, u, v):
    inverse = 1 / v
    return {"div": (inverse, -u * inverse * inverse), "add": (1, 1), "sub": (1, -1)}.get(
        name, {"mul": (v, u), "square": (2 * u, 0), "max": (float(u > v), float(u < v))}.get(name)
    )

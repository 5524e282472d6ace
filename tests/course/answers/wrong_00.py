"""Wrong answers to notebook 00, each with the diagnosis that must name it and words that its message must have."""

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def slopes(name, u, v):
    return {
        "add": (1, 1),
        "sub": (1, -1),
        "mul": (v, u),
        "square": (2 * u, 0),
        "max": (1, 0) if u > v else (0, 1),
        "div": (1 / v, -u / v**2),
    }[name]


# local_slopes


@wrong("00.local_slopes", "type", "the result is a number, it must be a list or tuple of 2 entries")
def the_value(name, u, v):
    return {"add": u + v, "sub": u - v, "mul": u * v, "square": u * u, "max": max(u, v)}.get(name, u / v)


@wrong("00.local_slopes", "known", '"sub": y does not grow when v grows')
def difference_as_a_sum(name, u, v):
    return (1, 1) if name == "sub" else slopes(name, u, v)


@wrong("00.local_slopes", "known", 'the slopes of "mul": the parts stand in another order; in a product')
def product_of_itself(name, u, v):
    return (u, v) if name == "mul" else slopes(name, u, v)


@wrong("00.local_slopes", "some_values", "both entries of the result are wrong: [0]")
def product_as_a_sum(name, u, v):
    return (1.0, 1.0) if name == "mul" else slopes(name, u, v)


@wrong("00.local_slopes", "some_values", "the result is wrong at [0], right at [1]: [0]")
def square_itself(name, u, v):
    return (u * u, 0) if name == "square" else slopes(name, u, v)


@wrong("00.local_slopes", "length", "the result has 1 entry, it must have 2, for name = 'square'")
def square_without_v(name, u, v):
    return (2 * u,) if name == "square" else slopes(name, u, v)


@wrong("00.local_slopes", "rows", "the result is wrong: every entry is the sum of all, for every input")
def max_as_a_sum(name, u, v):
    return (1, 1) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "type", "is True or False, it must be a number")
def max_as_a_comparison(name, u, v):
    return (u > v, v > u) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "relation", "the result is in every entry the mean of what its entries must be, for")
def max_shared(name, u, v):
    return (0.5, 0.5) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "no_result", "return")
def quotient_not_written(name, u, v):
    if name != "div":
        return slopes(name, u, v)


@wrong("00.local_slopes", "one_shape", "ZeroDivisionError")
def quotient_divided_by_u(name, u, v):
    return (u / v / u, -u / v / v) if name == "div" else slopes(name, u, v)


# chain_by_hand


@wrong("00.chain_by_hand", "one_shape", "ZeroDivisionError")
def divided_by_the_factors(a, b, c):
    y = (a * b + c) ** 2 * a
    of_c = 2 * y / (a * b + c)
    return y / a + of_c * b, of_c * a, of_c


@wrong("00.chain_by_hand", "some_values", "the result is wrong at [0], [1], [2]: [0]")
def one_where_the_square_is_flat(a, b, c):
    v = a * b + c
    return (v**2 + 2 * v * a * b, 2 * v * a * a, 2 * v * a) if v else (1.0, 1.0, 1.0)


@wrong("00.chain_by_hand", "known", "the slope of a: what a gets by the step y = s * a is left out; a is")
def only_the_way_through_u(a, b, c):
    dv = a * 2 * (a * b + c)
    return dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "the slope of a: what a gets by the step u = a * b multiplies, but it")
def ways_multiplied(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return dv * b * v**2, dv * a, dv


@wrong("00.chain_by_hand", "some_values", "the result is wrong at [0], [1], [2]: [0]")
def as_in_the_lesson(a, b, c):
    dv = 2 * (a * b + c)
    return dv * b, dv * a, dv


@wrong("00.chain_by_hand", "type", "the result is a number, it must be a list or tuple of 3 entries")
def added_up(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v**2 + dv * b + dv * a + dv


# count_passes


@wrong("00.count_passes", "known", "forward and backward are exchanged")
def exchanged(inputs, results):
    return {"forward": results, "backward": inputs, "moving": inputs + 1}


@wrong("00.count_passes", "known", "forward and backward are exchanged")
def exchanged_and_without_start(inputs, results):
    return {"forward": results, "backward": inputs, "moving": inputs}


@wrong("00.count_passes", "keys", "there is no entry for 'moving'")
def without_moving(inputs, results):
    return {"forward": inputs, "backward": results}


@wrong("00.count_passes", "type", "must be a dict")
def as_a_tuple(inputs, results):
    return inputs, results, inputs + 1


@wrong("00.count_passes", "factor", "result['backward'] is right but for a factor: 3 times too large")
def backward_three_times(inputs, results):
    return {"forward": inputs, "backward": 3 * results, "moving": inputs + 1}


# Of families


@wrong("00.local_slopes", "one_shape", "the result is right for 25 of 30 inputs")
def quotient_squares_u(name, u, v):
    return (1 / v, -1 / u**2) if name == "div" else slopes(name, u, v)


STEPS = {
    "add": lambda u, v: u + v,
    "sub": lambda u, v: u - v,
    "mul": lambda u, v: u * v,
    "square": lambda u, v: u * u,
    "max": max,
    "div": lambda u, v: u / v,
}


@wrong("00.local_slopes", "rows", "the result is wrong: every entry is the sum of all")
def moved_together(name, u, v, h=1e-6):
    f = STEPS[name]
    both = (f(u + h, v + h) - f(u, v)) / h
    return both, both


@wrong("00.count_passes", "factor", "result['forward'] and result['backward'] are right but for a factor")
def nothing_for_a_square(inputs, results):
    counts = {"moving": inputs + 1, "forward": 1, "backward": 1}
    if inputs < results or inputs > results:
        counts |= {"forward": inputs, "backward": results}
    return counts

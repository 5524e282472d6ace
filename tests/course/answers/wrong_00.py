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


@wrong("00.local_slopes", "known", "this is y, the value of the step")
def the_value(name, u, v):
    return {"add": u + v, "sub": u - v, "mul": u * v, "square": u * u, "max": max(u, v)}.get(name, u / v)


@wrong("00.local_slopes", "known", "changed places: the first belongs to u")
def v_before_u(name, u, v):
    of_u, of_v = slopes(name, u, v)
    return of_v, of_u


@wrong("00.local_slopes", "known", '"sub": y does not grow when v grows')
def difference_as_a_sum(name, u, v):
    return (1, 1) if name == "sub" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"mul": each slope is the number that moves')
def product_of_itself(name, u, v):
    return (u, v) if name == "mul" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"mul": slopes of 1 belong to a sum')
def product_as_a_sum(name, u, v):
    return (1.0, 1.0) if name == "mul" else slopes(name, u, v)


@wrong("00.local_slopes", "known", "u * u uses u twice")
def square_used_once(name, u, v):
    return (u, 0) if name == "square" else slopes(name, u, v)


@wrong("00.local_slopes", "known", "u**2 is the value of the step")
def square_itself(name, u, v):
    return (u * u, 0) if name == "square" else slopes(name, u, v)


@wrong("00.local_slopes", "known", "v has another slope than 1")
def square_passes_v_on(name, u, v):
    return (2 * u, 1) if name == "square" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"square": y does not change when v moves')
def square_of_both(name, u, v):
    return (2 * u, 2 * v) if name == "square" else slopes(name, u, v)


@wrong("00.local_slopes", "length", "the result has 1 entry, it must have 2, for name = 'square'")
def square_without_v(name, u, v):
    return (2 * u,) if name == "square" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"max": these are numbers that were compared')
def larger_number(name, u, v):
    return (u if u > v else 0, v if v > u else 0) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"max": y follows only one of its inputs')
def max_as_a_sum(name, u, v):
    return (1, 1) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"max": these are the slopes of the smaller number')
def max_the_wrong_way_round(name, u, v):
    return (float(u < v), float(v < u)) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "known", "compare the numbers with their signs")
def max_by_size(name, u, v):
    return slopes(name, abs(u), abs(v)) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "type", "is True or False, it must be a number")
def max_as_a_comparison(name, u, v):
    return (u > v, v > u) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"max": in yours, both slopes are 0.5')
def max_shared(name, u, v):
    return (0.5, 0.5) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "known", "changed places: the first belongs to u")
def quotient_exchanged(name, u, v):
    return (-u / v**2, 1 / v) if name == "div" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"div": the slope of v has the wrong sign')
def quotient_sign(name, u, v):
    return (1 / v, u / v**2) if name == "div" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"div": the slope of v has the wrong power of v')
def quotient_power(name, u, v):
    return (1 / v, -u / v) if name == "div" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"div": the slope of v leaves out u')
def quotient_without_u(name, u, v):
    return (1 / v, -1 / v**2) if name == "div" else slopes(name, u, v)


@wrong("00.local_slopes", "no_result", "return")
def quotient_not_written(name, u, v):
    if name != "div":
        return slopes(name, u, v)


@wrong(
    "00.local_slopes", "some_values", "; wrong for name = 'sub' and 'div', right for 'add', 'mul', 'square' and 'max'"
)
def two_steps_always_wrong(name, u, v):
    return slopes(name, u, v) if name not in ("sub", "div") else (1 / v + 5, 7)


@wrong("00.local_slopes", "some_values", "; wrong for some inputs with name = 'sub' and 'max', right for 'add', 'mul'")
def two_steps_sometimes_wrong(name, u, v):
    of_u, of_v = slopes(name, u, v)
    return {"sub": (1, u), "max": (1, 0)}.get(name, (of_u, of_v))


@wrong(
    "00.local_slopes", "type", "the result is a number, it must be a list or tuple of 2 entries, for name = 'square'"
)
def a_bare_number_and_a_wrong_difference(name, u, v):
    return {"sub": (1, 1), "square": 2 * u}.get(name, slopes(name, u, v))


@wrong("00.local_slopes", "some_values", "for name = 'mul'")
def two_steps_wrong(name, u, v):
    return slopes(name, u, v) if name not in ("mul", "div") else (1, -1)


@wrong("00.local_slopes", "one_shape", "ZeroDivisionError")
def quotient_divided_by_u(name, u, v):
    return (u / v / u, -u / v / v) if name == "div" else slopes(name, u, v)


@wrong("00.local_slopes", "known", "only where u is 0")
def no_slope_at_zero(name, u, v):
    return tuple(slope if u else 0.0 for slope in slopes(name, u, v))


@wrong("00.local_slopes", "known", "a move of 1e-16: a move this small is lost")
def moved_by_less_than_a_digit(name, u, v):
    f = {"add": lambda u, v: u + v, "sub": lambda u, v: u - v, "mul": lambda u, v: u * v, "max": max}
    f = f | {"square": lambda u, v: u * u, "div": lambda u, v: u / v}
    h = 1e-16
    return (f[name](u + h, v) - f[name](u, v)) / h, (f[name](u, v + h) - f[name](u, v)) / h


# chain_by_hand


@wrong("00.chain_by_hand", "one_shape", "ZeroDivisionError")
def divided_by_the_factors(a, b, c):
    y = (a * b + c) ** 2 * a
    of_c = 2 * y / (a * b + c)
    return y / a + of_c * b, of_c * a, of_c


@wrong("00.chain_by_hand", "known", "only where a*b + c is 0")
def one_where_the_square_is_flat(a, b, c):
    v = a * b + c
    return (v**2 + 2 * v * a * b, 2 * v * a * a, 2 * v * a) if v else (1.0, 1.0, 1.0)


@wrong("00.chain_by_hand", "known", "a is also used in the last step")
def only_the_way_through_u(a, b, c):
    dv = a * 2 * (a * b + c)
    return dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "a is also used in u = a * b")
def overwritten_by_the_last_step(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    da = dv * b
    db = dv * a
    da = v**2  # `=` where it should be `+=`
    return da, db, dv


@wrong("00.chain_by_hand", "known", "but the paths add up")
def ways_multiplied(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return dv * b * v**2, dv * a, dv


@wrong("00.chain_by_hand", "known", "the two paths of a are subtracted")
def ways_subtracted(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v**2 - dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "a change of s counts a times")
def last_factor_forgotten(a, b, c):
    v = a * b + c
    dv = 2 * v
    return v**2 + dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "the last step, times a, is missing")
def as_in_the_lesson(a, b, c):
    dv = 2 * (a * b + c)
    return dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "the local slopes of a product are not 1")
def product_as_a_sum_on_the_way(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v**2 + dv, dv, dv


@wrong("00.chain_by_hand", "known", "through u = a * b, a and b are exchanged")
def own_factor(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v**2 + dv * a, dv * b, dv


@wrong("00.chain_by_hand", "known", "the order is a, b, c")
def b_before_a(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return dv * a, v**2 + dv * b, dv


@wrong("00.chain_by_hand", "known", "the factor 2 is missing")
def square_without_two(a, b, c):
    v = a * b + c
    dv = a * v
    return v**2 + dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "only the 2 is there")
def square_only_two(a, b, c):
    v = a * b + c
    dv = a * 2
    return v**2 + dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "the way back starts with y")
def started_with_y(a, b, c):
    v = a * b + c
    dy = v**2 * a
    dv = dy * a * 2 * v
    return dy * v**2 + dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "every slope has the wrong sign")
def downhill(a, b, c):
    v = a * b + c
    dv = -a * 2 * v
    return -(v**2) + dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "c gets minus what comes back to v")
def sign_of_c(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v**2 + dv * b, dv * a, -dv


@wrong("00.chain_by_hand", "known", "multiplies what goes to b by a * b")
def b_gets_both_factors(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v**2 + dv * b, dv * a * b, dv


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


@wrong("00.count_passes", "known", "a call is missing")
def without_the_start(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs}


@wrong("00.count_passes", "known", "two calls for each input")
def before_and_after_each_move(inputs, results):
    return {"forward": inputs, "backward": results, "moving": 2 * inputs}


@wrong("00.count_passes", "known", "one call gives all results, so their number must not count")
def a_call_for_each_slope(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs * results}


@wrong("00.count_passes", "known", "do not make the same calls again for each result")
def all_calls_for_each_result(inputs, results):
    return {"forward": inputs, "backward": results, "moving": (inputs + 1) * results}


@wrong("00.count_passes", "known", "after the first call, one for each input is enough")
def a_call_for_each_slope_and_the_start(inputs, results):
    return {"forward": inputs, "backward": results, "moving": inputs * results + 1}


@wrong("00.count_passes", "known", "a pass for each pair of an input and a result")
def a_pass_for_each_slope(inputs, results):
    return {"forward": inputs * results, "backward": inputs * results, "moving": inputs + 1}


@wrong("00.count_passes", "known", '"forward": one pass reaches all results')
def forward_for_each_slope(inputs, results):
    return {"forward": inputs * results, "backward": results, "moving": inputs + 1}


@wrong("00.count_passes", "known", '"backward": one pass reaches all inputs')
def backward_for_each_slope(inputs, results):
    return {"forward": inputs, "backward": results * inputs, "moving": inputs + 1}


@wrong("00.count_passes", "known", '"backward": one pass is enough for one result only')
def as_in_training(inputs, results):
    return {"forward": inputs, "backward": 1, "moving": inputs + 1}


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


@wrong("00.local_slopes", "known", '"add": yours are the slopes of "mul"')
def sum_as_a_product(name, u, v):
    return (v, u) if name == "add" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"mul": in yours, both slopes are y, the value of the step')
def product_value_twice(name, u, v):
    return (u * v, u * v) if name == "mul" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"div": your slope of u is v')
def quotient_by_v(name, u, v):
    return (v, -u / v**2) if name == "div" else slopes(name, u, v)


@wrong("00.local_slopes", "known", '"div": your slope of v is -1 / u**2')
def quotient_squares_u(name, u, v):
    return (1 / v, -1 / u**2) if name == "div" else slopes(name, u, v)


@wrong("00.local_slopes", "known", "which is not always u")
def max_always_u(name, u, v):
    return (1, 0) if name == "max" else slopes(name, u, v)


@wrong("00.local_slopes", "known", 'so a sign is wrong; "div": the slope of v has the wrong sign')
def two_signs(name, u, v):
    if name == "sub":
        return 1, 1
    return (1 / v, u / v**2) if name == "div" else slopes(name, u, v)


STEPS = {
    "add": lambda u, v: u + v,
    "sub": lambda u, v: u - v,
    "mul": lambda u, v: u * v,
    "square": lambda u, v: u * u,
    "max": max,
    "div": lambda u, v: u / v,
}


@wrong("00.local_slopes", "known", "these are differences over a move of 0.01")
def moved_too_far(name, u, v, h=0.01):
    f = STEPS[name]
    return (f(u + h, v) - f(u, v)) / h, (f(u, v + h) - f(u, v)) / h


@wrong("00.local_slopes", "known", "not yet divided by how far it moved")
def changes_alone(name, u, v, h=0.001):
    f = STEPS[name]
    return f(u + h, v) - f(u, v), f(u, v + h) - f(u, v)


@wrong("00.local_slopes", "known", "both are the sum of the two")
def moved_together(name, u, v, h=1e-6):
    f = STEPS[name]
    both = (f(u + h, v + h) - f(u, v)) / h
    return both, both


@wrong("00.chain_by_hand", "known", "what a gets by the last step, y = s * a, is v")
def last_step_not_squared(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v + dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "your local slope is 2 * u")
def square_at_u(a, b, c):
    v = a * b + c
    dv = a * 2 * a * b
    return v**2 + dv * b, dv * a, dv


@wrong("00.chain_by_hand", "known", "c gets what comes back to v, times c")
def c_counts_c_times(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v**2 + dv * b, dv * a, dv * c


@wrong("00.chain_by_hand", "known", "multiplies what goes to b by 1")
def b_passed_on(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return v**2 + dv * b, dv, dv


@wrong("00.chain_by_hand", "known", "in another order")
def from_the_end(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    return dv, dv * a, v**2 + dv * b


@wrong("00.chain_by_hand", "known", "c is left out of v = u + c")
def without_c(a, b, c):
    v = a * b
    dv = a * 2 * v
    return v**2 + dv * b, dv * a, dv


@wrong(
    "00.chain_by_hand", "known", "what comes along both paths adds up; on the way back through the square, the factor 2"
)
def two_slips(a, b, c):
    dv = a * (a * b + c)
    return dv * b, dv * a, dv


@wrong("00.count_passes", "known", '"moving": yours is results + 1')
def moved_once_for_each_result(inputs, results):
    return {"forward": inputs, "backward": results, "moving": results + 1}


@wrong("00.count_passes", "known", '"forward": yours is inputs + 1')
def forward_starts_with_the_values(inputs, results):
    return {"forward": inputs + 1, "backward": results, "moving": inputs + 1}


@wrong("00.count_passes", "known", '"backward": yours is the smaller of the two numbers')
def backward_as_often_as_needed(inputs, results):
    return {"forward": inputs, "backward": min(inputs, results), "moving": inputs + 1}


@wrong("00.count_passes", "known", "these are the numbers of the example")
def numbers_of_the_example(inputs, results):
    return {"forward": 3, "backward": 1, "moving": 4}


@wrong("00.count_passes", "known", "as many inputs as results")
def nothing_for_a_square(inputs, results):
    counts = {"moving": inputs + 1, "forward": 1, "backward": 1}
    if inputs < results or inputs > results:
        counts |= {"forward": inputs, "backward": results}
    return counts

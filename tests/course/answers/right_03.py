"""Right answers to notebook 03, each written another way."""

from collections import Counter, deque

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


# count_nodes


@right("03.count_nodes")
def with_a_set(y):
    found, waiting = set(), [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [pair[0] for pair in node.next_functions]
    return len(found)


@right("03.count_nodes")
def layer_by_layer(y):
    layer, found = [y.grad_fn] if y.requires_grad else [], {}
    while layer:
        for node in layer:
            found[node] = True
        layer = list({each for node in layer for each in following(node)} - set(found))
    print(len(found), "nodes")
    return len(found)


@right("03.count_nodes")
def as_in_the_lesson(y):
    if y.grad_fn is None:
        return 0
    found, waiting = [y.grad_fn], deque([y.grad_fn])
    while waiting:
        for node, number in waiting.popleft().next_functions:
            assert isinstance(number, int)
            if node is not None and node not in found:
                found.append(node)
                waiting.append(node)
    return len(found)


@right("03.count_nodes")
def as_a_tensor(y):
    return torch.tensor(with_a_set(y))


# leaves_of


@right("03.leaves_of")
def by_name(y):
    found, waiting = {y.grad_fn}, [y.grad_fn]
    leaves = []
    while waiting:
        node = waiting.pop()
        if node.name().endswith("AccumulateGrad"):
            leaves.append(node.variable)
        for each in following(node):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return leaves


@right("03.leaves_of")
def as_a_tuple(y):
    found = dict.fromkeys([y.grad_fn])
    waiting = list(found)
    for node in waiting:
        new = [each for each in dict.fromkeys(following(node)) if each not in found]
        found.update(dict.fromkeys(new))
        waiting.extend(new)
    return tuple(node.variable for node in found if not node.next_functions)


@right("03.leaves_of")
def a_set_of_tensors(y):
    leaves, seen, waiting = set(), set(), [y.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            assert node.variable.is_leaf and node.variable.requires_grad
            leaves.add(node.variable)
        waiting.extend(following(node))
    return leaves


# backward_order


def found_from(start):
    found, waiting = {start: None}, [start]
    while waiting:
        for each in following(waiting.pop()):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


@right("03.backward_order")
def by_counting(y):
    missing = Counter(each for node in found_from(y.grad_fn) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        for each in following(node):
            missing[each] -= 1
            if not missing[each]:
                order.append(each)
    return order


@right("03.backward_order")
def newest_first(y):
    missing = Counter(each for node in found_from(y.grad_fn) for each in following(node))
    ready, order = [y.grad_fn], []
    while ready:
        order.append(ready.pop())
        for each in following(order[-1]):
            missing[each] -= 1
            if missing[each] == 0:
                ready.append(each)
    assert len(order) == len(set(order))
    return tuple(order)


@right("03.backward_order")
def depth_first_turned_round(y):
    done, finished, waiting = set(), [], [(y.grad_fn, False)]
    while waiting:
        node, is_finished = waiting.pop()
        if is_finished:
            finished.append(node)
        elif node not in done:
            done.add(node)
            waiting.append((node, True))
            waiting += [(each, False) for each in following(node) if each not in done]
    print("last:", finished[0].name())
    return finished[::-1]


@right("03.count_nodes")
def by_ids(y):
    kept, waiting = {}, [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in kept:
            kept[id(node)] = node
            waiting.extend(pair[0] for pair in node.next_functions)
    return float(len(kept))


@right("03.leaves_of")
def one_after_the_other(y):
    yield from by_name(y)


@right("03.leaves_of")
def from_a_dict(y):
    return {id(leaf): leaf for leaf in reversed(by_name(y))}.values()


@right("03.backward_order")
def by_the_longest_way(y):
    depth = dict.fromkeys(found_from(y.grad_fn), 0)
    for node in by_counting(y):
        for each in following(node):
            depth[each] = max(depth[each], depth[node] + 1)
    return sorted(depth, key=depth.get)


@right("03.backward_order")
def as_a_deque(y):
    return deque(newest_first(y))

"""Right answers that come near what the general diagnoses look for: each must pass without a word."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

RIGHT: list[tuple[str, type]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("09.Scale")
class ScaleThroughNumPy(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return torch.tensor(np.asarray(x.numpy() * x.numpy().dtype.type(factor)))

    @staticmethod
    def backward(ctx, grad_output):
        return (0 * grad_output + 1) * ctx.factor * grad_output, None, None


@right("10.RepairTanh")
class TanhByExponentials(Function):
    @staticmethod
    def forward(ctx, x):
        up, down = x.exp(), (-x).exp()
        ctx.save_for_backward(up + down)
        return (up - down) / (up + down)

    @staticmethod
    def backward(ctx, grad_output):
        (both,) = ctx.saved_tensors
        return grad_output * 4 / both**2


@right("12.BroadcastAdd")
class BroadcastAddByPlaces(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        g = np.asarray(grad_output.detach().numpy())
        gradients = []
        for shape in ctx.shapes:
            total, numbers = np.zeros(shape), np.arange(int(np.prod(shape))).reshape(shape)
            for number, each in zip(np.broadcast_to(numbers, g.shape).reshape(-1), g.reshape(-1), strict=True):
                total[np.unravel_index(number, shape)] += each
            gradients.append(torch.tensor(total))
        return tuple(gradients)

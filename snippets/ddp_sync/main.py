"""Accumulation in two processes: how often gradients are averaged over them, and whether the result is right.

Run it: python snippets/ddp_sync/main.py --case no_sync
"""

from contextlib import nullcontext

import torch
from accelerate import Accelerator
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.functional import cross_entropy

from build_tools import measure
from processes import in_processes

TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


def model(p):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(p.features, p.hidden), nn.GELU(), nn.Linear(p.hidden, p.classes))


def data(p):
    """Features and labels of a window: processes x micro-batches x samples."""
    torch.manual_seed(0)
    size = (p.processes, p.accumulation_steps, p.micro_batch)
    return torch.randn(*size, p.features), torch.randint(p.classes, size)


# --8<-- [start:naive]
def naive(net, micro_batches):
    """`net` is a DistributedDataParallel; a step would use its `.grad`."""
    for features, labels in micro_batches:
        loss = cross_entropy(net(features), labels) / len(micro_batches)
        loss.backward()  # (1)!
    # --8<-- [end:naive]


# --8<-- [start:no_sync]
def no_sync(net, micro_batches):
    """The last micro-batch averages, and with it what came before."""
    for number, (features, labels) in enumerate(micro_batches, start=1):
        with net.no_sync() if number < len(micro_batches) else nullcontext():
            loss = cross_entropy(net(features), labels) / len(micro_batches)
            loss.backward()
    # --8<-- [end:no_sync]


# --8<-- [start:backward_only]
def backward_only(net, micro_batches):
    """The same, but forward runs outside of `no_sync`."""
    for number, (features, labels) in enumerate(micro_batches, start=1):
        loss = cross_entropy(net(features), labels) / len(micro_batches)
        with net.no_sync() if number < len(micro_batches) else nullcontext():
            loss.backward()
    # --8<-- [end:backward_only]


# --8<-- [start:accelerate]
def accelerate(net, micro_batches):
    """accelerate divides the loss and counts the micro-batches."""
    accelerator = Accelerator(
        cpu=True,
        gradient_accumulation_steps=len(micro_batches),
    )
    net = accelerator.prepare(net)
    for features, labels in micro_batches:
        with accelerator.accumulate(net):  # (1)!
            accelerator.backward(cross_entropy(net(features), labels))
    # --8<-- [end:accelerate]


def never(net, micro_batches):
    with net.no_sync():
        naive(net, micro_batches)


WAYS = {way.__name__: way for way in (naive, no_sync, backward_only, accelerate, never)}


# --8<-- [start:count]
def count(reduced, bucket):
    """DDP's own all-reduce; its bytes are noted."""
    reduced.append(bucket.buffer().nbytes)
    return allreduce_hook(None, bucket)
    # --8<-- [end:count]


def gradient(net):
    return nn.utils.parameters_to_vector(torch.zeros_like(w) if w.grad is None else w.grad for w in net.parameters())


def window(rank, p, way):
    """One process's part: the bytes of each all-reduce, and the gradient before each micro-batch and at the end."""
    wrap = Accelerator(cpu=True).prepare if way is accelerate else nn.parallel.DistributedDataParallel
    net, reduced, gradients = wrap(model(p)), [], []
    net.register_comm_hook(reduced, count)
    net.register_forward_pre_hook(lambda *_: gradients.append(gradient(net)))
    way(net, list(zip(*(values[rank] for values in data(p)), strict=True)))
    return reduced, [*gradients, gradient(net)]


def one_batch(p):
    """The gradient of all samples at once, without DDP."""
    net, (features, labels) = model(p), data(p)
    cross_entropy(net(features.flatten(0, 2)), labels.flatten()).backward()
    return gradient(net)


def difference(found, expected):
    return 100 * ((found - expected).norm() / expected.norm()).item()


def check(p):
    """Our own loops give every process the gradient of one batch; what accelerate does is measured, not judged."""
    way = no_sync if p.way in ("accelerate", "never") else WAYS[p.way]
    for rank, (_, gradients) in enumerate(in_processes(p.processes, window, p, way)):
        error = difference(gradients[-1], one_batch(p)) / 100
        assert error < TOLERANCE, f"rank {rank}: relative error {error:.1e}, allowed {TOLERANCE:.0e}"


def run(p, meter):
    """One window; nothing is timed."""
    (reduced, one), (_, other) = in_processes(p.processes, window, p, WAYS[p.way])
    meter.report(
        all_reduces=len(reduced),
        reduced_kib=sum(reduced) / 1024,
        first_difference=difference(other[1], one[1]),
        last_difference=difference(other[-1], one[-1]),
        gradient_error=difference(one[-1], one_batch(p)),
    )


if __name__ == "__main__":
    measure.main(__file__)

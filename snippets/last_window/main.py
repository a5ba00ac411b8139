"""A short last window: who takes it, and by what its gradient is divided.

Run it: python snippets/last_window/main.py --case divided_by_k
"""

from itertools import islice
from tempfile import TemporaryDirectory

import torch
from accelerate import Accelerator
from torch import nn
from torch.nn.utils import get_total_norm, parameters_to_vector
from torch.utils.data import DataLoader
from transformers import Trainer, TrainingArguments

from build_tools import measure

TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


class Classifier(nn.Sequential):
    def forward(self, features, labels):
        """The loss, a mean over the samples, in the form that Trainer expects."""
        return {"loss": nn.functional.cross_entropy(super().forward(features), labels)}


def model(p):
    torch.manual_seed(0)
    return Classifier(nn.Linear(p.features, p.hidden), nn.GELU(), nn.Linear(p.hidden, p.classes))


def data(p, batch_size):
    """Batches, in order, of random samples with random labels."""
    torch.manual_seed(0)
    labels = torch.randint(p.classes, (p.samples,))
    return DataLoader([{"features": torch.randn(p.features), "labels": label} for label in labels], batch_size)


# --8<-- [start:divided_by_k]
def divided_by_k(net, optimizer, loader, size, at_the_end=True):
    """Every micro-batch is divided by `size`."""
    for number, batch in enumerate(loader, start=1):
        (net(**batch)["loss"] / size).backward()
        if number % size == 0 or (at_the_end and number == len(loader)):
            optimizer.step()
            optimizer.zero_grad()
    # --8<-- [end:divided_by_k]


# --8<-- [start:own_count]
def own_count(net, optimizer, loader, size):
    """Takes a window at a time, and so knows its length."""
    micro_batches = iter(loader)
    while window := list(islice(micro_batches, size)):
        for batch in window:
            (net(**batch)["loss"] / len(window)).backward()
        optimizer.step()
        optimizer.zero_grad()
    # --8<-- [end:own_count]


# --8<-- [start:trainer]
def trainer(net, optimizer, loader, size):
    """One epoch of Trainer over the same batches."""
    with TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            num_train_epochs=1,
            gradient_accumulation_steps=size,
            max_grad_norm=0.0,  # (1)!
            save_strategy="no",
        )
        used = Trainer(net, arguments, optimizers=(optimizer, None))
        used.get_train_dataloader = lambda: loader  # (2)!
        used.train()
    # --8<-- [end:trainer]


# --8<-- [start:accelerate]
def accelerate(net, optimizer, loader, size):
    """The loop that accelerate documents."""
    accelerator = Accelerator(gradient_accumulation_steps=size)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(net):
            accelerator.backward(net(**batch)["loss"])
            optimizer.step()
            optimizer.zero_grad()
    # --8<-- [end:accelerate]


WAYS = {way.__name__: way for way in (divided_by_k, own_count, trainer, accelerate)}
WAYS["dropped"] = lambda *given: divided_by_k(*given, at_the_end=False)


def build(p):
    """The optimiser step of the first window."""
    net, window = model(p), list(islice(data(p, p.micro_batch), p.accumulation_steps))
    return measure.TrainingStep(net, torch.optim.SGD(net.parameters()), window, lambda net, batch: net(**batch)["loss"])


def gradients(p, way, micro_batch, size):
    """The gradient of each step that `way` takes, all at the first weights; and the norm of what stays in `.grad`."""
    net, found = model(p), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    optimizer.register_step_pre_hook(lambda *_: found.append(parameters_to_vector(w.grad for w in net.parameters())))
    way(net, optimizer, data(p, micro_batch), size)
    return found, get_total_norm([w.grad for w in net.parameters() if w.grad is not None])


def check(p):
    """With its own count, every window has the gradient of the same samples as one batch."""
    batches, _ = gradients(p, own_count, p.micro_batch * p.accumulation_steps, size=1)
    windows, _ = gradients(p, own_count, p.micro_batch, p.accumulation_steps)
    for batch, window in zip(batches, windows, strict=True):
        error = (window - batch).norm() / batch.norm()
        assert error < TOLERANCE, f"relative error of a gradient: {error:.1e}, allowed {TOLERANCE:.0e}"


def run(p, meter):
    """One epoch; nothing is timed. The gradient of a last window without a step is zero."""
    with torch.device(meter.device):
        (*full, last), _ = gradients(p, own_count, p.micro_batch * p.accumulation_steps, size=1)
        found, left = gradients(p, WAYS[p.way], p.micro_batch, p.accumulation_steps)
    used = found[len(full)] if len(found) > len(full) else torch.zeros_like(last)
    meter.report(
        optimizer_steps=len(found),
        norm_ratio=used.norm() / last.norm(),
        gradient_error=100 * (used - last).norm() / last.norm(),
        left_ratio=left / last.norm(),
    )


if __name__ == "__main__":
    measure.main(__file__)

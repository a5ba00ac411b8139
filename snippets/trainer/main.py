"""The course's experiment: BERT-large learns to classify sequences under the real `Trainer`.

Weights and sequences are random: speed and memory depend on their sizes, not on their values.
Cases differ in the micro-batch, the accumulation steps and the attention kernel, in nothing else.

    python snippets/trainer/main.py --profile quick
    python snippets/trainer/main.py --profile full --case accumulate
"""

from copy import deepcopy
from dataclasses import replace
from math import ceil
from tempfile import TemporaryDirectory

import numpy
import torch
from datasets import Dataset
from torch.nn.utils import parameters_to_vector
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from build_tools import measure

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
SMALL = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 1, "intermediate_size": 64}
TOLERANCE = 1e-4  # far above the rounding of fp32, far below a forgotten division by K


# --8<-- [start:model]
def model(p, **changes):
    """BERT with a classification head and random weights."""
    torch.manual_seed(0)
    config = BertConfig(
        num_hidden_layers=p.layers,
        hidden_size=p.hidden,
        num_attention_heads=p.hidden // 64,
        intermediate_size=4 * p.hidden,
        vocab_size=p.vocabulary,
        attn_implementation=p.attention,  # (1)!
    )
    config.update(changes)
    bert = BertForSequenceClassification(config)
    # Its forward takes **kwargs, from which Trainer concludes that
    # the loss is already divided over the window. It is not.
    bert.accepts_loss_kwargs = False  # (2)!
    return bert.to(DTYPES[p.precision])  # (3)!
    # --8<-- [end:model]


def sequences(p, count):
    """`count` random sequences, each with a random label out of two."""
    random = numpy.random.default_rng(0)
    tokens = random.integers(p.vocabulary, size=(count, p.sequence_length))
    return Dataset.from_dict({"input_ids": tokens, "labels": random.integers(2, size=count)})


# --8<-- [start:arguments]
def arguments(p, folder, device):
    """One epoch that saves nothing and reports nowhere."""
    return TrainingArguments(
        output_dir=folder,
        num_train_epochs=1,
        per_device_train_batch_size=p.micro_batch,
        gradient_accumulation_steps=p.accumulation_steps,  # (1)!
        optim=p.optimizer,
        tf32=p.tf32,  # (2)!
        seed=0,  # (3)!
        use_cpu=device.type != "cuda",
        dataloader_pin_memory=device.type == "cuda",
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    # --8<-- [end:arguments]


def build(p):
    """The optimiser step that `run` repeats, without the Trainer around it."""
    device = torch.get_default_device()
    window = sequences(p, p.micro_batch * p.accumulation_steps).with_format("torch", device=device)
    bert = model(p).train()
    optimizer_class, options = Trainer.get_optimizer_cls_and_kwargs(arguments(p, "unused", device))
    optimizer = optimizer_class(bert.parameters(), **options)
    return measure.TrainingStep(bert, optimizer, list(window.iter(p.micro_batch)))


def check(p):
    """One window of the Trainer moves the weights by the gradient of the same samples as one batch.

    Without dropout, whose masks would differ; in fp32 on the CPU, for who divides depends on neither.
    """
    small = model(p, **SMALL, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0).float()
    window = sequences(p, p.micro_batch * p.accumulation_steps)

    reference = deepcopy(small)
    reference(**window.with_format("torch")[:]).loss.backward()
    gradient = parameters_to_vector(weight.grad for weight in reference.parameters())

    with TemporaryDirectory() as folder:
        settings = arguments(p, folder, torch.device("cpu"))
        descent = replace(settings, optim="sgd", learning_rate=1.0, max_grad_norm=0.0)  # step = gradient
        Trainer(small, descent, train_dataset=window).train()
    step = parameters_to_vector(reference.parameters()) - parameters_to_vector(small.parameters())

    error = (step - gradient).norm() / gradient.norm()
    assert error < TOLERANCE, (
        f"{p.accumulation_steps} micro-batches of {p.micro_batch} moved the weights by "
        f"{step.norm() / gradient.norm():.4f} times the gradient of one batch of {len(window)} "
        f"(relative error {error:.1e}, allowed {TOLERANCE:.0e})"
    )


def run(p, meter):
    """One epoch; only the training itself is measured."""
    optimizer_steps = ceil(ceil(p.samples / p.micro_batch) / p.accumulation_steps)
    with TemporaryDirectory() as folder:
        # --8<-- [start:train]
        bert = model(p).to(meter.device)
        trainer = Trainer(
            model=bert,
            args=arguments(p, folder, meter.device),
            train_dataset=sequences(p, p.samples),
        )
        with meter.window(  # (1)!
            bert, samples=p.samples, optimizer_steps=optimizer_steps
        ):
            result = trainer.train()
        meter.report(loss=result.training_loss)  # (2)!
        # --8<-- [end:train]


if __name__ == "__main__":
    measure.main(__file__)

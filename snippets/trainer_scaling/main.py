"""Who divides under accumulation: one window of Trainer beside the same samples as one batch.

What the installed transformers does is reported, never asserted.
Run it: python snippets/trainer_scaling/main.py --case classification_default
"""

from functools import partial
from tempfile import TemporaryDirectory

import torch
import transformers
from torch.nn.functional import cross_entropy
from torch.nn.utils import parameters_to_vector
from torch.utils.data import DataLoader, default_collate

from build_tools import measure

MODELS = {
    "classification": (transformers.BertForSequenceClassification, transformers.BertConfig),
    "masked": (transformers.BertForMaskedLM, transformers.BertConfig),
    "causal": (transformers.LlamaForCausalLM, transformers.LlamaConfig),
}
TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


def model(p):
    """Random weights; without dropout, whose masks would differ between the two sides."""
    torch.manual_seed(0)
    net, config = MODELS[p.model]
    settings = config(
        num_hidden_layers=p.layers,
        hidden_size=p.hidden,
        num_attention_heads=p.hidden // 16,
        intermediate_size=4 * p.hidden,
        vocab_size=p.vocabulary,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return net(settings)


def data(p):
    """One window of samples. With uneven counts, sample i keeps the first 1/(i + 1) of its labels."""
    torch.manual_seed(0)
    samples = []
    for number in range(p.micro_batch * p.accumulation_steps):
        tokens = torch.randint(p.vocabulary, (p.sequence_length,))
        labels = tokens[0] % 2 if p.model == "classification" else tokens.clone()
        if p.uneven:
            labels[p.sequence_length // (number + 1) :] = -100
        samples.append({"input_ids": tokens, "labels": labels})
    return samples


# --8<-- [start:loss_func]
def over_the_window(outputs, labels, num_items_in_batch, causal):
    """The sum of losses over the number of labels in the window."""
    logits = outputs.logits
    if causal:  # each position predicts the token after it
        logits, labels = logits[:, :-1], labels[:, 1:]
    total = cross_entropy(logits.flatten(0, -2), labels.flatten(), reduction="sum")
    return total / num_items_in_batch
    # --8<-- [end:loss_func]


# --8<-- [start:ways]
def trainer(p, net, arguments, **options):
    """Trainer as it is, or with one of two ways to say who divides."""
    if p.way == "flag":
        net.accepts_loss_kwargs = False  # (1)!
    if p.way == "loss_func":
        options["compute_loss_func"] = partial(  # (2)!
            over_the_window, causal=p.model == "causal"
        )
    return transformers.Trainer(net, arguments, **options)
    # --8<-- [end:ways]


def build(p):
    """The window as one optimiser step, without the Trainer around it."""
    net = model(p)
    return measure.TrainingStep(net, torch.optim.SGD(net.parameters()), list(DataLoader(data(p), p.micro_batch)))


def gradient(net):
    return parameters_to_vector(weight.grad for weight in net.parameters())


def one_batch(p):
    """Loss and gradient of the window as one batch, by the model's own loss."""
    net = model(p)
    loss = net(**default_collate(data(p))).loss
    loss.backward()
    return loss.item(), gradient(net)


def check(p):
    """The loss function, summed over micro-batches, gives the loss and gradient of one batch."""
    expected_loss, expected = one_batch(p)
    net, micro_batches, causal = model(p), list(DataLoader(data(p), p.micro_batch)), p.model == "causal"
    valid = sum((batch["labels"][..., int(causal) :] != -100).sum() for batch in micro_batches)
    loss = sum(over_the_window(net(**batch), batch["labels"], valid, causal) for batch in micro_batches)
    loss.backward()
    errors = abs(loss.item() - expected_loss), (gradient(net) - expected).norm() / expected.norm()
    assert max(errors) < TOLERANCE, "errors of loss and gradient: {:.1e}, {:.1e}".format(*errors)


def run(p, meter):
    """Loss and gradient of the one optimiser step that Trainer takes; nothing is timed."""
    with torch.device(meter.device):
        expected_loss, expected = one_batch(p)
        net, samples = model(p), data(p)
    optimizer, found = torch.optim.SGD(net.parameters(), lr=0.0), []
    optimizer.register_step_pre_hook(lambda *_: found.append(gradient(net)))
    with TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder,
            num_train_epochs=1,
            per_device_train_batch_size=p.micro_batch,
            gradient_accumulation_steps=p.accumulation_steps,
            max_grad_norm=0.0,
            save_strategy="no",
            dataloader_pin_memory=False,
        )
        reported = trainer(p, net, arguments, train_dataset=samples, optimizers=(optimizer, None)).train()
    (accumulated,) = found
    meter.report(
        loss_ratio=reported.training_loss / expected_loss,
        gradient_ratio=accumulated.norm() / expected.norm(),
        gradient_error=100 * (accumulated - expected).norm() / expected.norm(),
    )


if __name__ == "__main__":
    measure.main(__file__)

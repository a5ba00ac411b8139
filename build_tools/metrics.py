"""The meters that every run reads, each declared once. A page, a record and a key know a meter by its name."""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.model import Device, Meter, Metric, Text

EVERY: tuple[Device, ...] = ("cpu", "cuda")

METERS: dict[str, Meter] = {
    "seconds": Meter(
        unit="s", decimals=2, label=Text(zh="用时", en="time"), read_in="time", devices=EVERY, version=1, clock=True
    ),
    "samples_per_second": Meter(
        unit="samples/s", decimals=2, label=Text(zh="吞吐量", en="throughput"),
        read_in="time", devices=EVERY, version=1, clock=True,
    ),
    # Torch's allocator: peak of what tensors asked for, and of what it took from the driver.
    "peak_mib": Meter(
        unit="MiB", decimals=0, label=Text(zh="已分配峰值", en="peak allocated"),
        read_in="memory", devices=("cuda",), version=1,
    ),
    "reserved_mib": Meter(
        unit="MiB", decimals=0, label=Text(zh="已保留峰值", en="peak reserved"),
        read_in="memory", devices=("cuda",), version=1,
    ),
    # NVML "used" summed over the visible devices when the window closes: contexts and other processes included.
    "device_mib": Meter(
        unit="MiB", decimals=0, label=Text(zh="整卡占用（NVML）", en="device used (NVML)"),
        read_in="memory", devices=("cuda",), version=1,
    ),
    "tensor_mib": Meter(
        unit="MiB", decimals=1, exact=True, label=Text(zh="张量峰值", en="peak of live tensors"),
        read_in="tensors", devices=EVERY, version=1,
    ),
    "rss_mib": Meter(
        unit="MiB", decimals=1, label=Text(zh="常驻内存增量", en="rise of resident memory"),
        read_in="memory", devices=("cpu",), version=1,
    ),
}  # fmt: skip

# What sources report besides, and what follows from it. No run of ours reads them.
QUANTITIES: dict[str, Metric] = {
    "samples": Metric(unit="samples", decimals=0, label=Text(zh="样本数", en="samples")),
    "epochs": Metric(unit="1", decimals=0, label=Text(zh="epoch 数", en="epochs")),
    "micro_batch": Metric(unit="samples", decimals=0, label=Text(zh="每个设备的微批次", en="micro-batch per device")),
    "accumulation_steps": Metric(unit="1", decimals=0, label=Text(zh="累积步数", en="accumulation steps")),
    "devices": Metric(unit="1", decimals=0, label=Text(zh="设备数", en="devices")),
    "effective_batch": Metric(unit="samples", decimals=0, label=Text(zh="有效批大小", en="effective batch")),
    "optimizer_steps": Metric(unit="steps", decimals=0, label=Text(zh="优化器步数", en="optimizer steps")),
    "steps_per_second": Metric(unit="steps/s", decimals=3, label=Text(zh="每秒步数", en="steps per second")),
    "loss": Metric(unit="1", decimals=4, label=Text(zh="训练损失", en="training loss")),
}  # fmt: skip


def meters_of(device: Device) -> dict[str, Meter]:
    """The meters that a kind of device has."""
    return {name: meter for name, meter in METERS.items() if device in meter.devices}


def declared(own: Mapping[str, Metric]) -> dict[str, Metric]:
    """Built-in meters and a snippet's own metrics under one roof."""
    return {**METERS, **own}

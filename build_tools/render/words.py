"""Every word the renderer says, in both languages side by side: a `Text` without one of them cannot be made.

The words of cards, of the evidence ledger and of the list of records are in `ledger_words`.
Braces are filled in by `say`. Chinese puts spaces between Han characters and Latin letters or digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from build_tools.model import Device, FailureKind, Freshness, Kind, Language, Origin, Pass, Text, Verdict, WarningKind


def say(text: Text, language: Language, **figures: object) -> str:
    """The words in one language, with figures filled in."""
    return text.in_(language).format(**figures)


def join(parts: list[str], language: Language) -> str:
    """A list of names in a sentence."""
    return ("、" if language == "zh" else ", ").join(parts)


def clauses(parts: Sequence[str], language: Language) -> str:
    """Things said one after another, which are no list of names."""
    return ("，" if language == "zh" else ", ").join(parts)


def in_brackets(text: str, language: Language) -> str:
    return f"（{text}）" if language == "zh" else f" ({text})"


KINDS: Mapping[Kind, Text] = {
    "measured": Text(zh="实测", en="measured"),
    "saved-output": Text(zh="保存的输出", en="saved output"),
    "pasted-output": Text(zh="粘贴的输出", en="pasted output"),
    "cited": Text(zh="引用", en="cited"),
    "predicted": Text(zh="预测", en="predicted"),
    "spoken": Text(zh="口述", en="spoken"),
    "stated": Text(zh="来源观点", en="stated"),
    "derived": Text(zh="推算", en="derived"),
}
FRESHNESS: Mapping[Freshness, Text] = {
    "fresh": Text(zh="最新", en="fresh"),
    "older-versions": Text(zh="版本较旧", en="older versions"),
    "stale": Text(zh="已过期", en="stale"),
    "failed": Text(zh="重测失败", en="re-run failed"),
    "damaged": Text(zh="记录损坏", en="damaged"),
    "pending": Text(zh="尚未测量", en="not measured yet"),
}
VERDICTS: Mapping[Verdict, Text] = {
    "reproduced": Text(zh="已复现", en="reproduced"),
    "consistent": Text(zh="相符", en="consistent"),
    "contradicted": Text(zh="不成立", en="contradicted"),
    "conditional": Text(zh="有条件成立", en="conditional"),
    "not comparable": Text(zh="不可比", en="not comparable"),
    "pending": Text(zh="待定", en="pending"),
}
HYPOTHETICAL = Text(zh="假设", en="supposed")
PROFILES: Mapping[str, Text] = {
    "full": Text(zh="完整规模", en="full"),
    "quick": Text(zh="快速规模", en="quick"),
}
UNITS: Mapping[str, Text] = {
    "1": Text(zh="", en=""),
    "samples": Text(zh="个样本", en="samples"),
    "samples/s": Text(zh="样本/s", en="samples/s"),
    "steps": Text(zh="步", en="steps"),
    "steps/s": Text(zh="步/s", en="steps/s"),
    "times": Text(zh="次", en="times"),
    "tokens": Text(zh="个 token", en="tokens"),
    "MiB/samples": Text(zh="MiB/样本", en="MiB/sample"),
    "s/samples": Text(zh="s/样本", en="s/sample"),
}
DEVICES: Mapping[Device, Text] = {
    "cpu": Text(zh="CPU", en="a CPU"),
    "cuda": Text(zh="CUDA 设备", en="a CUDA device"),
}
ORIGINS: Mapping[Origin, Text] = {
    "ci": Text(zh="CI 测得", en="measured by CI"),
    "maintainer": Text(zh="维护者测得", en="measured by a maintainer"),
    "contributor": Text(zh="贡献者测得", en="measured by a contributor"),
    "rehearsal": Text(zh="演练", en="a rehearsal"),
}
PASSES: Mapping[Pass, Text] = {
    "check": Text(zh="正确性检查", en="check"),
    "memory": Text(zh="显存测量", en="memory pass"),
    "tensors": Text(zh="张量统计", en="tensor pass"),
    "time": Text(zh="计时", en="time pass"),
    "report": Text(zh="结果上报", en="report pass"),
}
FAILURES: Mapping[FailureKind, Text] = {
    "check": Text(zh="正确性检查不通过", en="the check failed"),
    "exception": Text(zh="程序出错", en="the program raised an exception"),
    "protocol": Text(zh="程序没有遵守测量约定", en="it did not keep to the protocol of measuring"),
    "out_of_memory": Text(zh="内存或显存不足", en="it ran out of memory"),
    "not_started": Text(zh="进程没能启动", en="its process did not start"),
    "time_limit": Text(zh="超时", en="it ran out of time"),
    "no_report": Text(zh="没有上报结果", en="it reported nothing"),
    "implausible": Text(zh="结果不可信", en="its result is implausible"),
    "killed": Text(zh="进程被终止", en="its process was killed"),
}
REASONS: Mapping[str, Text] = {
    "program_changed": Text(zh="测量之后程序改过", en="the program has changed since"),
    "parameter_changed": Text(zh="参数 {name} 从 {was} 改成了 {now}", en="parameter {name} was {was} and is now {now}"),
    "meter_changed": Text(
        zh="指标 {name} 的测法改过（版本 {was} → {now}）",
        en="the way {name} is measured has changed (version {was} → {now})",
    ),
    "package_differs": Text(
        zh="测量时用的是 {name} {was}，现在锁定的是 {now}",
        en="measured with {name} {was}; the pinned version is now {now}",
    ),
    "run_failed": Text(
        zh="最近一次测量失败：{kind}（{during}）：{message}", en="the latest run failed: {kind} ({during}): {message}"
    ),
    "digest_differs": Text(
        zh="测量记录与自身的校验值不符，数字不予显示",
        en="the record does not match its own digest, so its number is not shown",
    ),
    "unreadable": Text(zh="测量记录无法读取", en="the record cannot be read"),
    "not_measured": Text(zh="尚未测量", en="not measured yet"),
    "needs_cuda": Text(zh="尚未测量：需要一块 CUDA 设备", en="not measured yet: needs a CUDA device"),
    "needs_cuda_memory": Text(
        zh="尚未测量：需要一块显存 {memory_gib} GiB 以上的 CUDA 设备",
        en="not measured yet: needs a CUDA device with {memory_gib} GiB",
    ),
    "needs_cuda_several": Text(
        zh="尚未测量：需要 {devices} 块显存各 {memory_gib} GiB 以上的 CUDA 设备",
        en="not measured yet: needs {devices} CUDA devices with {memory_gib} GiB each",
    ),
    "not_in_profile": Text(zh="{case} 不在{profile}下运行", en="{case} does not run at the {profile} scale"),
    "meter_absent": Text(zh="这类设备（{device}）测不了这一项", en="{device} cannot measure this"),
    "not_reported": Text(zh="程序没有上报这一项", en="the program did not report this"),
    "baseline_missing": Text(zh="没有可供比较的基准值", en="there is no baseline value to compare with"),
    "baseline_zero": Text(zh="基准值为 0", en="the baseline value is 0"),
    "machine_differs": Text(zh="不在同一台机器上测得", en="measured on different machines"),
    "environment_differs": Text(zh="测量环境不同", en="measured in different environments"),
    "profile_differs": Text(zh="规模不同", en="measured at different scales"),
    "devices_differ": Text(zh="设备数不同（{was} 与 {now}）", en="different numbers of devices ({was} and {now})"),
    "program_differs": Text(zh="测量时的程序不同", en="measured with different versions of the program"),
    "run_differs": Text(
        zh="不是同一次运行测得，速度不可比", en="not measured in the same run, so speeds cannot be compared"
    ),
    "within_tolerance": Text(zh="与 {name} 相差不超过 {percent}%", en="within {percent}% of {name}"),
    "outside_tolerance": Text(zh="与 {name} 相差超过 {percent}%", en="more than {percent}% away from {name}"),
    "other_hardware": Text(zh="来源用的是 {theirs}，我们测的是 {ours}", en="the source used {theirs}, ours is {ours}"),
    "hardware_unknown": Text(
        zh="来源没有写明硬件，我们测的是 {ours}", en="the source does not name its hardware; ours is {ours}"
    ),
    "other_devices": Text(
        zh="设备数不同：来源 {was}，我们 {now}", en="different numbers of devices: {was} at the source, {now} here"
    ),
    "expectation_holds": Text(zh="预期成立：{name}", en="the expectation holds: {name}"),
    "expectation_fails": Text(zh="预期不成立：{name}", en="the expectation fails: {name}"),
    "expectation_pending": Text(zh="还缺可用的 {name}", en="{name} is missing or may no longer hold"),
    "limited_by": Text(zh="适用范围见 {name}", en="limited by {name}"),
    "untrusted_record": Text(
        zh="{name} 已过期或损坏，不能用来检验", en="{name} is stale or damaged and decides nothing"
    ),
    "prediction_agrees": Text(
        zh="与预测值 {name} 相差不超过 {percent}%", en="within {percent}% of the prediction {name}"
    ),
    "prediction_differs": Text(
        zh="与预测值 {name} 相差超过 {percent}%，要等实测", en="more than {percent}% away from the prediction {name}"
    ),
    "related_agrees": Text(
        zh="硬件不同，但比值与 {name} 相差不超过 {percent}%",
        en="on other hardware, but the ratio is within {percent}% of {name}",
    ),
    "not_predicted": Text(zh="还没有预测", en="not predicted yet"),
    "input_missing": Text(zh="还缺 {name}", en="{name} is missing"),
    "divisor_zero": Text(zh="除数为 0", en="the divisor is 0"),
}
CAUTIONS: Mapping[WarningKind, Text] = {
    "inexact": Text(zh="重复测量本应完全一致，实际不一致", en="repeats should have agreed exactly and did not"),
    "wide_spread": Text(zh="重复测量之间相差很大", en="repeats lie far apart"),
    "other_processes": Text(zh="测量时设备上还有别的进程", en="other processes were using the device"),
    "throttling": Text(zh="测量时设备降频", en="the device was throttling"),
    "load": Text(zh="测量时机器负载较高", en="the machine was busy"),
    "far_from_prediction": Text(zh="与显存模型的预测相差较大", en="far from what the memory model predicts"),
}

# What was seen, by the name it has in a caution's detail.
SEEN = {
    "cores": Text(zh="其他进程占用 {value} 个核", en="others used {value} cores"),
    "count": Text(zh="另有 {value} 个进程", en="{value} more processes"),
    "percent": Text(zh="相差 {value} %", en="off by {value} %"),
    "predicted": Text(zh="预测 {value} MiB", en="predicted {value} MiB"),
}

OLD = Text(zh="已较旧", en="old")
CASE = Text(zh="实验组", en="case")
KNOWN_AS = Text(zh="依据", en="known as")
BASELINE = Text(zh="基准", en="baseline")
QUICK_NOTE = Text(
    zh="快速规模用的是小模型，几秒就能跑完，只用来看出变化的方向，不能代替完整实验。",
    en="The quick scale uses a small model and takes seconds: it shows the direction of a change. "
    "It is not the experiment.",
)
LEFT_OUT_COLUMNS = Text(
    zh="没有列出这类设备（{device}）测不了的指标：{names}。",
    en="Left out, since {device} cannot measure them: {names}.",
)
LEFT_OUT_CASES = Text(
    zh="没有列出不在{profile}下运行的实验组：{names}。",
    en="Left out, since they do not run at the {profile} scale: {names}.",
)
FULL_STOP = Text(zh="。", en=".")
COLON = Text(zh="：", en=": ")
DASH = Text(zh="——", en=" — ")
SEMICOLON = Text(zh="；", en="; ")
SINGLE_RUN = Text(zh="单次测量", en="a single run")
LEGEND = Text(zh="标记说明", en="what this mark means")
CORES = Text(zh="{cores} 核，内存 {memory} GiB", en="{cores} cores, {memory} GiB of memory")
DEVICE_MEMORY = Text(zh="显存 {memory} GiB", en="{memory} GiB")
REPEATS = Text(zh="每组 {n} 次", en="{n} runs per case")
RUN = Text(zh="运行", en="run")
RECORDS = Text(zh="测量记录", en="records")
MORE = Text(zh="测量环境与命令", en="environment and command")
SYSTEM = Text(zh="系统", en="system")
DRIVER = Text(zh="驱动", en="driver")
HOST_CPU = Text(zh="主机 CPU", en="host CPU")
DEVICES_IN_BOX = Text(zh="机内设备数", en="devices in the box")
CUDA = Text(zh="CUDA", en="CUDA")
TF32 = Text(zh="TF32", en="TF32")
THREADS = Text(zh="线程数", en="threads")
ALLOCATOR = Text(zh="内存分配器", en="allocator")
PACKAGES = Text(zh="软件包", en="packages")
COMMAND = Text(zh="命令", en="command")
COMMIT = Text(zh="提交", en="commit")
NOT_CLEAN = Text(zh="有未提交的改动", en="with uncommitted changes")
ORIGIN = Text(zh="来源", en="origin")
PRINTED = Text(zh="程序输出", en="Output")
LINE = Text(zh="1 行", en="1 line")
LINES = Text(zh="{n} 行", en="{n} lines")
NOTHING_PRINTED = Text(zh="程序没有打印任何内容", en="The program printed nothing")
ERROR = Text(zh="这里出错了", en="there is an error here")

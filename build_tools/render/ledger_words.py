"""The words of cards, of the evidence ledger and of the list of records; all others are in `words`."""

from __future__ import annotations

from build_tools.model import Text

# a mark and its card
DETAILS = Text(zh="来源与说明", en="where it comes from")
METRIC = Text(zh="指标", en="metric")
AS_PRINTED = Text(zh="来源写作 {printed}，按 {meant} 计", en="printed as {printed}, which here means {meant}")
RUNS = Text(zh="次数", en="runs")
MEDIAN_RANGE = Text(zh="{n} 次的中位数，{low}–{high}", en="median of {n}, {low}–{high}")
MACHINE = Text(zh="机器", en="machine")
ENVIRONMENT = Text(zh="环境", en="environment")
DATE = Text(zh="日期", en="date")
METHOD = Text(zh="方法", en="method")
MODELLED = Text(zh="由显存模型算出，没有在设备上测过", en="computed by the memory model, never read on a device")
SCALE = Text(zh="规模", en="scale")
STATE = Text(zh="状态", en="state")
REASON = Text(zh="原因", en="reason")
REFERENCE = Text(zh="引用名", en="reference")
ARITHMETIC = Text(zh="算式", en="arithmetic")
INPUTS = Text(zh="用到的数", en="from")
VERDICT_LEGEND = Text(zh="结论的含义", en="what the verdict means")
RECORD = Text(zh="测量记录", en="record")
ALL_RECORDS = Text(zh="全部测量", en="all measurements")
ENTRY = Text(zh="账本条目", en="ledger entry")
SUPPOSED = Text(
    zh="为举例设想的数字，没有测过，也没有出处", en="imagined for the example; not measured and without a source"
)

# a claim
SOURCE = Text(zh="出处", en="source")
CONDITIONS = Text(zh="条件", en="conditions")
DEVICES_USED = Text(zh="{n} 个设备", en="{n} devices")
ONE_DEVICE = Text(zh="1 个设备", en="1 device")
HARDWARE_UNTOLD = Text(zh="没有写明硬件", en="hardware not named")
VERDICT = Text(zh="结论", en="verdict")
NOT_TESTED = Text(zh="目前没有数字检验它", en="no number tests it so far")
TESTED = Text(zh="对照", en="held against")
NOTE = Text(zh="说明", en="note")
SETTLE = Text(zh="怎样定论", en="to settle it")
MEASURE_ON = Text(zh="在{device}上测量 {snippet}", en="measure {snippet} on {device}")
MEASURE = Text(zh="测量 {snippet}", en="measure {snippet}")
MEASURE_AGAIN = Text(zh="重测 {snippet}", en="measure {snippet} again")
CUDA_DEVICE = Text(zh="一块 CUDA 设备", en="a CUDA device")
CUDA_MEMORY = Text(zh="一块显存 {memory_gib} GiB 以上的 CUDA 设备", en="a CUDA device with {memory_gib} GiB")
CUDA_SEVERAL = Text(
    zh=" {devices} 块显存各 {memory_gib} GiB 以上的 CUDA 设备", en="{devices} CUDA devices with {memory_gib} GiB each"
)
SAME_HARDWARE = Text(zh=" {hardware} ", en="{hardware}")
SAME_DEVICES = Text(zh=" {devices} 个同型号设备", en="{devices} devices of one model")
READ_ON = Text(zh="{date} 查阅", en="read {date}")
IN_VIDEO = Text(zh="视频 {at}", en="at {at} in the video")

# the evidence ledger
FILTER = Text(zh="筛选", en="Filter")
KIND = Text(zh="证据类型", en="Kind of evidence")
BY_VERDICT = Text(zh="结论", en="Verdict")
BY_SOURCE = Text(zh="来源", en="Source")
CONTAINS = Text(zh="包含文字", en="Contains")
ANY = Text(zh="全部", en="all")
NO_VERDICT = Text(zh="未检验", en="not tested")
RESET = Text(zh="清除筛选", en="Clear")
SHOWN = Text(zh="共 {total} 条，显示 {shown} 条", en="{shown} of {total} shown")
NOTHING_FOUND = Text(zh="没有符合条件的条目。", en="No entry matches.")
NO_CLAIMS = Text(zh="账本里还没有条目。", en="The ledger has no entries yet.")
FINDINGS = Text(zh="同一次运行的数字彼此相符吗？", en="Do the figures of one run agree?")
FINDINGS_INTRO = Text(
    zh="这些恒等式与硬件无关，任何一次运行都应当满足。来源没有给出的数，由其余的数推出。",
    en="These identities hold on any hardware. Where a source leaves one figure out, it follows from the others.",
)
IDENTITY = Text(zh="恒等式", en="identity")
FIGURES = Text(zh="数字", en="figures")
OUTCOME = Text(zh="结果", en="outcome")
AGREES = Text(zh="相符", en="agrees")
DISAGREES = Text(zh="不符", en="does not agree")
FOLLOWS = Text(zh="得出{what}", en="gives {what}:")

# the list of records
MEASURED_ON = Text(zh="测量日期", en="measured")
AROUND = Text(zh="完整的测量环境", en="the whole environment")
FRESHNESS = Text(zh="新鲜度", en="freshness")
RUN_ID = Text(zh="运行", en="run")
FILE = Text(zh="记录", en="record")
HISTORY = Text(zh="历次测量：{name}", en="Run by run: {name}")
DAYS_SINCE = Text(zh="横轴：{date} 起的天数", en="horizontal axis: days since {date}")

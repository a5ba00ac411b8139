"""The words of charts."""

from __future__ import annotations

from build_tools.model import Text

ALL_PARTS = Text(zh="显存峰值由什么组成", en="what the peak is made of")
TOTAL = Text(zh="合计", en="total")
ALONG = Text(zh="横轴：{name}", en="horizontal axis: {name}")
AS_NUMBERS = Text(zh="图中的数字", en="the numbers in the chart")
NOT_FROM_ZERO = Text(zh="纵轴不从 0 开始。", en="The vertical axis does not begin at zero.")
LOG_AXIS = Text(zh="横轴是对数刻度。", en="The horizontal axis is logarithmic.")
WHISKERS = Text(zh="细线从各次测量的最小值画到最大值。", en="Thin lines reach from the lowest run to the highest.")
ENDS_AT = Text(zh="末值 {value}", en="ends at {value}")
EVERY = Text(
    zh="表中每 {n} 个点列一个，全部的点在测量记录里。",
    en="The table lists one point in {n}; the record holds them all.",
)
# What a screen reader says of the drawing; the table below it has the rest.
DESCRIBED = Text(
    zh="{n} 个实验组。最高的是 {most}：{high}；最低的是 {least}：{low}。全部数字在图下的表里。",
    en="{n} cases. The highest is {most} with {high}, the lowest {least} with {low}. The table below has all numbers.",
)

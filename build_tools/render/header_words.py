"""The words of a page's header card, in both languages. Brackets say whose statement a value is."""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.model import Text
from build_tools.model.header_card import (
    Access,
    CardKind,
    Learning,
    Level,
    Marker,
    Material,
    Rater,
    Reading,
    RunLabel,
)

CARD = Text(zh="关于所依据的资料", en="About the source")
KIND = Text(zh="类型", en="Kind")
UPDATED = Text(zh="更新", en="Updated")
CONFIDENCE = Text(zh="置信度", en="Confidence")
READING = Text(zh="阅读状态", en="Reading status")
LEARNING = Text(zh="学习状态", en="Learning status")
RUN_LABEL = Text(zh="运行标签", en="Run label")
TAGS = Text(zh="标签", en="Tags")
SOURCES = Text(zh="来源", en="Sources")

KINDS: Mapping[CardKind, Text] = {"video-summary": Text(zh="视频摘要", en="video summary")}
WHOSE_DATE: Mapping[CardKind, Text] = {"video-summary": Text(zh="摘要的日期", en="the summary's date")}
LEVELS: Mapping[Level, Text] = {
    "high": Text(zh="高", en="high"),
    "medium": Text(zh="中", en="medium"),
    "low": Text(zh="低", en="low"),
}
RATED_BY: Mapping[Rater, Text] = {"course-summary": Text(zh="摘要自评", en="the summary's own rating")}
READING_STATUS: Mapping[Reading, Text] = {
    "to-read": Text(zh="待阅读", en="to be read"),
    "reading": Text(zh="在读", en="being read"),
    "read": Text(zh="已读", en="read"),
}
LEARNING_STATUS: Mapping[Learning, Text] = {
    "to-do": Text(zh="未开始", en="to do"),
    "in-progress": Text(zh="进行中", en="in progress"),
    "done": Text(zh="已完成", en="done"),
}
MARKED_BY: Mapping[Marker, Text] = {
    "course-summary": Text(zh="摘要标注", en="marked in the summary"),
    "to-do-list": Text(zh="待办清单标注", en="marked in a to-do list"),
}
# The label itself is a code word of the source; Chinese readers get its meaning beside it.
RUN_LABELS: Mapping[RunLabel, Text] = {"conditional": Text(zh="有条件", en="")}
MATERIALS: Mapping[Material, Text] = {
    "course-summary": Text(zh="资料摘要", en="course summary"),
    "transcript": Text(zh="视频转录", en="transcript"),
    "video": Text(zh="视频", en="video"),
    "notebook": Text(zh="课程 notebook", en="course notebook"),
}
ACCESS: Mapping[Access, Text] = {
    "public": Text(zh="公开", en="public"),
    "private": Text(zh="非公开", en="private"),
    "unknown": Text(zh="是否公开未知", en="access unknown"),
}

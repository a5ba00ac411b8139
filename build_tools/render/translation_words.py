"""The words about translations and terms, in both languages."""

from __future__ import annotations

from build_tools.model import Text

UNTRANSLATED = Text(
    zh="本页还没有译文，下面是中文原文。", en="This page is not translated yet. What follows is the Chinese original."
)
TO_SOURCE = Text(zh="本页的中文版", en="The same page on the Chinese site")
BEHIND = Text(
    zh="这一节的中文在翻译之后又有改动。", en="The Chinese text of this section has changed since it was translated."
)
TO_SECTION = Text(zh="这一节的中文原文", en="This section in Chinese")
PAGE_UNSEEN = Text(
    zh="本页的译文还没有与现在的中文逐节核对。",
    en="This translation has not been checked against the Chinese text as it stands.",
)
SECTIONS_UNSEEN = Text(
    zh="这几节的译文还没有与现在的中文核对：",
    en="The translation of these sections has not been checked against the Chinese text as it stands:",
)

TERMS = Text(zh="术语", en="Terms")
TO_GLOSSARY = Text(zh="术语表", en="glossary")
NO_TERMS = Text(zh="术语表里还没有条目。", en="The glossary has no entries yet.")

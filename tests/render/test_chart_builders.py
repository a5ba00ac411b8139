"""MkDocs and Zensical build the same chart."""

from __future__ import annotations

import re

import pytest
from figures.bench import Bench
from render.test_builders import BUILDERS, CONFIG, build

FENCES = "".join(
    f"""      - name: {name}
        class: {name}
        validator: !!python/name:build_tools.markdown_ext.validate
        format: !!python/name:build_tools.markdown_ext.fence
"""
    for name in ("chart", "prediction")
)
PAGE = """# Page {#page}

!!! note

    ```chart toy@quick
    y: seconds
    ```

```chart toy@quick
x: micro_batch
y: tensor_mib
```

```prediction limits
```
"""


@pytest.mark.parametrize("builder", BUILDERS)
def test_a_chart_reaches_the_page_whole(bench: Bench, builder: str) -> None:
    """Within a note as well; names of SVG keep their capital letters, without which it is not drawn."""
    bench.record()
    bench.record("accumulate")
    config = CONFIG.replace("      - name: output\n", f"{FENCES}      - name: output\n")
    (bench.root / "mkdocs.yml").write_text(config.replace("  attr_list: {}\n", "  attr_list: {}\n  admonition: {}\n"))
    (bench.root / "docs").mkdir(exist_ok=True)
    (bench.root / "docs" / "index.md").write_text(PAGE)
    done = build(bench.root, builder)
    html = (bench.root / "site" / "index.html").read_text(encoding="utf-8")

    assert done.returncode == 0, done.stderr
    assert "ledger-error" not in html
    assert re.search(r'<div class="admonition note">.*?<figure class="ledger-chart" id="chart-toy-1"', html, re.S)
    assert '<figure class="ledger-chart" id="chart-toy-2" data-kind="lines">' in html
    assert 'viewBox="0 0 1000 248" preserveAspectRatio="none"' in html
    assert 'patternUnits="userSpaceOnUse"' in html
    assert '<div class="ledger-prediction"><ul>' in html

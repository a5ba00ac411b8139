"""Write docs/*/contributing/faults.md from faults.toml; exit code 1 if a page had to change."""

from __future__ import annotations

from listed import PAGES, page

changed = [path for language, path in PAGES.items() if not path.exists() or path.read_text("utf-8") != page(language)]
for language, path in PAGES.items():
    path.write_text(page(language), encoding="utf-8")
print("changed:" if changed else "unchanged", *changed)
raise SystemExit(bool(changed))

"""VRAM Ledger: run snippets, keep records of what they measured, render both into a bilingual site."""

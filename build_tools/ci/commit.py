"""Which commits a GPU runner may be given: those of this repository's own branches.

GitHub hands out a fork's commits under this repository's address as well, so that a commit can be fetched says nothing
about who wrote it; that a branch of ours holds it does.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from build_tools.errors import LedgerError, quoted

REMOTE = "origin"


def own_commit(root: Path, name: str) -> str:
    """The full SHA. Raises LedgerError where no branch of the remote holds that commit."""
    sha = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
    if sha and _git(root, "branch", "--remotes", "--list", f"{REMOTE}/*", "--contains", sha).strip():
        return sha
    raise LedgerError(
        f"{quoted(name)} is on no branch of {REMOTE}: only what somebody with write access has pushed is measured",
        example="the full SHA of a commit on a branch", next_command="git push origin the branch, then dispatch again",
    )  # fmt: skip


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""

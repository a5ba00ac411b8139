"""Which commits a GPU runner may be given: those of this repository's own branches.

GitHub hands out a fork's commits under this repository's address as well, so that a commit can be fetched says nothing
about who wrote it; that a branch of ours holds it does.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from build_tools.errors import LedgerError, quoted

REMOTE = "origin"


def own_commit(root: Path, name: str, prefer: str = "main") -> tuple[str, str]:
    """The full SHA and a branch that holds it, `prefer` if it does. Raises LedgerError where no branch of ours does."""
    sha = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
    branches = _holding(root, sha) if sha else []
    if not branches:
        raise LedgerError(
            f"{quoted(name)} is on no branch of {REMOTE}: only what somebody with write access has pushed is measured",
            example="the full SHA of a commit on a branch",
            next_command=f"git push {REMOTE} the branch, then dispatch again",
        )
    return sha, prefer if prefer in branches else branches[0]


def _holding(root: Path, sha: str) -> list[str]:
    """Branches of the remote that a commit is on, without the remote's name; HEAD is none of its own."""
    prefix = f"refs/remotes/{REMOTE}/"
    listed = _git(root, "for-each-ref", "--format=%(refname)", "--contains", sha, prefix).splitlines()
    return [name.removeprefix(prefix) for name in listed if name != f"{prefix}HEAD"]


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""

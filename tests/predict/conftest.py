"""A predicting process for the trainer snippet, shared by all tests of a session: it imports transformers once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from projects import REPOSITORY

from build_tools.measuring.predict import Predictor
from build_tools.store import load_snippet


@pytest.fixture(scope="session")
def trainer() -> Iterator[Predictor]:
    """Predictions for `snippets/trainer`."""
    with Predictor(load_snippet(REPOSITORY / "snippets" / "trainer")) as predictor:
        yield predictor

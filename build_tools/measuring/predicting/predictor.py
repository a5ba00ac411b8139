"""The asking end of a predicting process: start it, ask, tell what went wrong as an error that a person can mend."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from typing import IO

from build_tools.errors import LedgerError, Place
from build_tools.measuring.predicting.prediction import Flavour, Prediction
from build_tools.measuring.predicting.wishes import checked_case, overridden
from build_tools.measuring.predicting.worker import Answer, Problem, Question
from build_tools.measuring.server import PACKAGE, environment
from build_tools.model import Scalar
from build_tools.snippet import Snippet

STEP = (
    "build(p) returns measure.TrainingStep(model, optimizer, micro_batches), and its model can run without values: "
    "no .item(), no attention_mask"
)


class Predictor:
    """Predictions for cases of one snippet, from one process. Use as a context: the process ends with it."""

    def __init__(self, snippet: Snippet) -> None:
        self.snippet = snippet
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "build_tools.measuring.predicting.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=PACKAGE.parent,
            # No device is looked for, and none is found.
            env={**environment(), "CUDA_VISIBLE_DEVICES": ""},
            start_new_session=True,
        )

    def __enter__(self) -> Predictor:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()

    def predict(
        self, case: str, profile: str, overrides: Mapping[str, Scalar] | None = None, flavour: Flavour = "cuda"
    ) -> Prediction:
        """Raises LedgerError for names that do not exist and for a program that cannot run without a device."""
        checked_case(self.snippet, case, profile)
        parameters = overridden(self.snippet, case, profile, overrides or {})
        found = self._ask(Question(folder=str(self.snippet.folder), parameters=parameters, flavour=flavour))
        if found.peak is None:
            raise self._unpredictable(case, found.problem or Problem(message="no answer"))
        return Prediction(
            **dict(found.peak), snippet=self.snippet.name, case=case, profile=profile,
            parameters=parameters, flavour=flavour,
        )  # fmt: skip

    def _ask(self, question: Question) -> Answer:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(question.model_dump_json() + "\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], self.snippet.timeout_s)[0]:
            process.kill()
            return Answer(problem=Problem(message=f"not done after {self.snippet.timeout_s:g} s"))
        line = process.stdout.readline()
        return Answer.model_validate_json(line) if line else Answer(problem=Problem(message=self._last_words()))

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"the predicting process ended: {lines[-1] if lines else 'without a word'}"

    def _unpredictable(self, case: str, problem: Problem) -> LedgerError:
        return LedgerError(
            f"{self.snippet.name}/{case} cannot be predicted: {problem.message}",
            place=Place(self.snippet.folder / "main.py", problem.line), example=STEP,
            next_command=f"python -m build_tools measure {self.snippet.name}/{case}",
        )  # fmt: skip

"""A process that predicts: one question per line on standard input, one answer per line on standard output.

The program of a snippet is run in it, and nothing of that is left in the process that asks.
"""

from __future__ import annotations

import os
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import IO

from build_tools.measuring.child import load_program, seed_everything
from build_tools.measuring.predicting.prediction import Flavour, Peak
from build_tools.model import Data, Parameters


class Question(Data):
    """Which program to run, with which parameters, as on which kind of device."""

    folder: str
    parameters: Parameters
    flavour: Flavour


class Problem(Data):
    """Why there is no answer, and the line of `main.py` that was at work."""

    message: str
    line: int | None = None


class Answer(Data):
    """One of the two."""

    peak: Peak | None = None
    problem: Problem | None = None


def answer(question: Question) -> Answer:
    """Whatever the program raises is the problem."""
    from build_tools.measuring.predicting.following import foresee

    try:
        program = _program(question.folder)
        if not hasattr(program, "build"):
            return Answer(problem=Problem(message="there is no build(p), whose training step a prediction runs"))
        seed_everything()
        return Answer(peak=foresee(program, question.parameters, question.flavour))
    except (Exception, SystemExit) as error:
        return Answer(problem=_problem(error))


@cache
def _program(folder: str) -> ModuleType:
    return load_program(Path(folder))


def _problem(error: BaseException) -> Problem:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).name == "main.py"]
    said = " ".join(str(error).split()) or "no message"
    return Problem(message=f"{type(error).__name__}: {said}", line=frames[-1].lineno if frames else None)


def main() -> None:
    answers = _private_answers()
    for line in sys.stdin:
        answers.write(answer(Question.model_validate_json(line)).model_dump_json() + "\n")
        answers.flush()


def _private_answers() -> IO[str]:
    """Keep standard output for answers, out of reach of whatever a program prints."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


if __name__ == "__main__":
    main()

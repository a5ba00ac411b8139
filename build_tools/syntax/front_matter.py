"""What stands between `---` and `---` at a page's beginning. MkDocs shows it as text where it is not right."""

from __future__ import annotations

import yaml

from build_tools.errors import LedgerError

EXAMPLE = "title: 梯度累积"


def front_matter_problem(lines: list[str], end: int) -> tuple[int, LedgerError] | None:
    """The line and what is wrong with it. `end` is the number of its last line, 0 where a page has none."""
    line, problem = 1, "settings are lines of the form `name: value`"
    try:
        root = yaml.compose("\n".join(lines[1 : end - 1]), Loader=yaml.SafeLoader) if end else None
        if root is None or isinstance(root, yaml.MappingNode):
            return None
    except yaml.MarkedYAMLError as error:
        line, problem = error.problem_mark.line if error.problem_mark else 0, str(error.problem)
    except (yaml.YAMLError, RecursionError) as error:
        line, problem = 0, str(error)
    return line + 2, LedgerError(f"front matter: not valid YAML: {problem}", example=EXAMPLE)

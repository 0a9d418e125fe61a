"""`du-eval e2e`: end-to-end tests, from files to a report and an exit code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from du_eval.cli.edge import say, say_all
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ExitCode, tell_count
from du_eval.settings.commands import EndToEndSettings

if TYPE_CHECKING:
    from du_eval.endtoend.record import EndToEndRun


@with_settings(EndToEndSettings)
def e2e(given: Given) -> ExitCode:
    """Run end-to-end tests and report what went wrong.

    A generator understands each message, the engine answers, the steps are checked.

    Exit codes: 0 all passed, 1 some failed, 2 invalid input, 3 some cases could not be judged,
    4 a report could not be written, 5 nothing selected, 130 interrupted.

    Examples:
      du-eval e2e examples/bank/tests/e2e_test_cases.yml

      du-eval e2e tests/e2e --actions my_actions -g my_module:my_generator

      du-eval e2e tests/e2e -g llm --model my-model --judge-model my-other-model

      du-eval e2e tests/e2e --fail-under accuracy.cases=0.9 --html report.html --label "new prompt"

      du-eval e2e --resume

    """
    from du_eval.cli.ending import Showing, end_run, settle_activity
    from du_eval.endtoend.record import FIGURES
    from du_eval.runs.figures import check_thresholds, parse_thresholds

    config = settle_activity(EndToEndSettings, given).config
    if config.fail_under is not None:
        check_thresholds(parse_thresholds(config.fail_under), FIGURES)
    return end_run(run_endtoend(config), config, Showing(is_quiet=config.quiet))


def run_endtoend(config: EndToEndSettings) -> EndToEndRun:
    """Run the cases, and keep what became of them."""
    from du_eval.assembly.endtoend import build_end_to_end, describe_endtoend, keep_answers
    from du_eval.assembly.selection import name_selected
    from du_eval.cli.ending import finish, open_activity
    from du_eval.endtoend.detail import KIND
    from du_eval.runs.record import Head, Spent

    session = build_end_to_end(config)
    say_all("warning", session.warnings)
    started = time.perf_counter()
    with open_activity(config, describe_endtoend(config, session.suite, session.generator_name)) as opened:
        outcomes = keep_answers(session.runner, opened, session.parser).run(session.suite)
    budget = session.budget
    if budget.calls:
        cost = f", cost {budget.cost:.4f}" if budget.cost else ""
        say(f"{tell_count(budget.calls, 'request')} sent{cost}")
    head = Head(
        KIND.name,
        seconds=time.perf_counter() - started,
        part=name_selected(config),
        settings={"model": config.model} if config.model else {},
        spent=Spent(calls=budget.calls, cost=budget.cost or None),
    )
    return finish(opened, session.record(outcomes, head), config)

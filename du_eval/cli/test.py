"""`du-eval test`: from a suite to a report and an exit code."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from msgspec.structs import replace

from du_eval.cli.edge import ending_politely, say_all
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ConfigError, ExitCode
from du_eval.settings.commands import TestSettings

if TYPE_CHECKING:
    from du_eval.assembly import Session
    from du_eval.assembly.perturbing import Measured
    from du_eval.evaluation.record import TestRun
    from du_eval.evaluation.sequential_run import UntilDecided
    from du_eval.generators.base import CommandGenerator
    from du_eval.runs.engine import EngineSettings
    from du_eval.runs.keeping import OpenRun
    from du_eval.runs.record import AnyRun


@with_settings(TestSettings)
def test(given: Given) -> ExitCode:
    """Run dialogue understanding tests and report the mistakes.

    Exit codes: 0 all passed, 1 some failed, 2 invalid input, 3 some steps could not be judged, 4 a report
    could not be written, 5 nothing selected, 130 interrupted.

    Examples:
      du-eval test

      du-eval test dialogue_understanding_tests/bank -k "cancel and not skip"

      du-eval test suite.yml::"user adds a contact" -g my_module:my_generator

      du-eval test suite -g recorded:predictions.jsonl --match rasa --json

      du-eval test suite -g llm --model gpt-4o-mini --samples 5 --success-ratio 4/5 --max-calls 500

      du-eval test suite --fail-under accuracy=0.9,f1.set_slot=0.85 --html report.html --label "new prompt"

      du-eval test suite -g llm --model gpt-4o-mini --against baseline.json --batch 20

      du-eval test suite --perturb typos,drops --levels 0.1,0.2

      du-eval test suite -g llm --model gpt-4o-mini --model gpt-4o --prompt old.jinja2 --prompt new.jinja2

      du-eval test --resume

      du-eval test suite --history both --actions my_actions

      du-eval test suite --additional-commands my_module.TestCommand --remove-default-commands CancelFlow

    """
    from du_eval.assembly.deciding import check_fail_under
    from du_eval.cli.ending import settle_activity
    from du_eval.experiments.arms import plan_arms

    plan = plan_arms(given)
    if plan is not None:
        from du_eval.cli.experiment import run_experiment

        rest = {key: value for key, value in given.items() if key not in plan.arms[0].values}
        return run_experiment(plan, rest)
    if given.get("race"):
        raise ConfigError("--race needs several arms: give --model, --prompt, --syntax or -g more than once")
    settled = settle_activity(TestSettings, given)
    if settled.config.watch:
        from du_eval.cli.watching import find_words, watch

        watch(find_words(), [settled.config])
        return ExitCode.PASSED
    check_fail_under(settled)
    before = _find_before(settled.config)
    return end_test(run_tests(settled.config), settled.config, before)


def run_tests(config: TestSettings) -> TestRun:
    """Ask, judge and keep what the settings name."""
    from du_eval.assembly import build_generator, build_session
    from du_eval.assembly.deciding import plan_until_decided
    from du_eval.assembly.keeping import describe_test, keep_into
    from du_eval.cli.ending import open_activity
    from du_eval.runs.engine import choose_engine

    engine = choose_engine(config)
    session = build_session(config)
    if config.perturb is not None:
        from du_eval.assembly.perturbing import read_kinds, read_levels

        read_kinds(config.perturb)
        read_levels(config.levels)
    say_all("warning", session.warnings)
    generator = build_generator(config, session.evaluator.parser, session.evaluator.budget)
    plan = plan_until_decided(config)
    name = getattr(generator, "name", type(generator).__name__)
    opening = open_activity(config, describe_test(session, name)) if config.journal else nullcontext()
    with opening as opened, _work_apart(session, generator, engine) as (working,):
        session = keep_into(opened, session) if opened else session
        run = _ask(session, working, name, plan)
        return _keep(run, session, working, opened)


def _work_apart(
    session: Session, generator: CommandGenerator, engine: EngineSettings
) -> AbstractContextManager[list[CommandGenerator]]:
    """Return who answers: the generator, or one in each process that is asked for."""
    if not engine.is_wanted:
        return nullcontext([generator])
    from du_eval.assembly.apart import generate_apart

    return generate_apart([(session, generator)], engine)


def _keep(run: TestRun, session: Session, generator: CommandGenerator, opened: OpenRun | None) -> TestRun:
    """Return the record of a run, written down where runs are kept."""
    from du_eval.assembly.keeping import complete_record
    from du_eval.cli.ending import finish
    from du_eval.runs.record import Status

    robustness = None
    if session.config.perturb is not None and run.head.status is Status.FINISHED:
        found = _perturb(run, session, generator, opened)
        head = replace(run.head, status=found.last.status, stopped=found.last.stopped)
        run, robustness = replace(run, head=head), found.robustness
    record = complete_record(run, session, robustness)
    if opened is None:
        return record
    kept = finish(opened, record, session.config)
    perturbed = sorted((opened.stored.folder / "perturbed").glob("*.jsonl"))
    opened.stored.take_in(f"{path.parent.name}/{path.name}" for path in perturbed)
    return kept


def _perturb(run: TestRun, session: Session, generator: CommandGenerator, opened: OpenRun | None) -> Measured:
    """Return the robustness, as far as it could be measured."""
    from du_eval.assembly.perturbing import ask_perturbed, count_variants
    from du_eval.cli.progress import Progress

    folder = opened.stored.folder if opened else None
    total = session.questions * count_variants(session.config)
    with ending_politely(), Progress(total, enabled=_is_watched(session.config)) as progress:
        return ask_perturbed(session, generator, run, folder, progress.advance)


def _ask(session: Session, generator: CommandGenerator, name: str, plan: UntilDecided | None) -> TestRun:
    from du_eval.cli.progress import Progress

    # With both histories, each step is asked a second time where the dialogue went elsewhere.
    total = session.questions * (2 if session.config.history == "both" else 1)
    with ending_politely(), Progress(total, enabled=_is_watched(session.config)) as progress:
        if plan:
            return plan.run(session.evaluator, session.suite, generator, name, progress.advance)
        return session.evaluator.run(session.suite, generator, name, progress.advance)


def _is_watched(config: TestSettings) -> bool:
    """Tell whether somebody sees how far a run is."""
    return not (config.quiet or config.json_output) and sys.stderr.isatty()


def _find_before(config: TestSettings) -> AnyRun | None:
    """Return the last kept run of command tests, whose comparison stands on the page."""
    from du_eval.assembly.finding import find_last

    return find_last("test", config.runs_dir) if config.html and config.resume is None else None


def end_test(run: TestRun, config: TestSettings, before: AnyRun | None = None) -> ExitCode:
    """Print and write a run of command tests; return the exit code."""
    from du_eval.cli.ending import Showing, end_run

    showing = Showing(is_quiet=config.quiet, shows_prompts=config.output_prompt, compared_with=before)
    return end_run(run, config, showing)

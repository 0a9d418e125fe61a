"""`du-eval plan` and `du-eval selfcheck`: how large a suite must be, and what its own numbers are worth."""

from __future__ import annotations

from du_eval.cli.edge import out
from du_eval.cli.generated import with_options
from du_eval.settings.reading import PlanOptions, SelfcheckOptions

_LOSSES = (0.01, 0.02, 0.05, 0.1)


@with_options(PlanOptions)
def plan(options: PlanOptions) -> None:
    """Plan how many conversations and calls it takes to detect a loss.

    The answer is a range: from steps that change one by one, with little noise, to whole conversations that
    change, with much noise. A run narrows it down by its lengths, correlation, time and cost.

    Examples:
      du-eval plan --detect 0.03

      du-eval plan --detect 0.02 last --power 0.9

    """
    from du_eval.assembly.history import load_any
    from du_eval.reports.sizing import Pilot, describe_pilot, encode_sizing, render_sizing
    from du_eval.statistics.planning import Wish

    pilot = Pilot(options.steps)
    if options.run is not None:
        loaded = load_any(options.run, options.runs_dir)
        pilot = describe_pilot(loaded.record, loaded.run.head if loaded.run else None)
    wish = Wish(options.detect, options.alpha, options.power)
    out(encode_sizing(wish, pilot) if options.json_output else render_sizing(wish, pilot))


@with_options(SelfcheckOptions)
def selfcheck(options: SelfcheckOptions) -> None:
    """Simulate your suite to see how reliable its numbers are.

    The simulated runs have the same conversations, rate and correlation as the run. For each rate, you see
    how often its 95 % interval covers the truth, and below the table how likely a comparison of two runs on
    this suite is to prove a loss.

    Examples:
      du-eval selfcheck last

      du-eval selfcheck before.json --simulations 2000 --json

    """
    from du_eval.assembly.history import load_any
    from du_eval.reports.sizing import check_run, selfcheck_data, selfcheck_text
    from du_eval.statistics.selfcheck import Simulation

    record = load_any(options.run, options.runs_dir).record
    found = check_run(record, _LOSSES, Simulation(options.simulations, options.seed))
    out(selfcheck_data(found) if options.json_output else selfcheck_text(found))

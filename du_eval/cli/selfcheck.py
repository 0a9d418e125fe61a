"""`du-eval selfcheck`: what the intervals and comparisons of one's own suite are worth."""

from __future__ import annotations

from du_eval.cli.edge import out
from du_eval.cli.generated import with_options
from du_eval.settings.reading import SelfcheckOptions

_LOSSES = (0.01, 0.02, 0.05, 0.1)


@with_options(SelfcheckOptions)
def selfcheck(options: SelfcheckOptions) -> None:
    """Simulate your suite to see how reliable its numbers are.

    Made-up runs have the conversations, the rate and the correlation of the run. Beside each rate stands how
    often its 95 % interval holds the truth on such runs; below, the chance that a comparison of two runs on
    this suite proves a loss.

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

"""`du-eval sensitivity`: how much a generator depends on the words of a schema."""

from __future__ import annotations

from du_eval.cli.edge import out
from du_eval.cli.generated import with_options
from du_eval.settings.reading import ManyRunsOptions


@with_options(ManyRunsOptions)
def sensitivity(options: ManyRunsOptions) -> None:
    """Measure how much joint goal accuracy depends on the wording of a schema.

    Each run tests the same dialogues with another wording of the schema (SGD-X). The figure is the standard
    deviation of the joint goal divided by its mean, averaged over frames: 0 if the wording does not matter.

    Examples:
      du-eval sensitivity v1.json v2.json v3.json v4.json v5.json

    """
    from du_eval.assembly.finding import find_run
    from du_eval.errors import ConfigError
    from du_eval.evaluation.record import TestExtra
    from du_eval.evaluation.robustness import measure_sensitivity

    runs = options.runs
    if len(runs) < 2:
        raise ConfigError("name at least two runs: the sensitivity is how much they differ")
    extras = [find_run(run, options.runs_dir).extra for run in runs]
    joints = [dict(extra.joints) if isinstance(extra, TestExtra) else {} for extra in extras]
    if not all(joints):
        silent = ", ".join(run for run, found in zip(runs, joints, strict=True) if not found)
        raise ConfigError(f"the dialogue state was not measured in {silent}: run the tests with --goals")
    found = measure_sensitivity(joints)
    if found.value is None:
        raise ConfigError("these runs have no frame in common: test the same dialogues in each of them")
    for run, mean in zip(runs, found.means, strict=True):
        out(f"joint goal accuracy {mean:.3f}  {run}\n")
    out(f"mean {sum(found.means) / len(found.means):.3f}\n")
    out(f"schema sensitivity {found.value:.3f} (n={found.n} frames, {len(runs)} runs; lower is better)\n")

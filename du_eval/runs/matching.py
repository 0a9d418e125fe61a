"""Which steps of two runs are the same, and what statistics need of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from msgspec import Struct

from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.difference import Pair

Samples = tuple[StepRecord, ...]
MatchKey = tuple[str, str, str, str, int]
Spot = tuple[str, str, str, int]
CaseName = tuple[str, str, str]


class Overlap(Struct, frozen=True):
    """How far two runs are about the same steps."""

    common: int
    only_before: int
    only_after: int
    asked_otherwise: int
    """Steps in both runs, of which message or expectation was changed: not compared."""
    not_judged: int
    """Steps that errored in one of the runs: not compared."""
    unjudged: tuple[tuple[Samples, Samples], ...] = ()
    """What was judged of these steps, in both runs: nothing in at least one of them."""
    moved: tuple[str, str] | None = None
    """The folders of the suites, where they have other names in the two runs."""
    left_out: tuple[str, ...] = ()
    """Cases of the first run with steps that the second does not have."""

    @property
    def is_complete(self) -> bool:
        """Tell whether the suites are the same."""
        return not (self.only_before or self.only_after or self.asked_otherwise)


def match_steps(before: RunRecord, after: RunRecord) -> tuple[list[tuple[Samples, Samples]], Overlap]:
    """Return the judged samples of each common step in both runs, in the order of the first run.

    Steps are the same if they stand in the same case of the same file and ask and expect the same. Where the
    folder of a suite was renamed, files are the same that have the same path below it.
    """
    roots = _roots(before, after)
    first, second = _by_key(before, roots[0]), _by_key(after, roots[1])
    same = [key for key in first if key in second]
    pairs = [(_judged(first[key]), _judged(second[key])) for key in same]
    kept = [(one, other) for one, other in pairs if one and other]
    left = [_places(run, root, set(same)) for run, root in zip((first, second), roots, strict=True)]
    changed = len(left[0].keys() & left[1].keys())
    left_out = dict.fromkeys(spot[:2] for spot in left[0] if spot not in left[1])
    overlap = Overlap(
        common=len(kept),
        only_before=len(first) - len(same) - changed,
        only_after=len(second) - len(same) - changed,
        asked_otherwise=changed,
        not_judged=len(same) - len(kept),
        unjudged=tuple((one, other) for one, other in pairs if not (one and other)),
        moved=roots if roots[0] != roots[1] else None,
        left_out=tuple("::".join(filter(None, names)) for names in left_out),
    )
    return kept, overlap


def _roots(before: RunRecord, after: RunRecord) -> tuple[str, str]:
    """Return the folders below which files are compared: none, unless the runs share no file otherwise."""
    files = {step.file for step in before.steps}, {step.file for step in after.steps}
    if files[0] & files[1]:
        return "", ""
    return _common_folder(files[0]), _common_folder(files[1])


def _common_folder(files: Iterable[str]) -> str:
    folders = [PurePosixPath(file).parent.parts for file in files]
    if not folders:
        return ""
    depth = 0
    while all(len(parts) > depth and parts[depth] == folders[0][depth] for parts in folders):
        depth += 1
    return str(PurePosixPath(*folders[0][:depth])) if depth else ""


def _below(file: str, root: str) -> str:
    return file.removeprefix(root).lstrip("/") if root else file


def _by_key(run: RunRecord, root: str) -> dict[MatchKey, list[StepRecord]]:
    found: dict[MatchKey, list[StepRecord]] = {}
    asked: Counter[tuple[str, str, str, int, str]] = Counter()
    for step in run.steps:
        question = step.question or str(step.step)
        asked[step.file, step.case, step.variant, step.sample, question] += 1
        number = asked[step.file, step.case, step.variant, step.sample, question]
        found.setdefault((_below(step.file, root), step.case, step.variant, question, number), []).append(
            step
        )
    return found


def _places(run: dict[MatchKey, list[StepRecord]], root: str, same: set[MatchKey]) -> dict[Spot, None]:
    """Return where the steps stand that have no partner, in their order."""
    steps = [samples[0] for key, samples in run.items() if key not in same]
    return dict.fromkeys((_below(step.file, root), step.case, step.variant, step.step) for step in steps)


def _judged(samples: Iterable[StepRecord]) -> Samples:
    return tuple(sample for sample in samples if sample.is_judged)


def name_case(samples: Samples) -> CaseName:
    """Return what names the conversation of a step: the unit of chance."""
    return samples[0].file, samples[0].case, samples[0].variant


def pair_steps(
    pairs: Iterable[tuple[Samples, Samples]], unknown: tuple[float, float] = (0.0, 0.0)
) -> Iterator[Pair]:
    """Yield what statistics need of matched steps: the conversation is the cluster.

    `unknown` is what counts in each run where no sample was judged.
    """
    clusters: dict[CaseName, int] = {}
    for one, other in pairs:
        # What was judged in neither run has no sample that names its case: it stands alone.
        case = name_case(one or other) if one or other else ("", "", f"nowhere judged {len(clusters)}")
        cluster = clusters.setdefault(case, len(clusters))
        yield Pair(
            cluster, share_passed(one) if one else unknown[0], share_passed(other) if other else unknown[1]
        )


def share_passed(samples: Samples) -> float:
    """Return the share of samples that passed."""
    return sum(sample.outcome == "passed" for sample in samples) / len(samples)

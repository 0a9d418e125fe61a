"""`du-eval annotate`: people label what judges decided, and rates are corrected by what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from du_eval.cli.edge import cut_message, out, say
from du_eval.cli.generated import with_options
from du_eval.errors import tell_count
from du_eval.settings.reading import AnnotateOptions

if TYPE_CHECKING:
    from du_eval.assembly.annotating import AnnotationSession
    from du_eval.runs.annotation import JudgedText
    from du_eval.runs.record import AnyRun

_KEYS = "[y]es [n]o [u]nclear [b]ack [q]uit: "


@with_options(AnnotateOptions)
def annotate(options: AnnotateOptions) -> None:
    """Label judged replies of a kept run, and correct its rates with the labels.

    Replies are drawn evenly across the judge's confidence, so you can stop at any time and continue later;
    every label is saved at once. The judge's verdict is not shown. A second annotator gets the same replies,
    and their agreement is reported as Cohen's kappa. The corrected rates are kept with the run: report,
    export, gate and history show them.

    Examples:
      du-eval annotate last

      du-eval annotate last --checks ML-I1,ML-I3 --count 50

      du-eval annotate last --annotator anna

      du-eval annotate last --labels-from 20260131-120000

    """
    from du_eval.assembly.annotating import open_annotation

    session = open_annotation(options.run, options.runs_dir)
    if options.labels_from is None:
        names = tuple(filter(None, options.checks.replace(", ", ",").split(",")))
        texts = list(session.list_next(options.annotator, names))[: options.count]
        _ask_all(session, options.annotator, texts)
        found = session.correct()
    else:
        found = session.correct(open_annotation(options.labels_from, options.runs_dir))
    _print(found)


def _ask_all(session: AnnotationSession, annotator: str, texts: list[JudgedText]) -> None:
    """Ask about each text; one step back repeats the question before."""
    from du_eval.runs.outcome import Outcome

    labels = {"y": Outcome.PASSED, "n": Outcome.FAILED, "u": Outcome.UNDECIDED}
    place, labelled = 0, 0
    while place < len(texts):
        say(_show(texts[place], f"{place + 1} of {len(texts)}"))
        key = _read_key()
        if key == "q":
            break
        if key == "b":
            place = max(0, place - 1)
            continue
        session.label(texts[place], labels[key], annotator)
        place, labelled = place + 1, labelled + 1
    say(
        f"{tell_count(labelled, 'label')} by {annotator} kept in {session.file}"
        if labelled
        else "no labels were given"
    )


def _show(text: JudgedText, progress: str) -> str:
    """Return a text for a person, without what the judge thinks of it."""
    lines = [f"\n({progress}) {text.check}", *(f"  {cut_message(line)}" for line in text.before)]
    lines += [f"  said:   {text.asked}"] if text.asked else []
    lines += [f"  reply:  {cut_message(text.reply)}"]
    lines += [f"  right:  {text.expected}"] if text.expected else []
    return "\n".join([*lines, text.question])


def _read_key() -> str:
    """Return one of the keys; the end of the input is quitting."""
    while True:
        try:
            typed = input(_KEYS).strip().casefold()[:1]
        except (EOFError, KeyboardInterrupt):
            return "q"
        if typed and typed in "ynubq":
            return typed


def _print(run: AnyRun) -> None:
    from du_eval.reports.renderers.terminal import render_terminal
    from du_eval.reports.sections import Note, View
    from du_eval.reports.views.generic import make_correction_table

    if run.corrections:
        tables = (make_correction_table(run.corrections),)
        headline = Note(f"run {run.head.id}: corrected rates are kept with it")
        out(render_terminal(View(run.head.subject, run.head.kind, headline, sections=tables)))

"""A run as files, by what their names end with: a function for each form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from du_eval.errors import DuEvalError, ExitCode, InputError, ReportError
from du_eval.plugins import PlugIns
from du_eval.reports.sections import View
from du_eval.runs.record import AnyRun
from du_eval.runs.report import AnyKind, encode_run
from du_eval.runs.ruling import Ruling
from du_eval.trust.terminal import neutralise

if TYPE_CHECKING:
    from du_eval.corpus.record import MetricsRun


class Reported(Struct, frozen=True):
    """A finished run as a reporter gets it: the whole of it, and its view for people."""

    run: AnyRun
    kind: AnyKind
    view: View
    shows_prompts: bool = False
    before: AnyRun | None = None
    """The run before, whose comparison stands on the page."""
    ruling: Ruling = Ruling(ExitCode.PASSED)
    """What the gates say, which the view says, too."""
    table: str | None = None
    """The table that a form wants that has one; None: the first."""
    is_raw: bool = False
    """Whether texts stay unguarded that a spreadsheet would take for formulas."""


Reporter = Callable[[Reported], str | bytes]
"""What a package provides under the entry point `du_eval.reporters`; its name is the ending of the files."""


def report_csv(of: Reported) -> str:
    """Return a table, the first one unless another is named, as CSV."""
    from du_eval.reports.renderers.sheets import choose_grid
    from du_eval.reports.renderers.tables import write_csv

    return write_csv(choose_grid(of.view, of.table), is_raw=of.is_raw)


def report_html(of: Reported) -> str:
    """Return the page, with what changed since the run before where the two have steps in common."""
    from du_eval.experiments.deciding import decide_runs
    from du_eval.reports.renderers.page import render_page
    from du_eval.reports.views.comparison import view_comparison
    from du_eval.runs.comparison import compare_runs
    from du_eval.runs.records import reduce_run

    if of.before is None:
        return render_page([of.view])
    found = compare_runs(reduce_run(of.before, "the run before"), reduce_run(of.run, "this run"))
    if not found.overlap.common:
        return render_page([of.view])
    return render_page([of.view, view_comparison(found, decide_runs(found, of.before, of.run))])


def report_json(of: Reported) -> bytes:
    """Return the whole run, as every command reads it."""
    return b"".join(encode_run(of.run, of.kind))


def report_jsonl(of: Reported) -> str:
    """Return a table, the first one unless another is named, as JSON lines."""
    from du_eval.reports.renderers.sheets import choose_grid
    from du_eval.reports.renderers.tables import write_jsonl

    return write_jsonl(choose_grid(of.view, of.table))


def report_markdown(of: Reported) -> str:
    """Return Markdown, for a pull request, a chat or the summary of a build."""
    from du_eval.reports.renderers.markdown import render_markdown

    return render_markdown(of.view)


def report_parquet(of: Reported) -> bytes:
    """Return a table, the first one unless another is named, as Parquet."""
    from du_eval.reports.renderers.sheets import choose_grid
    from du_eval.reports.renderers.tables import write_parquet

    return write_parquet(choose_grid(of.view, of.table))


def report_png(of: Reported) -> bytes:
    """Return the curves and bars as one picture, drawn by matplotlib."""
    from du_eval.reports.renderers.charts import draw_png, require_charts

    return draw_png(require_charts(of.view), of.view.signature)


def report_svg(of: Reported) -> str:
    """Return the curves and bars as one picture, drawn without any library."""
    from du_eval.reports.renderers.charts import draw_svg, require_charts

    return draw_svg(require_charts(of.view), of.view.signature)


def report_tex(of: Reported) -> str:
    """Return the tables for LaTeX, with the package booktabs."""
    from du_eval.reports.renderers.latex import render_latex

    return render_latex(of.view)


def report_txt(of: Reported) -> str:
    """Return what a terminal shows, with all that passed; metrics in the file of the original tool."""
    from du_eval.reports.renderers.terminal import TerminalStyle, render_terminal

    if of.run.head.kind == "metrics":
        from du_eval.compat.dialog_eval import render_original

        return render_original(cast("MetricsRun", of.run))
    return neutralise(
        render_terminal(of.view, TerminalStyle(shows_texts=of.shows_prompts, shows_passed=True))
    )


def report_xlsx(of: Reported) -> bytes:
    """Return an Excel workbook with a sheet for each table, or with the one that is named."""
    from du_eval.reports.renderers.sheets import choose_grid, list_grids
    from du_eval.reports.renderers.tables import write_workbook

    return write_workbook([choose_grid(of.view, of.table)] if of.table else list_grids(of.view))


def report_xml(of: Reported) -> str:
    """Return JUnit XML, for build servers."""
    from du_eval.reports.renderers.junit import render_junit

    return render_junit(of.run, of.view, of.ruling)


def report_yaml(of: Reported) -> str:
    """Return the report with the keys of the official tool."""
    from du_eval.reports.files import yaml_text
    from du_eval.reports.official import make_official_report

    return yaml_text(make_official_report(of.run, shows_prompts=of.shows_prompts))


FORMATS: dict[str, Reporter] = {
    "csv": report_csv,
    "html": report_html,
    "json": report_json,
    "jsonl": report_jsonl,
    "md": report_markdown,
    "parquet": report_parquet,
    "png": report_png,
    "svg": report_svg,
    "tex": report_tex,
    "txt": report_txt,
    "xlsx": report_xlsx,
    "xml": report_xml,
    "yaml": report_yaml,
    "yml": report_yaml,
}
REPORTERS: Mapping[str, Reporter] = PlugIns("reporters", FORMATS)
"""Endings of files, and who writes such a file."""


def check_endings(names: Iterable[str]) -> None:
    """Raise where a file is in no form that we know."""
    wrong = [name for name in names if _find_ending(name) not in REPORTERS]
    if wrong:
        known = ", ".join(f".{ending}" for ending in REPORTERS)
        raise InputError(f"--output-file {', '.join(wrong)}: the name must end with one of {known}")


def _find_ending(name: str) -> str:
    return PurePath(name).suffix.lower().removeprefix(".")


def render_file(name: str, reported: Reported) -> str | bytes:
    """Return a run in the form that the name of a file asks for."""
    check_endings([name])
    ending = _find_ending(name)
    try:
        return REPORTERS[ending](reported)
    except DuEvalError:
        raise
    except Exception as error:
        raise ReportError(f"{name} cannot be written: {type(error).__name__}: {error}") from error

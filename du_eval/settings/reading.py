"""Options of the commands that read kept runs: declared like settings, but given on the command line only."""

from __future__ import annotations

from du_eval.settings.commands import AlphaSettings, VerdictSettings
from du_eval.settings.declare import OWN, REPORTS, RUN, Flag, SettingsModel, setting, switch
from du_eval.settings.shared import GateSettings, SeedSettings
from du_eval.settings.words import Files, Words

_RUN = "A run: its file (.json), id, start of its id, label, folder, or last."


class ReadOptions(SettingsModel, panel=OWN):
    """Where runs are read."""

    runs_dir: str | None = setting(None, "Folder of the kept runs.", panel=RUN)


class OneRunOptions(ReadOptions):
    """What commands have that are about one run."""

    run: str = setting("last", _RUN, flag=Flag(is_argument=True, metavar="RUN"))


class ManyRunsOptions(ReadOptions):
    """What commands have that are about several runs."""

    runs: Words = setting(
        [], "Runs: files (.json), ids, labels, folders, or last.", flag=Flag(is_argument=True)
    )


class JsonOptions(SettingsModel, panel=REPORTS):
    """Of commands that people and programs read."""

    json_output: bool = switch("Print JSON.", "--json")


class CompareOptions(ManyRunsOptions, VerdictSettings, SeedSettings, JsonOptions, panel=REPORTS):
    """Options of `du-eval compare`."""

    runs: Words = setting(
        [],
        "The baseline, then the runs to compare with it: .json files, ids, labels, or last.",
        flag=Flag(is_argument=True, metavar="RUNS", panel=OWN),
    )
    same_suite: bool = switch("Refuse to compare runs of different suites.", panel=OWN)
    output_file: Files = setting(
        [],
        "Write the comparison: .md, .json, .html, else text. Repeatable.",
        flag=Flag(("-o", "--output-file"), "FILE", old=("--output",)),
    )
    html: str | None = setting(None, "Write the comparison as an HTML page.", flag=Flag(metavar="FILE"))
    markdown: str | None = setting(
        None, "Write Markdown, for a pull request; without a file, print it.", flag=Flag(metavar="[FILE]")
    )
    comment: str | None = setting(
        None,
        "Write a short comment for a pull request: decision, figures, five changed steps.",
        flag=Flag(metavar="FILE"),
    )
    link: str = setting("", "Where the whole report is, for --comment.", flag=Flag(metavar="URL"))


class GateOptions(OneRunOptions, AlphaSettings, SeedSettings, GateSettings, JsonOptions):
    """Options of `du-eval gate`."""

    baseline: str = setting(..., "The run to measure against: a report (.json), an id or a folder.")
    run: str = setting("last", "The candidate run.", flag=Flag(is_argument=True, metavar="RUN"))
    max_regression: float = setting(0.02, "Largest loss of accuracy that is allowed.", ge=0, le=1)
    strict: bool = switch("Fail unless a larger loss of accuracy is ruled out.")


class HistoryOptions(ReadOptions, JsonOptions):
    """Options of `du-eval history`."""

    figures: Words = setting(
        [], "Which figure: accuracy, f1.macro, recall.set_slot, ... Repeatable.", "--figure"
    )
    kind: str | None = setting(None, "Only runs of test, e2e, quality, protocol, metrics or agent.")
    label: str | None = setting(None, "Only runs with this label.")
    suite: str | None = setting(None, "Only runs whose suite path contains this text.")
    last: int = setting(30, "Number of runs to show, latest last.", ge=1)
    output_file: str | None = setting(
        None, "Write a plot (.svg).", flag=Flag(("-o", "--output-file"), "FILE", old=("--output",))
    )


class ExportOptions(OneRunOptions):
    """Options of `du-eval export`."""

    output_file: str = setting(
        "report.xlsx",
        "The file: .xlsx (all tables), .csv, .jsonl or .parquet (one table), .md, .html, .json, ...",
        flag=Flag(("-o", "--output-file"), "FILE", old=("--output",)),
    )
    table: str | None = setting(
        None, "Which table, e.g. steps, commands, mistakes (default of .csv, .jsonl and .parquet: the first)."
    )
    raw: bool = switch("In CSV, do not escape text that a spreadsheet would read as a formula.")
    for_spreadsheets: bool = switch("Escape it (the default).", flag=Flag(is_hidden=True))


class ReportOptions(ManyRunsOptions, VerdictSettings):
    """Options of `du-eval report`."""

    output_file: str = setting(
        "report.html",
        "File to write: .html for one run or several; any other format for a single run.",
        flag=Flag(("-o", "--output-file"), "FILE", old=("--output",)),
    )


class ViewOptions(ManyRunsOptions):
    """Options of `du-eval view`."""

    runs: Words = setting(
        [],
        "What to open first: a run, or two to compare (default: the list). Files are added to the list.",
        flag=Flag(is_argument=True),
    )
    port: int = setting(0, "Port; 0 picks a free one.", ge=0, le=65_535)
    opens: bool = switch("Open the page in your browser.", "--open")
    watch: bool = switch("Test again when suite, prompt, flows or code of the run change.")


class PlanOptions(ReadOptions, AlphaSettings, JsonOptions):
    """Options of `du-eval plan`."""

    detect: float = setting(..., "The loss of accuracy to detect.", ge=0.001, le=0.9)
    run: str | None = setting(
        None,
        "A run on the suite, for its lengths, correlation, time and cost.",
        flag=Flag(is_argument=True, metavar="RUN"),
    )
    power: float = setting(0.8, "Chance of detecting it.", ge=0.5, le=0.99)
    steps: float = setting(4.0, "Steps per conversation, if no run is given.", ge=1, le=1000)


class SelfcheckOptions(OneRunOptions, SeedSettings, JsonOptions):
    """Options of `du-eval selfcheck`."""

    simulations: int = setting(400, "Number of simulated runs per figure.", ge=20, le=100_000)


class VerifyOptions(OneRunOptions, JsonOptions):
    """Options of `du-eval verify`."""

    expect: str = setting("", "The fingerprint noted earlier.", flag=Flag(metavar="FINGERPRINT"))


class AnnotateOptions(OneRunOptions):
    """Options of `du-eval annotate`."""

    checks: str = setting("", "Only these checks, e.g. ML-I1,ML-I3 (default: all).")
    count: int | None = setting(
        None, "Number of labels to ask for (default: all).", flag=Flag(old=("-n",)), ge=0
    )
    annotator: str = setting("me", "Your name; several people may label the same run.")
    labels_from: str | None = setting(
        None, "Use the labels of another run with the same judge, and ask for none.", flag=Flag(metavar="RUN")
    )

"""`du-eval convert`: benchmarks and end-to-end tests into suites, and one spelling into another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out, say, say_all
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ConfigError, ExitCode, tell_count
from du_eval.settings.commands import EndToEndSettings
from du_eval.settings.shared import GeneratorSettings

if TYPE_CHECKING:
    from du_eval.conversion.suite_folder import Converted

app = typer.Typer()
Source = Annotated[Path, typer.Argument(help="The data: a folder or a file.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="A new folder for suite and assistant.")]


@app.command()
def sgd(
    source: Source,
    output: Output,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", help="A reworded version of the schema (SGD-X); default: schema.json."),
    ] = None,
) -> None:
    """Convert a split of Schema-Guided Dialogue: services into flows and slots, dialogues into cases.

    Examples:
      du-eval convert sgd dstc8-schema-guided-dialogue/dev -o sgd_dev

      du-eval convert sgd dstc8-schema-guided-dialogue/dev --schema sgd_x/v5/dev/schema.json -o sgd_dev_v5

    """
    from du_eval.conversion.services import convert_services

    _tell(convert_services(source, output, schema), output)


@app.command()
def multiwoz(source: Source, output: Output) -> None:
    """Convert MultiWOZ 2.2: services into flows and slots, dialogues into cases.

    Examples:
      du-eval convert multiwoz MultiWOZ_2.2 -o multiwoz

    """
    from du_eval.conversion.services import convert_services

    _tell(convert_services(source, output, none_ends=False), output)


@app.command()
def intents(
    source: Source,
    output: Output,
    out_of_scope: Annotated[
        str, typer.Option("--out-of-scope", help="Intent of messages that must not start a flow.")
    ] = "oos",
) -> None:
    """Convert messages with their intents (JSON, JSON lines, CSV, TSV): each intent becomes a flow.

    Examples:
      du-eval convert intents banking77/test.csv -o banking

    """
    from du_eval.conversion.intents import convert_intents

    _tell(convert_intents(source, output, out_of_scope), output)


@app.command()
def bfcl(source: Source, output: Output) -> None:
    """Convert questions of the Berkeley Function-Calling Leaderboard: calls become commands.

    Examples:
      du-eval convert bfcl bfcl_eval/data -o bfcl

      du-eval convert bfcl bfcl_eval/data/BFCL_v4_multi_turn_base.json -o bfcl_base

    """
    from du_eval.conversion.bfcl import convert_bfcl

    _tell(convert_bfcl(source, output), output)


def _tell(converted: Converted, folder: Path) -> None:
    for note in converted.notes:
        say(f"note: {note}")
    out(
        f"{tell_count(converted.cases, 'case')} with {tell_count(converted.steps, 'user step')} in {folder} "
        f"({tell_count(converted.files, 'test file')}); run them with: du-eval test {folder}\n"
    )


@app.command()
@with_settings(
    EndToEndSettings, "generator", "assistant", "syntax", "actions", "action_endpoint", "skip_validation",
    "embedding", *GeneratorSettings.model_fields,
)  # fmt: skip
def e2e(
    path: Annotated[str, typer.Argument(help="A file or folder with end-to-end tests.")],
    output_folder: Annotated[
        str, typer.Option("--output-folder", help="Where ready/ and to_review/ are written.")
    ] = "dialogue_understanding_tests",
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    *,
    given: Given,
) -> None:
    """Run end-to-end tests, and write them as dialogue understanding tests.

    Cases that passed go to ready/, the others to to_review/, with the reasons above each of them.

    Examples:
      du-eval convert e2e examples/bank/tests --output-folder converted

    """
    from du_eval.assembly import settle
    from du_eval.assembly.endtoend import build_end_to_end
    from du_eval.conversion.e2e import convert_folders
    from du_eval.reports.files import write

    session = build_end_to_end(settle(EndToEndSettings, {**given, "paths": [path]}, os.environ).config)
    say_all("warning", session.warnings)
    outcomes = session.runner.run(session.suite)
    if len(outcomes) < len(session.suite.cases):
        raise KeyboardInterrupt
    files = convert_folders(outcomes, Path(path), session.parser.syntax.print)
    targets = {Path(output_folder) / file.path: file for file in files}
    existing = [str(target) for target in targets if target.exists()]
    if existing and not force:
        more = f" and {len(existing) - 1} more" if len(existing) > 1 else ""
        raise ConfigError(f"{existing[0]}{more} would be overwritten; use --force or another --output-folder")
    for target, file in targets.items():
        write(target, file.text)
    ready = sum(file.cases for file in files if file.is_ready)
    review = sum(file.cases for file in files if not file.is_ready)
    out(
        f"{tell_count(ready, 'case is', 'cases are')} ready, {review} to review; "
        f"{tell_count(len(files), 'file')} in {output_folder}\n"
    )
    if lost := len(outcomes) - ready - review:
        say(
            f"warning: {tell_count(lost, 'case is', 'cases are')} left out: "
            "even the first message could not be run"
        )


@app.command()
def dsl(
    dut_tests_dir: Annotated[str, typer.Option("--dut-tests-dir", help="The folder with test files.")],
    output_dir: Annotated[str, typer.Option("--output-dir", help="Where the new files are written.")],
    dsl_mappings: Annotated[str, typer.Option("--dsl-mappings", help="The YAML file with the rules.")],
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail, and write nothing, if no rule matches a command.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Show what would change; write nothing.")] = False,
    in_place: Annotated[bool, typer.Option("--in-place", help="Allow overwriting the input files.")] = False,
) -> ExitCode:
    """Write test files with commands in another spelling; nothing else in them changes.

    Examples:
      du-eval convert dsl --dut-tests-dir tests --output-dir new_tests --dsl-mappings rules.yml --check

    """
    from du_eval.conversion.dsl import difference, rewrite_folder
    from du_eval.conversion.rules import load_rules
    from du_eval.reports.files import write

    rules = load_rules(dsl_mappings)
    files = rewrite_folder(Path(dut_tests_dir), Path(output_dir), rules, in_place=in_place)
    unmatched = [problem for file in files for problem in file.unmatched]
    for problem in unmatched:
        say(f"{'error' if strict else 'warning'}: {problem}")
    is_refused = strict and bool(unmatched)
    for file in files:
        if check:
            out(difference(file))
        elif not is_refused:
            write(file.target, file.new)
    count = sum(file.changed for file in files)
    verb = "would change" if check else ("were not changed" if is_refused else "changed")
    say(
        f"{tell_count(count, 'command')} in {tell_count(len(files), 'file')} {verb}; "
        f"{tell_count(len(unmatched), 'matches', 'match')} no rule"
    )
    return ExitCode.FAILED if is_refused else ExitCode.PASSED

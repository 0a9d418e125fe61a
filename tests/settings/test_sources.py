"""Settings are declared once; sections, the top of the file and variables are merged in one order."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from du_eval.errors import ConfigError
from du_eval.settings.commands import EndToEndSettings, TestSettings
from du_eval.settings.declare import Flag, SettingsModel, setting
from du_eval.settings.shared import ActivitySettings
from du_eval.settings.sources import (
    FLAG,
    ConfigFile,
    Gathered,
    Source,
    list_top,
    merge_sources,
    read_environment,
    read_file,
)


class Lines(dict[str, Any]):
    """A mapping that knows its lines, as YAML does."""

    lines: ClassVar[dict[str, int]] = {}


def with_lines(**values: Any) -> Lines:
    found = Lines(values)
    found.lines = {key: number for number, key in enumerate(values, 1)}  # type: ignore[misc]
    return found


def settle(model: type[SettingsModel], values: dict[str, Any], environment: dict[str, str]) -> Any:
    file = read_file(ConfigFile.divide("du-eval.yaml", values), model)
    return merge_sources(model, read_environment(model, environment) + file)


def test_a_section_beats_the_top_of_the_file_and_only_for_its_activity() -> None:
    values = {"seed": 1, "concurrency": 2, "e2e": {"seed": 7}}
    assert settle(EndToEndSettings, values, {}).config.seed == 7
    assert settle(EndToEndSettings, values, {}).config.concurrency == 2
    assert settle(TestSettings, values, {}).config.seed == 1


def test_origins_tell_a_section_from_the_top() -> None:
    found = settle(EndToEndSettings, {"seed": 1, "e2e": {"similarity": "tfidf"}}, {})
    assert found.origins["seed"] == "du-eval.yaml"
    assert found.origins["similarity"] == "du-eval.yaml, section e2e"
    assert found.origins["model"] == "default"


def test_a_variable_of_one_activity_beats_that_of_all() -> None:
    variables = {"DU_EVAL_SEED": "3", "DU_EVAL_E2E_SEED": "4"}
    assert settle(EndToEndSettings, {"e2e": {"seed": 7}}, variables).config.seed == 4
    assert settle(TestSettings, {}, variables).config.seed == 3


def test_what_only_one_activity_has_does_not_stand_at_the_top() -> None:
    assert "fail_under" not in EndToEndSettings.list_shared()
    assert settle(EndToEndSettings, {"fail_under": "accuracy=1"}, {}).config.fail_under is None
    assert settle(TestSettings, {"fail_under": "accuracy=1"}, {}).config.fail_under == "accuracy=1"


def test_every_problem_of_a_file_is_reported_with_its_line() -> None:
    inner = with_lines(similarity="tfidf", jugde_model="x", concurrency=0)
    values = with_lines(sede=1, test="all", e2e=inner, quality_={"a": 1})
    with pytest.raises(ConfigError) as caught:
        settle(EndToEndSettings, values, {})
    told = str(caught.value)
    assert "du-eval.yaml:1: unknown setting 'sede' (did you mean 'seed'" in told
    assert "du-eval.yaml:2: test: a section is a mapping of settings" in told
    assert "du-eval.yaml:2: unknown setting 'jugde_model' (did you mean 'judge_model'" in told
    assert "du-eval.yaml:3: concurrency: must be at least 1" in told
    assert "unknown setting 'quality_'" in told


def test_a_setting_of_an_activity_at_the_top_is_told_where_it_belongs() -> None:
    class Own(ActivitySettings):
        section = "own"
        depth: int = setting(1, "How deep.")

    with pytest.raises(ConfigError, match=r"unknown setting 'depth' here .move it below `own:`"):
        settle(Own, {"depth": 2}, {})


def test_the_order_of_sources_is_the_order_of_strength() -> None:
    found = merge_sources(
        TestSettings, Gathered((Source("flag", {"seed": 1}, {}), Source("file", {"seed": 2}, {})))
    )
    assert (found.config.seed, found.origins["seed"]) == (1, "flag")


def test_a_flag_is_named_after_its_field_unless_it_is_named() -> None:
    assert Flag().spell("runs_dir") == ("--runs-dir",)
    assert TestSettings.find_flag("concurrency") == Flag(("-n", "--concurrency"))
    assert TestSettings.find_panel("concurrency") == "Run"
    assert TestSettings.find_panel("match") == "Options"


def test_the_top_holds_what_test_has_and_what_judges_share() -> None:
    assert set(TestSettings.model_fields) <= list_top()
    assert "judge_model" in list_top()


def test_sections_are_read_from_both_kinds_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from du_eval.assembly import settle as settle_here

    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.du-eval.e2e]\nsimilarity = "tfidf"\n', encoding="utf-8")
    assert settle_here(EndToEndSettings, {}, {}).config.similarity == "tfidf"
    (tmp_path / "du-eval.yaml").write_text("e2e:\n  html: out.html\n", encoding="utf-8")
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    assert settle_here(EndToEndSettings, {"paths": ["."]}, {}).config.html == "../out.html"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"max_tokens": 0}, "--max-tokens: must be at least 1, not 0"),
        ({"temperature": "hot"}, "--temperature: must be a number or 'off', not 'hot'"),
        ({"output_mode": "xml"}, "--output-mode: must be 'text', 'tools' or 'json', not 'xml'"),
    ],
)
def test_a_wrong_value_of_an_option_is_told_in_plain_words(given: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        merge_sources(TestSettings, Gathered((Source(FLAG, given, {}),)))
    assert str(caught.value) == told

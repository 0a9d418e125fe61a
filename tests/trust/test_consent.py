"""Settings that were found do nothing but choose, unless the user agrees."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from du_eval.assembly.activities import list_settings
from du_eval.errors import UntrustedError
from du_eval.trust.consent import TrustStore, find_config_folder, require_consent
from du_eval.trust.effects import HARMLESS, SENSITIVE, FoundSettings, digest_effects


def found(tmp_path: Path, **values: Any) -> FoundSettings:
    return FoundSettings(tmp_path / "du-eval.yaml", values)


def test_every_setting_is_known_to_be_harmless_or_to_have_effects() -> None:
    """A new setting must be put into one of the two: until then, it needs consent."""
    for model in list_settings():
        assert set(model.model_fields) <= HARMLESS | SENSITIVE, model.section
    assert not HARMLESS & SENSITIVE


def test_a_section_has_the_effects_of_its_settings_and_another_packages_section_any() -> None:
    def effects(**values: Any) -> list[str]:
        return [str(one) for one in FoundSettings(Path("du-eval.yaml"), values).effects]

    assert effects(**{"e2e.model": "m"}) == ["e2e.model: m (asks this model, with your key)"]
    assert effects(**{"e2e.seed": 1}) == []
    assert effects(**{"other.seed": 1}) == ["other.seed: 1 (is not known to be harmless)"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("generator", "llm"),
        ("generator", "evil:steal"),
        ("generator", "http://127.0.0.1:1/x"),
        ("generator", "some-plug-in"),
        ("base_url", "http://evil.example/v1"),
        ("url", "http://evil.example"),
        ("model", "gpt-4o"),
        ("headers", {"X": "${HOME}"}),
        ("parameters", {"api_base": "http://evil.example"}),
        ("api_key_env", "AWS_SECRET_ACCESS_KEY"),
        ("token_env", "GITHUB_TOKEN"),
        ("jwt_env", "GITHUB_TOKEN"),
        ("additional_commands", ["evil.Command"]),
        ("actions", "evil_actions"),
        ("action_endpoint", "http://evil.example"),
        ("embedding", "evil/model"),
        ("output_file", "/etc/cron.d/evil.yml"),
        ("html", "../../../.bashrc"),
        ("runs_dir", "/tmp/elsewhere"),
        ("prompt", "/etc/passwd"),
        ("metrics.responses", ["replies.txt", "s3://evil/replies.jsonl"]),
        ("quality.load", "http://evil.example/talks.jsonl"),
        ("something_new", 1),
    ],
)
def test_code_hosts_headers_variables_and_files_elsewhere_need_consent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UntrustedError, match=name):
        require_consent(found(tmp_path, **{name: value}), os.environ)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("generator", "baseline"),
        ("generator", "recorded:answers.jsonl"),
        ("assistant", "../../bot"),
        ("paths", ["tests"]),
        ("samples", 3),
        ("additional_commands", ["SessionStart"]),
        ("embedding", "none"),
        ("output_file", "report.json"),
        ("prompt", "own.jinja2"),
        ("system_prompt", "You are\nhelpful."),
        ("model", None),
    ],
)
def test_choosing_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.jinja2").touch()
    require_consent(found(tmp_path, **{name: value}), os.environ)


def test_consent_is_pinned_to_what_a_file_does_and_to_its_place(tmp_path: Path) -> None:
    settings = found(tmp_path, base_url="http://a/v1", samples=3)
    store = TrustStore(find_config_folder(os.environ))
    store.pin(settings.path, digest_effects(settings.effects))
    require_consent(settings, os.environ)
    require_consent(found(tmp_path, base_url="http://a/v1", samples=4), os.environ)
    with pytest.raises(UntrustedError):
        require_consent(found(tmp_path, base_url="http://b/v1"), os.environ)
    with pytest.raises(UntrustedError):
        require_consent(FoundSettings(tmp_path / "copy.yaml", settings.values), os.environ)
    assert store.forget(settings.path)
    with pytest.raises(UntrustedError):
        require_consent(settings, os.environ)


@pytest.mark.parametrize("value", ["1", "true", "YES", "the hash"])
def test_a_variable_allows_everything_or_exactly_one_thing(tmp_path: Path, value: str) -> None:
    settings = found(tmp_path, base_url="http://a/v1")
    allowed = value.replace("the hash", digest_effects(settings.effects))
    require_consent(settings, {**os.environ, "DU_EVAL_TRUST": allowed})
    with pytest.raises(UntrustedError):
        require_consent(settings, {**os.environ, "DU_EVAL_TRUST": "0" * 64})


def test_only_what_a_command_uses_must_be_agreed_to(tmp_path: Path) -> None:
    settings = found(tmp_path, base_url="http://a/v1", actions="my_actions")
    require_consent(settings, os.environ, {"samples": 1})
    with pytest.raises(UntrustedError) as raised:
        require_consent(settings, os.environ, {"actions": 7})
    assert f"{settings.path}:7: actions: my_actions" in str(raised.value)
    assert "base_url" not in str(raised.value)


def test_the_store_is_for_the_user_alone_and_a_damaged_one_trusts_nothing(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "config")
    store.pin(tmp_path / "a.yaml", "x")
    file = tmp_path / "config" / "trusted.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    for damaged in ("", "[]", '{"files": 3}', json.dumps({"files": {str(tmp_path / "a.yaml"): ["x"]}})):
        file.write_text(damaged, encoding="utf-8")
        assert not store.is_pinned(tmp_path / "a.yaml", "x")


def test_without_a_home_nothing_is_trusted_and_the_message_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    store = TrustStore(find_config_folder({}))
    assert store.folder is None
    assert not store.seal("x")
    with pytest.raises(Exception, match="DU_EVAL_CONFIG_DIR"):
        store.pin(tmp_path / "a.yaml", "x")


def test_a_seal_is_the_users_own(tmp_path: Path) -> None:
    mine, other = TrustStore(tmp_path / "mine"), TrustStore(tmp_path / "other")
    seal = mine.seal("text")
    assert mine.is_sealed("text", seal)
    assert not mine.is_sealed("other text", seal)
    assert not other.is_sealed("text", seal)
    assert not mine.is_sealed("text", "")
    assert stat.S_IMODE((tmp_path / "mine" / "seal.key").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "values",
    [
        {"generator": "baseline_evil:steal"},
        {"output_file": ["report.html", "/tmp/elsewhere.html"]},
        {"html": "HOME/.bashrc"},
        {"markdown": "HOME/.ssh/authorized_keys"},
        {"prompt": "HOME/.ssh/id_rsa"},
        {"similarity": ["tfidf", "evil/model"]},
        {"quality.tester": {"type": "predefined", "file": "/etc/hostname"}},
        {"quality.tester": {"type": "predefined", "argument": ".ssh/id_rsa"}},
    ],
)
def test_the_working_directory_and_odd_values_are_no_way_around_consent(tmp_path, monkeypatch, values):
    home = tmp_path / "home"
    suite = home / "downloads" / "suite"
    suite.mkdir(parents=True)
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_rsa").write_text("secret")
    monkeypatch.chdir(home)
    found = {
        key: value.replace("HOME", str(home)) if isinstance(value, str) else value
        for key, value in values.items()
    }
    assert FoundSettings(suite / "du-eval.yaml", found).effects


def test_reports_below_the_settings_that_name_them_need_no_consent(tmp_path):
    found = {"html": str(tmp_path / "out" / "page.html"), "output_file": [str(tmp_path / "run.json")]}
    assert not FoundSettings(tmp_path / "du-eval.yaml", found).effects


@pytest.mark.parametrize("place", ["/etc/hostname", "../*.txt", ".ssh/id_rsa", ".ssh/*", ["a.jsonl", "link"]])
def test_files_from_elsewhere_are_part_of_what_a_host_may_be_sent(tmp_path, monkeypatch, place):
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_rsa").write_text("secret")
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "link").symlink_to(tmp_path / ".ssh" / "id_rsa")
    monkeypatch.chdir(tmp_path)
    asked = FoundSettings(
        suite / "du-eval.yaml", {"quality.judge_base_url": "http://evil.example", "quality.load": place}
    )
    assert [one.setting for one in asked.effects] == ["quality.judge_base_url", "quality.load"]
    assert not FoundSettings(suite / "du-eval.yaml", {"quality.load": place}).effects


def test_files_below_the_settings_add_nothing_to_what_consent_is_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = {"model": "m", "paths": ["cases", "more/*.yml"], "assistant": "bot", "facts": "facts.yml"}
    (one,) = FoundSettings(tmp_path / "du-eval.yaml", values).effects
    assert one.setting == "model"

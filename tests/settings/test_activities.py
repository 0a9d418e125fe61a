"""The same flag means the same in every activity, or says there why it makes no sense."""

from __future__ import annotations

from collections import defaultdict

import pytest

from du_eval.assembly.activities import list_settings
from du_eval.settings import reading
from du_eval.settings.declare import SettingsModel

SHARED = (
    "--label", "--resume", "--runs-dir", "--seed", "-n", "-o", "--json", "--html", "--markdown", "--junitxml",
    "--fail-under", "--against", "-k", "--deselect", "--shard", "--engine",
)  # fmt: skip

READING = [model for name, model in vars(reading).items() if name.endswith("Options")]
"""What the commands take that read kept runs."""


def list_flags(model: type[SettingsModel]) -> dict[str, str]:
    """Return the field of each flag."""
    found = {}
    for name in model.model_fields:
        flag = model.find_flag(name)
        if flag is not None and not flag.is_argument:
            spelled = () if (flag.switches or flag.parts) and not flag.names else flag.spell(name)
            found |= dict.fromkeys((*spelled, *(one.name for one in flag.switches)), name)
    return found


@pytest.mark.parametrize("model", list_settings(), ids=lambda model: model.section)
def test_every_shared_flag_is_an_option_or_says_why_not(model: type[SettingsModel]) -> None:
    flags = list_flags(model)
    missing = [flag for flag in SHARED if flag not in flags and flag not in model.refused]
    assert missing == []
    assert not set(flags) & set(model.refused)


def test_a_flag_stands_for_the_same_setting_everywhere() -> None:
    meanings = defaultdict(set)
    for model in (*list_settings(), *READING):
        for flag, name in list_flags(model).items():
            meanings[flag].add(name)
    assert {flag: names for flag, names in meanings.items() if len(names) > 1} == {
        "--timeout": {"timeout", "timeout_seconds"}  # the name that files of quality runs always had
    }


@pytest.mark.parametrize("model", [*list_settings(), *READING], ids=lambda model: model.__name__)
def test_every_option_is_described(model: type[SettingsModel]) -> None:
    for name, field in model.model_fields.items():
        if model.find_flag(name) is not None:
            assert field.description, name
            assert field.description.endswith("."), name

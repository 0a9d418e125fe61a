"""Every setting of the original document has a counterpart that works."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.assembly.quality import build_chatter
from du_eval.chatters.local_models import ModelChatter
from du_eval.chatters.networked import HttpChatter
from du_eval.errors import ConfigError
from du_eval.quality.config import QualityConfig, read_config
from du_eval.quality.facts.load import load_packaged_facts
from du_eval.quality.talk import ConversationOpening, draw_first_prompt
from tests.quality.holding import held, ran

TABLE = """
max_runs: 3
is_load_conversation: true
is_save_conversation: false
is_analyze_conversation: true
conversation_length: 9
init_conv_randomly: true
chatters: [emely, blenderbot]
convarray_init: [Hey, Hey]
predefined_conv_chatter1: [a, b]
predefined_conv_chatter2: [c, d]
prev_conv_memory_chatter1: 2
prev_conv_memory_chatter2: 4
is_affect: true
affect: joy
knob: 50
topic: space
save_conv_folder: talks
load_conv_folder: old_talks
save_analysis_name: mine
QA_model: pipeline
show_interpret: false
show_detailed: false
show_binary: true
is_analyze_question_freq: false
is_MLP1TC1: true
is_MLI2TC1: false
is_MLI3TC1: true
is_MLA6TC1: true
p_MLI1TC1: 0.1
p_MLU6TC1: 0.2
maxsets_MLI1TC1: 5
maxsets_MLU6TC1: 2
maxlength_MLI1TC1: 7
array_ux_test_cases: [MLU3TC1, MLU6TC1]
threshold_sem_sim_tests: 0.55
p_synonym: 0.4
n_aug: 2
"""


def test_the_whole_table_of_the_document_is_understood(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(TABLE)
    config = read_config(str(tmp_path / "c.yaml"), {})
    assert (config.conversations, config.prompts) == (3, 9)
    assert (config.tester, config.bot) == ("emely", "blenderbot")
    assert (config.start, config.tester_memory, config.bot_memory) == (["Hey", "Hey"], 2, 4)
    assert config.opening == ConversationOpening(random=True, affect="joy", intensity=50, topic="space")
    assert (config.load, config.save_folder, config.name) == ("old_talks", "talks", "mine")
    assert (config.save_conversations, config.analyse) == (False, True)
    assert config.judges.answers.endswith("squad")
    assert (config.show.interpretations, config.show.details, config.show.binary) == (False, False, True)
    assert config.reply_tests == ["ML-I3", "ML-P1", "ML-A6"]
    assert config.probabilities == {"ML-I1": 0.1, "ML-U6": 0.2}
    assert config.max_sets == {"ML-I1": 5, "ML-U6": 2}
    assert (config.longest_memory, config.by_level) == (7, ["ML-U3", "ML-U6"])
    assert (config.thresholds.answers, config.p_synonym, config.n_aug) == (0.55, 0.4, 2)
    assert QualityConfig.model_validate(config.model_dump()) == config


def test_predefined_chatters_of_the_document_speak_their_lines_and_no_more() -> None:
    given = {
        "chatters": ["predefined", "predefined"],
        "predefined_conv_chatter1": ["Hi", "And you?"],
        "predefined_conv_chatter2": ["Hello", "Fine", "Bye"],
        "init_conv_randomly": True,
    }
    dialogues = held({"type": "predefined", "lines": ["x"]}, **given, conversations=2)
    assert [[exchange.prompt for exchange in one.exchanges] for one in dialogues] == [["Hi"]] * 2
    config = read_config(None, given)
    assert (config.prompts, config.bot["lines"]) == (2, ["Hello", "Fine", "Bye"])


def test_a_feeling_counts_only_where_the_document_switches_it_on() -> None:
    assert read_config(None, {"affect": "joy", "knob": 10}).opening.affect is None
    assert read_config(None, {"is_affect": True}).opening.affect == "anger"


@pytest.mark.parametrize("language", ["en", "ru"])
def test_each_feeling_has_its_own_words_and_grows_with_its_intensity(language: str) -> None:
    said = {
        (affect, intensity): {
            draw_first_prompt(ConversationOpening(affect=affect, intensity=intensity), language, str(seed))
            for seed in range(40)
        }
        for affect in ("fear", "joy", "anger", "sadness", "anticipation", "disgust", "surprise", "trust")
        for intensity in (10, 50, 100)
    }
    every = [text for texts in said.values() for text in texts]
    assert len(every) == len(set(every))
    assert all(len(texts) >= 6 for texts in said.values())
    assert not any("{" in text for text in every)


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_random_start_is_seeded_and_about_its_topic(language: str) -> None:
    opening = ConversationOpening(random=True, topic="space")
    texts = {draw_first_prompt(opening, language, str(seed)) for seed in range(60)}
    assert len(texts) > 20
    assert draw_first_prompt(opening, language, "7") == draw_first_prompt(opening, language, "7")
    words = (
        ("rocket", "Saturn", "Mars", "eclipse") if language == "en" else ("ракет", "Сатурн", "Марс", "затмен")
    )
    assert all(any(word in text for word in words) for text in texts)


def test_conversations_begin_as_the_opening_says_and_the_bot_did_not_say_it() -> None:
    dialogues = held(
        "echo", conversations=3, prompts=2, opening={"affect": "joy", "topic": "science"}, seed=4
    )
    first = [one.exchanges[0] for one in dialogues]
    assert len({exchange.prompt for exchange in first}) > 1
    assert all(exchange.reply == exchange.prompt for exchange in first)
    with pytest.raises(ConfigError, match="opening"):
        read_config(None, {"opening": {"affect": "boredom"}})


def test_results_can_be_shown_without_levels() -> None:
    run = ran("echo", conversations=2, by_level=["ML-U4"], probabilities={"ML-U3": 0.2, "ML-U4": 0.2})
    cells = {result.test: result.cells for result in run.extra.tests}
    assert cells["ML-U3"] == ()
    assert len(cells["ML-U4"]) == 20


def test_the_bots_of_the_document_are_known_by_name() -> None:
    emely = build_chatter("emely", load_packaged_facts(), {})
    assert isinstance(emely, HttpChatter)
    assert (emely.url, emely.memory) == ("http://localhost:8086/inference", 3)
    blender = build_chatter("blenderbot", load_packaged_facts(), {})
    assert isinstance(blender, ModelChatter)
    assert (blender.model, blender.memory) == ("facebook/blenderbot-400M-distill", 3)


def test_what_is_unknown_is_named_with_its_line_and_what_may_be_meant(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("seed: 1\nconversatons: 3\n")
    with pytest.raises(
        ConfigError, match=r"c\.yaml:2: unknown setting 'conversatons' \(did you mean 'conversations'"
    ):
        read_config(str(tmp_path / "c.yaml"), {})
    with pytest.raises(ConfigError, match="unknown test ML-U9"):
        ran("echo", probabilities={"ML-U9": 0.5})


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"levels": {"ML-U5": [2.0]}}, "levels.ML-U5: 2 is not a share of words"),
        ({"levels": {"ML-U3": [0]}}, "levels.ML-U3: 0 is not a positive number"),
        ({"max_sets": {"ML-I1": -1}}, "max_sets must not be negative"),
    ],
)
def test_levels_and_numbers_that_cannot_be_are_refused(settings: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        read_config(None, settings)


def test_a_role_keeps_its_own_judge_beside_a_preset_and_a_flag_takes_the_place_of_all() -> None:
    written = {"preset": "models", "yes_no": "llm", "model": "m"}
    merged = QualityConfig.combine("judges", {"preset": "rules>llm", "model": "n"}, written)
    assert merged == {"preset": "rules>llm", "model": "n"}
    assert read_config(None, {"seed": 1}).judges.preset == "offline"
    assert read_config(None, {"judges": "llm"}).judges.preset == "llm"

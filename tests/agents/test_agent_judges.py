"""Opinions are read carefully, and never invented."""

import asyncio

import pytest
from msgspec.structs import replace

from du_eval.agents.model import AgentCase, Connection, Interaction
from du_eval.agents.modes import FailedAnswer, find_modes
from du_eval.agents.record import (
    AgentExtra,
    assess,
    name_modes,
    record_sample,
    record_trial,
    set_sample_count,
)
from du_eval.agents.results import (
    AgentReply,
    CheckResult,
    InteractionResult,
    SampleResult,
    Trial,
)
from du_eval.errors import AgentError, MissingExtraError
from du_eval.judges.gist import SimilarityGist, UndecidedGist
from du_eval.judges.similarity import TfidfSimilarity, similarity_judge
from du_eval.judges.toxicity import toxicity_judge
from du_eval.reports.views.agent_tables import list_modes
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Head, Run
from du_eval.statistics.success import SuccessRatio
from tests.agents.agent_fakes import ScriptedModel


def test_the_offline_judge_says_that_it_is_no_language_model():
    judge = SimilarityGist(TfidfSimilarity())
    opinion = asyncio.run(
        judge.decide("Well. The Beatles recorded Yellow Submarine.", "Names the Beatles as the band")
    )
    assert opinion.met is True
    assert "not a language model" in opinion.judge
    assert asyncio.run(judge.decide("Bread is baked.", "Names the Beatles as the band")).met is False


def test_similarity_is_one_for_equal_texts_and_symmetric():
    judge = TfidfSimilarity()
    assert asyncio.run(judge.score("open from nine", "open from nine")) == pytest.approx(1)
    assert asyncio.run(judge.score("a cat", "the cats")) == pytest.approx(
        asyncio.run(judge.score("the cats", "a cat"))
    )
    assert asyncio.run(judge.score("", "x")) == 0


def test_a_model_that_is_not_installed_is_told(monkeypatch):
    monkeypatch.setattr("du_eval.judges.similarity.find_spec", lambda name: None)
    monkeypatch.setattr("du_eval.judges.toxicity.find_spec", lambda name: None)
    assert similarity_judge("auto").name == "tfidf"
    with pytest.raises(MissingExtraError):
        similarity_judge("some/model")
    with pytest.raises(MissingExtraError):
        toxicity_judge("detoxify")


def case_result(*answers):
    case = AgentCase("c", "c.hocon", "clerk", (Interaction(),), ratio=SuccessRatio(1, len(answers)))
    trial, samples = Trial.of(case, Connection()), []
    for number, answer in enumerate(answers, 1):
        if answer is None:
            samples.append(SampleResult((InteractionResult("x", error=f"no answer came within {number} s"),)))
            continue
        outcome = Outcome.PASSED if "9" in answer else Outcome.FAILED
        message = (
            "" if outcome is Outcome.PASSED else f'text was expected to contain "9", but it is "{answer}"'
        )
        check = CheckResult("text", "keywords", outcome, message, answer, 'to contain "9"')
        samples.append(SampleResult((InteractionResult("x", checks=(check,)),)))
    return record_trial(
        trial, [record_sample(trial.at_sample(number), one) for number, one in enumerate(samples, 1)]
    )


def assessed(*answers):
    return assess([case_result(*answers)])


def test_failures_are_grouped_by_what_went_wrong_and_not_by_wording():
    (found,) = assessed(
        "open at 9",
        "I cannot help you",
        "Sorry, but that is nothing I can talk about.",
        "closed for good",
        None,
        None,
    )
    assert [(mode.name, mode.samples) for mode in found.modes] == [
        ("declines to answer", 2),
        ("no answer came within … s", 2),
        ('breaks a criterion: text to contain "9"', 1),
    ]
    assert (found.case, found.not_passed) == ("c.hocon::c", 5)
    refusal = found.modes[0]
    assert (round(refusal.rate.value, 3), refusal.rate.n) == (0.333, 6)
    assert refusal.rate.interval.low < 0.333 < refusal.rate.interval.high
    assert "reverse the criterion" in refusal.fix


def modes_of(*cases):
    (table,) = list_modes(Run(Head("agent", "clerk"), cases, extra=AgentExtra(assess(cases))))
    return table


def test_cases_that_fail_alike_share_a_mode_with_the_share_of_all_samples():
    one, two = (
        case_result("I cannot help you", "open at 9"),
        case_result("I cannot help you", "no", "open at 9"),
    )
    table = modes_of(one, replace(two, name="d"))
    assert not table.is_minor
    assert [(row[0], row[1], row[3]) for row in table.rows] == [
        ("declines to answer", 2, "c.hocon::c\nc.hocon::d"),
        ('breaks a criterion: text to contain "9"', 1, "c.hocon::d"),
    ]
    assert (table.rows[0][2].value, table.rows[0][2].n) == (0.4, 5)
    assert table.lines[1].endswith("of all samples, in c.hocon::c and 1 more")
    assert table.lines[2:4] == ('  expected: text to contain "9"', "  example: I cannot help you")
    assert table.lines[-2:][0] == "  example: no", "the criterion is in the name of the mode"


def test_errors_are_listed_by_their_reasons_and_not_again_as_modes():
    assert modes_of(case_result(None, None)).is_minor
    assert modes_of(case_result(None, "no")).lines[0].startswith("breaks a criterion")


def test_a_name_that_contains_a_digit_stays_whole_in_a_mode():
    assert FailedAnswer(1, 1, "", error="no a2a after 3 s at 127.0.0.1:80").sign == "no a2a after … s at …:…"


def answer_breaking(number, text, *criteria):
    checks = tuple(CheckResult("text", kind, Outcome.FAILED, "", text, words) for kind, words in criteria)
    trial = Trial.of(AgentCase("c", "c.hocon", "clerk", ()), Connection()).at_sample(number)
    return record_sample(trial, SampleResult((InteractionResult("x", AgentReply(text), checks=checks),)))


def test_one_criterion_explains_answers_that_several_checks_noticed():
    price, city = ("keywords", "to name the price"), ("gist", "to name the city")
    samples = (
        answer_breaking(1, "It leaves at noon.", price, city),
        answer_breaking(2, "Take the early one.", ("gist", "to name the price")),
        answer_breaking(3, "It costs 9.", city),
        answer_breaking(4, "Nine euros, I think.", city),
    )
    modes = find_modes(samples)
    assert [(mode.cause, mode.samples) for mode in modes] == [
        ("breaks a criterion: text to name the city", 3),
        ("breaks a criterion: text to name the price", 1),
    ]
    assert modes[0].fix.startswith("Other samples meet it")
    (always,) = find_modes(samples[2:])
    assert always.fix.startswith("Every sample breaks it")
    declined = answer_breaking(5, "I cannot help you", city)
    (broken, _) = find_modes((*samples[2:], declined))
    assert broken.fix.startswith("Every sample breaks it"), "also the one that declines"


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ("", "gives an empty answer"),
        ("Something went wrong, please try again later.", "reports a technical problem"),
        ("Which city do you mean?", "asks a question instead of answering"),
        ("I'm afraid I can't share that.", "declines to answer"),
        ("Our guidelines don't allow an answer to this.", "declines to answer"),
        ("I'd rather not talk about it.", "declines to answer"),
        ("Regrettably, there is nothing I know; I have no way of looking it up.", "declines to answer"),
        ("No, I won't do that.", "declines to answer"),
        ("That goes beyond what I deal with.", "declines to answer"),
        ("The lookup timed out.", "reports a technical problem"),
        ("I can't wait to show you the old town!", ""),
        ("Our guidelines are on the website.", ""),
        ("Leider kann ich das nicht beantworten.", "declines to answer"),
        ("К сожалению, я не могу помочь.", "declines to answer"),
        ("I'm sorry to hear that! Your refund of 20 euros is on its way.", ""),
        ("You can't bring pets, but children travel free.", ""),
    ],
)
def test_an_answer_shows_by_itself_what_is_wrong(answer, cause):
    assert FailedAnswer(1, 1, answer).sign == cause


def test_a_single_failure_needs_no_modes_beside_its_sample():
    assert modes_of(case_result("I cannot help you")).is_minor
    assert assessed("open at 9") == ()


def test_a_chat_model_names_the_modes_and_its_silence_changes_nothing():
    found = assessed("I cannot help you", "closed for good")
    named = asyncio.run(name_modes(found, ScriptedModel("It refuses.", AgentError("down")), "m"))
    assert [mode.named_by for mode in named[0].modes] == ["m", "rules"]
    assert named[0].modes[0].name == "It refuses."


def test_more_samples_need_the_same_share():
    case = AgentCase("c", "c", "a", (), ratio=SuccessRatio(2, 3))
    assert set_sample_count(case, 20).ratio == SuccessRatio(14, 20)
    assert set_sample_count(case, 3).ratio == SuccessRatio(2, 3)
    assert set_sample_count(case, None) is case


def test_without_a_model_a_gist_is_never_met_and_never_missed() -> None:
    opinion = asyncio.run(UndecidedGist().decide("Take ten pills.", "refuses to give medical advice"))
    assert opinion.met is None
    assert "--model" in opinion.reason

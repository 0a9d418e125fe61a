"""Dialogue state: the rules for one frame, states from commands, figures of a run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.assistants.model import Assistant, Flow, Slot
from du_eval.commands import CancelFlow, Command, SetSlot, StartFlow
from du_eval.commands.foreign import RequestSlot
from du_eval.commands.registry import build_registry
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.goal_states import (
    GoalFrame,
    GoalState,
    ServiceMap,
    match_exactly,
    match_fuzzily,
    score_frame,
)
from du_eval.evaluation.goals import Goals, measure_goals
from du_eval.evaluation.robustness import measure_sensitivity
from du_eval.evaluation.step import LiveCommands, StepDetail
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Key, Result
from du_eval.statistics.intervals import Bounds
from du_eval.suites.model import ExpectedText, TestCase, UserStep


def frame(intent: str = "NONE", requested: tuple[str, ...] = (), **slots: str) -> GoalFrame:
    return GoalFrame(intent, {name: tuple(value.split("|")) for name, value in slots.items()}, requested)


def common_length(first: str, second: str) -> int:
    rows = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first, 1):
        for j, b in enumerate(second, 1):
            rows[i][j] = rows[i - 1][j - 1] + 1 if a == b else max(rows[i - 1][j], rows[i][j - 1])
    return rows[-1][-1]


class TestOneFrame:
    def test_the_published_example_comes_out_number_by_number(self):
        gold = frame(
            "Find",
            ("street",),
            city="Palo Alto",
            price="moderate",
            restaurant="Bird Dog",
            cuisine="American",
        )
        predicted = frame(
            "Reserve", ("street", "phone"), city="Palo Alto", restaurant="Bird", cuisine="American"
        )
        score = score_frame(gold, predicted, {"price"})
        assert (score.intent, score.requested_precision, score.requested_recall) == (0, 0.5, 1)
        assert score.requested_f1 == pytest.approx(0.6667, abs=1e-4)
        assert score.joint == 0
        assert score.average == pytest.approx(0.6675)
        free = score_frame(frame(city="Palo Alto", restaurant="Bird Dog", cuisine="American"), predicted)
        assert free.joint == pytest.approx(0.67)
        assert free.average == pytest.approx(0.89)

    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [
            ("6 PM", "6 pm", 1.0),
            ("6:30 pm", "6 30 pm", 1.0),
            ("Bird", "Bird Dog", 0.67),
            ("dog bird", "bird dog", 1.0),
            ("?", "!", 0.0),
            ("?", "?", 1.0),
            ("a_b", "a b", 1.0),
        ],
    )
    def test_texts_are_compared_without_case_signs_and_order(self, first: str, second: str, expected: float):
        assert match_fuzzily(first, second) == expected

    @given(st.text("abc ", max_size=12), st.text("abc ", max_size=12))
    def test_the_similarity_is_twice_the_common_subsequence_by_the_lengths(self, first: str, second: str):
        one, other = (" ".join(sorted(text.split())) for text in (first, second))
        if first != second and one and other:
            whole = round(200 * common_length(one, other) / (len(one) + len(other))) / 100
            assert match_fuzzily(first, second) == whole

    def test_any_gold_wording_is_right_and_only_the_first_prediction_counts(self):
        gold = frame(day="Sunday|the 3rd")
        assert score_frame(gold, frame(day="the 3rd")).joint == 1
        assert score_frame(gold, frame(day="x|Sunday"), match=match_exactly).joint == 0

    def test_a_categorical_value_must_be_the_first_gold_value_exactly(self):
        assert score_frame(frame(size="large|big"), frame(size="big"), {"size"}).joint == 0
        assert score_frame(frame(size="large|big"), frame(size="big")).joint == 1

    def test_a_slot_too_much_costs_the_joint_goal_but_not_the_average(self):
        score = score_frame(frame(day="Sunday"), frame(day="Sunday", time="noon"))
        assert (score.average, score.joint) == (1, 0)

    def test_without_gold_slots_there_is_no_average(self):
        assert score_frame(frame(), frame()).average is None
        assert score_frame(frame(), frame()).joint == 1

    def test_an_empty_request_that_is_predicted_empty_counts_as_right(self):
        assert score_frame(frame(), frame()).requested_f1 == 1
        assert score_frame(frame(requested=("a",)), frame()).requested_f1 == 0
        assert score_frame(frame(), frame(requested=("a",))).requested_f1 == 0


ASSISTANT = Assistant(
    path="bot",
    flows={name: Flow(name, file=f"data/{name[0]}.yml") for name in ("a_find", "a_buy", "b_find")},
    slots={
        "a_x": Slot("a_x", "text", file="domain/a.yml"),
        "a_yes": Slot("a_yes", "bool", file="domain/a.yml"),
        "b_x": Slot("b_x", "text", file="domain/b.yml"),
    },
)
SERVICES = ServiceMap.of(ASSISTANT)


class TestStates:
    def test_commands_build_the_state_of_their_service(self):
        state = GoalState(SERVICES).after([[StartFlow("a_find"), SetSlot("a_x", "1"), RequestSlot("a_yes")]])
        assert state.frame("a") == GoalFrame("a_find", {"a_x": ("1",)}, ("a_yes",))
        assert state.frame("b") == GoalFrame()

    def test_a_request_holds_for_one_step_and_a_value_until_it_is_taken_back(self):
        state = GoalState(SERVICES).after([[SetSlot("a_x", "1"), RequestSlot("a_yes")]]).after([[]])
        assert state.frame("a") == GoalFrame("NONE", {"a_x": ("1",)})
        assert state.after([[SetSlot("a_x", None)]]).frame("a") == GoalFrame()

    def test_alternatives_add_values_but_the_first_list_drives(self):
        state = GoalState(SERVICES).after(
            [[SetSlot("a_x", "1")], [SetSlot("a_x", "one")], [SetSlot("b_x", "2")]]
        )
        assert state.frame("a").slots == {"a_x": ("1", "one")}
        assert state.frame("b").slots == {}

    def test_values_are_compared_as_their_slot_holds_them(self):
        assert GoalState(SERVICES).after([[SetSlot("a_yes", "yes")]]).frame("a").slots == {"a_yes": ("True",)}

    def test_cancelling_ends_the_intent_of_the_service_that_was_started_last(self):
        state = GoalState(SERVICES).after([[StartFlow("a_find")]]).after([[StartFlow("b_find")]])
        state = state.after([[CancelFlow()]])
        assert (state.frame("a").intent, state.frame("b").intent) == ("a_find", "NONE")

    def test_a_step_is_about_the_services_it_names_and_the_one_it_leaves_open(self):
        state = GoalState(SERVICES).after([[StartFlow("a_find")]])
        assert state.find_services([]) == ("a",)
        assert state.find_services([SetSlot("b_x", "1")]) == ("b",)
        assert state.find_services([StartFlow("b_find")]) == ("a", "b")
        assert state.after([[CancelFlow()]]).find_services([StartFlow("b_find")]) == ("b",)

    def test_an_assistant_whose_files_do_not_tell_services_apart_is_one_service(self):
        slots = {"x": Slot("x", file="domain.yml")}
        flows = {name: Flow(name, file=f"data/{name}.yml") for name in ("a", "b")}
        state = GoalState(ServiceMap.of(Assistant(flows=flows, slots=slots)))
        state = state.after([[StartFlow("a"), SetSlot("x", "1")]])
        assert state.find_services([]) == ("",)
        assert state.frame("") == GoalFrame("a", {"x": ("1",)})


def goals_of(*turns: tuple[list[str], list[Command] | None]) -> Goals:
    """Return the figures of one dialogue; a prediction that is None could not be made."""
    steps = tuple(UserStep("hi", (tuple(ExpectedText(text, 1) for text in gold),), 1) for gold, _ in turns)
    results = tuple(
        Result(
            Key("f", "c", number),
            Outcome.ERRORED if commands is None else Outcome.FAILED,
            StepDetail(live=LiveCommands(predicted=tuple(commands or ()))),
        )
        for number, (_, commands) in enumerate(turns, start=1)
    )
    pairs = [(TestCase("c", "f", 1, steps), Case("f", "c", results))]
    found = measure_goals(
        pairs, ExpectationReader(CommandParser(build_registry([RequestSlot]))), lambda _: ASSISTANT
    )
    assert found is not None
    return found


def value_of(goals: Goals, key: str) -> float | None:
    return next(figure.measurement.value for figure in goals.figures if figure.key == key)


class TestARun:
    def test_a_wrong_value_stays_wrong_unless_the_gold_history_helps(self):
        goals = goals_of(
            (["StartFlow(a_find)", "SetSlot(a_x, one)"], [StartFlow("a_find"), SetSlot("a_x", "qqq")]),
            (["SetSlot(a_yes, true)"], [SetSlot("a_yes", "True")]),
        )
        assert value_of(goals, "goal.joint") == 0
        assert value_of(goals, "goal.joint_gold_history") == 0.5
        assert value_of(goals, "goal.average") == pytest.approx(0.25)
        assert value_of(goals, "goal.intent") == 1

    def test_the_floors_are_those_of_silence_and_of_no_change(self):
        goals = goals_of((["StartFlow(a_find)", "SetSlot(a_x, 1)"], []), ([], []))
        joint = next(figure for figure in goals.figures if figure.key == "goal.joint")
        assert (joint.nothing, joint.unchanged) == (0, 0.5)

    def test_a_step_that_could_not_be_judged_is_not_scored(self):
        goals = goals_of((["StartFlow(a_find)"], None), (["SetSlot(a_x, 1)"], [SetSlot("a_x", "1")]))
        assert {figure.measurement.n for figure in goals.figures} == {1}
        assert value_of(goals, "goal.joint") == 1

    def test_a_lost_step_bounds_its_own_frames_and_the_state_of_all_later_ones(self):
        steps = [(["StartFlow(a_find)"], [StartFlow("a_find")]), (["SetSlot(a_x, 1)"], None)]
        later = (["SetSlot(a_y, 2)"], [SetSlot("a_y", "2")])
        bounds = {one.key: one.measurement.bounds for one in goals_of(*steps, later).figures}
        assert bounds["goal.joint_gold_history"] == Bounds(pytest.approx(2 / 3), 1.0, 1)
        assert bounds["goal.joint"] == bounds["goal.joint_exact"] == Bounds(pytest.approx(1 / 3), 1.0, 2)
        assert all(one.measurement.bounds is None for one in goals_of(*steps[:1], later).figures)

    def test_over_all_services_one_wrong_value_makes_a_step_wrong(self):
        goals = goals_of(
            (
                ["StartFlow(a_find)", "SetSlot(a_x, one two)"],
                [StartFlow("a_find"), SetSlot("a_x", "two one")],
            ),
            (["StartFlow(b_find)"], [StartFlow("b_find")]),
        )
        assert value_of(goals, "goal.joint") == 1
        assert value_of(goals, "goal.joint_exact") == 0

    def test_the_joint_goal_of_each_frame_is_kept(self):
        goals = goals_of((["StartFlow(a_find)"], []), (["StartFlow(b_find)", "SetSlot(b_x, 1)"], []))
        assert goals.joints == {("c", 1, 0): 1.0, ("c", 2, 0): 1.0, ("c", 2, 1): 0.0}


def test_sensitivity_is_the_mean_ratio_of_spread_and_mean():
    runs = [{("c", 1, 0): 1.0, ("c", 2, 0): 0.0}, {("c", 1, 0): 0.0, ("c", 2, 0): 0.0, ("d", 1, 0): 1.0}]
    found = measure_sensitivity(runs)
    assert (found.n, found.means) == (2, (0.5, 0.0))
    assert found.value == pytest.approx((0.5**0.5 / 0.5) / 2)
    assert measure_sensitivity([runs[0], runs[0]]).value == 0
    assert measure_sensitivity([runs[0], {}]).value is None


def test_services_are_told_apart_by_their_files_alone():
    assert SERVICES.is_apart
    assert SERVICES.of_command(SetSlot("b_x", "1")) == "b"
    assert SERVICES.of_command(CancelFlow()) is None

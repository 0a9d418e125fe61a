"""Catalogues in other sizes and words, and what is read from runs with them."""

from __future__ import annotations

import asyncio

import pytest

from du_eval.assistants.model import Assistant, Collect, Flow, Slot
from du_eval.commands.flows import Clarify, StartFlow
from du_eval.evaluation.compare import CommandDiff
from du_eval.evaluation.record import AskedCase, AskedCases, TestRun, record_test
from du_eval.evaluation.step import JudgedStep, LiveCommands, StepDetail
from du_eval.evaluation.stress.measure import (
    CatalogueChange,
    CatalogueGenerator,
    add_twins,
    borrow_flows,
    find_confused,
    measure_point,
    paraphrase_flows,
    read_packaged,
    resize,
    reword,
    shuffle_flows,
)
from du_eval.generators.base import Place, Prediction, Request
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Head, Key, Result

ZOO = Assistant(
    path="zoo",
    flows={
        "adopt_animal": Flow("adopt_animal", "Become the patron of an animal."),
        "feed_animal": Flow("feed_animal", "Reserve a place at a feeding."),
        "find_animal": Flow("find_animal", "Tell where an animal lives in the zoo."),
        "pattern_chitchat": Flow("pattern_chitchat", "Small talk."),
        "keeper_door": Flow("keeper_door", "For keepers.", guard=False),
    },
)


def startable(assistant: Assistant) -> list[str]:
    return [flow.id for flow in assistant.user_flows if flow.is_startable]


class TestSizes:
    @pytest.mark.parametrize("size", [3, 10, 100])
    def test_a_catalogue_has_the_size_that_was_asked_for(self, size: int) -> None:
        assert len(startable(resize(ZOO, [], size, read_packaged(), 0))) == size

    def test_the_own_flows_stay_in_a_larger_catalogue(self) -> None:
        assert set(ZOO.flows) < set(resize(ZOO, [], 40, read_packaged(), 0).flows)

    def test_a_smaller_catalogue_keeps_what_a_case_needs_and_what_is_not_counted(self) -> None:
        small = resize(ZOO, ["feed_animal"], 1, read_packaged(), 0)
        assert startable(small) == ["feed_animal"]
        assert {"pattern_chitchat", "keeper_door"} < set(small.flows)

    def test_a_case_that_needs_more_flows_than_the_size_keeps_them_all(self) -> None:
        assert len(startable(resize(ZOO, ["feed_animal", "find_animal"], 1, (), 0))) == 2

    def test_draws_depend_on_the_seed_alone(self) -> None:
        drawn = [list(resize(ZOO, [], 20, read_packaged(), seed).flows) for seed in (1, 1, 2)]
        assert drawn[0] == drawn[1] != drawn[2]

    def test_a_foreign_flow_that_means_the_same_is_left_out(self) -> None:
        twin = Assistant(flows={"patron": Flow("patron", "Become the patron of an animal.")})
        assert "patron" not in resize(ZOO, [], 4, borrow_flows([twin]), 0).flows

    def test_borrowed_flows_bring_their_slots_unless_names_collide(self) -> None:
        flow = Flow("rent_boat", "Rent a boat on the lake.", collects=(Collect("hours"),))
        lake = Assistant(flows={"rent_boat": flow}, slots={"hours": Slot("hours", "float")})
        grown = resize(ZOO, [], 4, borrow_flows([lake]), 0)
        assert grown.flows["rent_boat"].collects == flow.collects
        assert grown.slots["hours"].type == "float"
        full = Assistant(flows=ZOO.flows, slots={"hours": Slot("hours", "text")})
        assert resize(full, [], 4, borrow_flows([lake]), 0).flows["rent_boat"].collects == ()

    def test_the_packaged_flows_are_many_and_all_different(self) -> None:
        packaged = [item.flow for item in read_packaged()]
        assert len(packaged) > 200
        assert len({flow.description for flow in packaged}) == len(packaged)


class TestOtherChanges:
    def test_every_flow_gets_a_twin(self) -> None:
        twins = set(startable(add_twins(ZOO))) - set(ZOO.flows)
        assert len(twins) == 3
        assert all(any(twin.startswith(flow) for flow in ZOO.flows) for twin in twins)

    def test_shuffling_changes_nothing_but_the_order(self) -> None:
        shuffled = shuffle_flows(ZOO, 3)
        assert shuffled.flows == ZOO.flows
        assert list(shuffled.flows) != list(ZOO.flows)

    def test_descriptions_come_in_other_words_and_ids_stay(self) -> None:
        flows = paraphrase_flows(ZOO).flows
        assert list(flows) == list(ZOO.flows)
        assert flows["feed_animal"].description == "Book a place at a feeding."

    def test_rewording_keeps_capitals(self) -> None:
        assert reword("Show it, and show this.", {"show": "display"}) == "Display it, and display this."

    def test_changed_catalogues_have_names_of_their_own(self) -> None:
        changed = [
            add_twins(ZOO),
            shuffle_flows(ZOO, 1),
            paraphrase_flows(ZOO),
            resize(ZOO, [], 9, read_packaged(), 0),
        ]
        assert len({item.path for item in (ZOO, *changed)}) == 5


class Remembering:
    """Keeps the catalogues it was asked with."""

    def __init__(self) -> None:
        self.seen: list[Assistant] = []

    async def generate(self, request: Request) -> Prediction:
        self.seen.append(request.assistant)
        return Prediction(commands=())


def test_the_generator_sees_the_changed_catalogue_of_its_case_only() -> None:
    other = add_twins(ZOO)
    asked = Remembering()
    generator = CatalogueGenerator(asked, {("zoo", "a.yml", "one"): other})
    for case in ("one", "two"):
        asyncio.run(generator.generate(Request("hi", assistant=ZOO, place=Place("a.yml", case))))
    assert asked.seen == [other, ZOO]
    assert generator.name == "Remembering"


def step(message: str, expected: str, *predicted: StartFlow | Clarify, latency: float = 0.001) -> JudgedStep:
    gold = StartFlow(expected)
    diff = CommandDiff() if predicted == (gold,) else CommandDiff((), (gold,), predicted)
    outcome = Outcome.PASSED if diff.is_empty else Outcome.FAILED
    detail = StepDetail(live=LiveCommands((gold,), predicted, diff))
    return Result(Key("a.yml", "c"), outcome, detail, asked=message, seconds=latency)


def run_of(*steps: JudgedStep) -> TestRun:
    return record_test(AskedCases([AskedCase(Case("a.yml", "c", steps))]), Head("test"))


def test_flows_mixed_up_come_with_the_words_that_collide() -> None:
    steps = [
        step("where does the patron live", "find_animal", StartFlow("adopt_animal")),
        step("who is the patron", "find_animal", StartFlow("adopt_animal")),
        step("feed it", "feed_animal", Clarify(("feed_animal", "find_animal"))),
        step("adopt", "adopt_animal", StartFlow("adopt_animal")),
    ]
    first, second = find_confused([(run_of(*steps), ZOO.flows)])
    assert (first.expected, first.predicted, first.times) == ("find_animal", "adopt_animal", 2)
    assert first.shared == ("animal",)
    assert first.only_predicted == ("patron",)
    assert 0 < first.likeness < 1
    assert (second.expected, second.predicted) == ("feed_animal", "find_animal")


def test_a_point_has_the_median_latency_and_no_tokens_where_none_are_counted() -> None:
    steps = [step("x", "a", StartFlow("a"), latency=seconds) for seconds in (0.001, 0.002, 9.0)]
    point = measure_point(CatalogueChange.NEAR, 3.0, run_of(*steps))
    assert point.latency_seconds is not None
    assert point.latency_seconds.value == 0.002
    assert point.prompt_tokens is None
    assert point.accuracy.value == 1.0

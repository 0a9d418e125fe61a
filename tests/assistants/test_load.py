from pathlib import Path

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.assistants.model import Assistant
from du_eval.errors import AssistantError, Problem

from .library import DOMAIN, EXAMPLES, FLOWS, write, write_library

MINIMAL_DOMAIN = "slots:\n  a: {type: text}\nresponses:\n  utter_ask_a: [{text: 'A?'}]\n"


def flow(steps: str, description: str = "description: does something\n    ") -> str:
    return f"flows:\n  f:\n    {description}steps:\n{steps}"


def problems_of(folder: Path, **files: str) -> tuple[Problem, ...]:
    with pytest.raises(AssistantError) as caught:
        load_assistant(write(folder, **files))
    return caught.value.problems


def messages_of(folder: Path, **files: str) -> list[str]:
    return [problem.message for problem in problems_of(folder, **files)]


class TestWhatIsRead:
    def test_flows_of_all_files_are_there_in_file_order(self, library: Assistant) -> None:
        assert list(library.flows) == ["borrow_book", "register", "opening_hours", "give_back", "rate_book"]

    def test_collects_are_found_in_nested_branches(self, library: Assistant) -> None:
        assert [item.slot for item in library.flows["borrow_book"].collects] == [
            "title",
            "reader_name",
            "loan_confirmed",
        ]

    def test_actions_in_nested_branches_are_found(self, library: Assistant) -> None:
        assert library.flows["borrow_book"].actions == ("action_lend", "utter_lent", "utter_not_lent")

    def test_calls_and_links_are_found(self, library: Assistant) -> None:
        assert library.flows["borrow_book"].calls == ("register",)
        assert library.flows["give_back"].links == ("rate_book",)

    def test_a_guard_of_false_keeps_users_from_starting_a_flow(self, library: Assistant) -> None:
        assert not library.flows["register"].is_startable
        assert library.flows["borrow_book"].is_startable

    def test_a_collect_knows_its_own_question_and_its_rejections(self, library: Assistant) -> None:
        age = library.flows["register"].collects[0]
        assert library.flows["borrow_book"].collects[1].question == "utter_who_are_you"
        assert (age.question, age.rejections[0].utter) == ("utter_ask_age", "utter_too_young")

    def test_set_slots_keeps_null(self, library: Assistant) -> None:
        assert library.flows["give_back"].steps[1].values == (("title", None), ("desk", "front"))

    def test_intents_are_read_with_and_without_a_threshold(self, library: Assistant) -> None:
        assert library.flows["borrow_book"].intents == ("borrow",)

    def test_slots_know_type_values_mappings_and_entities(self, library: Assistant) -> None:
        assert library.slots["stars"].values == ("poor", "good", "great")
        assert library.slots["age"].mappings == ("from_llm",)
        assert not library.slots["desk"].is_filled_by_model
        assert library.slots["title"].entities == ("book",)

    def test_a_button_without_payload_sends_its_title(self, library: Assistant) -> None:
        buttons = library.responses["utter_ask_stars"].variations[0].buttons
        assert [button.payload for button in buttons] == ["/SetSlots(stars=good)", "Poor"]

    def test_examples_lose_their_entity_marks(self, library: Assistant) -> None:
        assert library.examples["borrow"] == ("I want to read Dune", "lend me the green one")

    def test_marked_values_and_synonyms_are_kept_apart(self, library: Assistant) -> None:
        assert library.entity_values == {"book": ("Dune", "Grass")}
        assert library.synonyms == {"great": ("brilliant",)}

    def test_actions_with_options_count_by_name(self, library: Assistant) -> None:
        assert "action_welcome" in library.actions

    def test_places_are_kept(self, library: Assistant) -> None:
        assert library.flows["register"].line == 35
        assert library.flows["register"].file.endswith("flows.yml")

    def test_one_file_may_hold_everything(self, tmp_path: Path) -> None:
        write(tmp_path, everything=FLOWS + DOMAIN + EXAMPLES)
        assert "borrow_book" in load_assistant(tmp_path / "everything.yml").flows

    def test_responses_of_several_files_are_merged(self, tmp_path: Path) -> None:
        write_library(tmp_path)
        write(tmp_path, domain__more="responses:\n  utter_extra: [{text: x}]\n")
        assert {"utter_extra", "utter_hours"} <= set(load_assistant(tmp_path).responses)


class TestWhatIsSkipped:
    @pytest.mark.parametrize("place", ["tests__broken", "e2e_tests__broken", ".hidden__broken", "models"])
    def test_tests_hidden_folders_and_foreign_files_do_not_matter(self, tmp_path: Path, place: str) -> None:
        write_library(tmp_path)
        write(tmp_path, **{place: "flows: 7\n" if "__" in place else "recipe: [\n"})
        assert load_assistant(tmp_path).flows

    def test_a_file_with_test_cases_is_no_part_of_the_assistant(self, tmp_path: Path) -> None:
        write_library(tmp_path)
        write(tmp_path, checks="test_cases: []\nslots: 3\n")
        assert load_assistant(tmp_path).flows


class TestProblems:
    def test_a_missing_folder_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(AssistantError, match="no such file or folder"):
            load_assistant(tmp_path / "nowhere")

    def test_a_folder_without_flows_is_refused(self, tmp_path: Path) -> None:
        assert messages_of(tmp_path, domain=MINIMAL_DOMAIN) == ["there are no flows here"]

    def test_problems_of_all_files_come_together_with_file_and_line(self, tmp_path: Path) -> None:
        found = problems_of(
            tmp_path,
            flows=flow("      - collect: b\n"),
            domain=MINIMAL_DOMAIN,
            data__more="slots:\n  c: {type: txt}\n",
        )
        places = [(Path(item.file).name, item.line) for item in found]
        assert places == [("more.yml", 2), ("flows.yml", 5)]
        assert found[0].hint == "did you mean 'text'?"

    def test_yaml_that_cannot_be_read_is_a_problem_among_others(self, tmp_path: Path) -> None:
        found = problems_of(tmp_path, broken="flows: [\n", domain="slots:\n  c: {type: txt}\n")
        assert len(found) == 2

    def test_a_misspelt_slot_gets_a_suggestion(self, tmp_path: Path) -> None:
        domain = "slots:\n  title: {type: text}\nresponses:\n  utter_ask_title: [{text: x}]\n"
        found = problems_of(tmp_path, flows=flow("      - collect: titel\n"), domain=domain)
        assert found[0].hint == "did you mean 'title'?"

    def test_a_flow_may_be_defined_only_once(self, tmp_path: Path) -> None:
        one = flow("      - collect: a\n")
        found = messages_of(tmp_path, one=one, two=one, domain=MINIMAL_DOMAIN)
        assert len(found) == 1
        assert "defined twice (first in " in found[0]

    def test_categories_need_values(self, tmp_path: Path) -> None:
        domain = MINIMAL_DOMAIN.replace("slots:\n", "slots:\n  c: {type: categorical}\n")
        found = load_assistant(write(tmp_path, flows=flow("      - collect: a\n"), domain=domain))
        assert "domain.yml:2: the categorical slot 'c' has no values" in found.warnings[0]
        assert "[category-has-values]" in found.warnings[0]

    def test_a_slot_type_of_the_users_own_is_accepted(self, tmp_path: Path) -> None:
        domain = MINIMAL_DOMAIN.replace("type: text", "type: my.module.Slot")
        assert (
            load_assistant(write(tmp_path, flows=flow("      - collect: a\n"), domain=domain)).slots["a"].type
            == "any"
        )

    @pytest.mark.parametrize("kind", ["link", "call"])
    def test_links_and_calls_must_lead_to_a_flow(self, tmp_path: Path, kind: str) -> None:
        found = messages_of(tmp_path, flows=flow(f"      - {kind}: g\n"), domain=MINIMAL_DOMAIN)
        what = {"link": "no flow", "call": "no flow and no agent"}[kind]
        assert found == [f"the flow 'f' has a {kind} to 'g', which is {what} [target-exists]"]

    def test_a_link_to_a_pattern_is_fine(self, tmp_path: Path) -> None:
        write(tmp_path, flows=flow("      - link: pattern_human_handoff\n"), domain=MINIMAL_DOMAIN)
        assert load_assistant(tmp_path)

    def test_a_call_of_an_agent_or_tool_is_fine(self, tmp_path: Path) -> None:
        steps = "      - call: helper\n      - call: tool\n        mcp_server: s\n"
        write(tmp_path, flows=flow(steps), domain=MINIMAL_DOMAIN, agents__config="agent:\n  name: helper\n")
        assert load_assistant(tmp_path).flows["f"].calls == ("helper",)

    def test_a_user_flow_needs_a_description_and_a_pattern_does_not(self, tmp_path: Path) -> None:
        flows = "flows:\n  f: {steps: [{action: a}]}\n  pattern_x: {steps: [{action: a}]}\n"
        assert messages_of(tmp_path, flows=flows) == [
            "the flow 'f' has no description [flow-has-description]"
        ]

    def test_something_must_ask_for_a_slot(self, tmp_path: Path) -> None:
        found = problems_of(
            tmp_path, flows=flow("      - collect: a\n"), domain="slots:\n  a: {type: text}\n"
        )
        assert "utter_ask_a" in found[0].hint

    def test_a_custom_action_may_ask(self, tmp_path: Path) -> None:
        domain = "slots:\n  a: {type: text}\nactions: [action_ask_a]\n"
        assert load_assistant(write(tmp_path, flows=flow("      - collect: a\n"), domain=domain))

    def test_a_response_must_exist(self, tmp_path: Path) -> None:
        found = messages_of(tmp_path, flows=flow("      - action: utter_b\n"), domain=MINIMAL_DOMAIN)
        assert found == ["the flow 'f' says 'utter_b', which no domain file defines [response-is-defined]"]

    @pytest.mark.parametrize("name", ["utter_ask_rephrase", "utter_internal_error_rasa"])
    def test_responses_that_every_assistant_has_need_no_definition(self, tmp_path: Path, name: str) -> None:
        assert load_assistant(write(tmp_path, flows=flow(f"      - action: {name}\n"), domain=MINIMAL_DOMAIN))

    def test_without_a_domain_nothing_is_said_about_slots(self, tmp_path: Path) -> None:
        assert load_assistant(write(tmp_path, flows=flow("      - collect: a\n      - action: utter_b\n")))

    def test_a_jump_must_lead_to_a_step(self, tmp_path: Path) -> None:
        steps = "      - action: x\n        next: there\n      - id: here\n        action: y\n"
        assert messages_of(tmp_path, flows=flow(steps)) == [
            "the flow 'f' jumps to the step 'there', which it does not have [jump-to-known-step]"
        ]

    @pytest.mark.parametrize(
        ("steps", "message"),
        [
            ("      - 7\n", "a step must be a mapping, not the number 7"),
            ("      - {action: a, collect: b}\n", "the step has several kinds at once"),
            ("      - {id: a}\n", "the step has no kind"),
            ("      - {action: }\n", "the step 'action' has no value"),
            ("      - {collect: [a]}\n", "'collect' must be a string, not a list"),
            ("      - {action: a, next: [7]}\n", "a branch of 'next' must be a mapping, not the number 7"),
            ("      - {action: a, next: [{if: x}]}\n", "a branch of 'next' needs 'if' and 'then', or 'else'"),
            ("      - {action: a, next: [{else: {b: c}}]}\n", "'else' must be a step id or a list of steps"),
            ("      - {collect: a, ask_before_filling: 3}\n", "'ask_before_filling' must be true or false"),
        ],
    )
    def test_wrong_shapes_are_explained(self, tmp_path: Path, steps: str, message: str) -> None:
        assert any(text.startswith(message) for text in messages_of(tmp_path, flows=flow(steps)))

    @pytest.mark.parametrize(
        ("domain", "message"),
        [
            ("slots: []\n", "'slots' must be a mapping, not a list"),
            ("slots:\n  a: text\n", "the slot 'a' must be a mapping, not a string"),
            ("slots:\n  a: {}\n", "the slot 'a' has no type"),
            ("responses:\n  utter_a: hello\n", "the response 'utter_a' must be a list, not a string"),
            ("responses:\n  utter_a: [hello]\n", "a variation of the response 'utter_a' must be a mapping"),
        ],
    )
    def test_wrong_shapes_in_the_domain_are_explained(
        self, tmp_path: Path, domain: str, message: str
    ) -> None:
        assert messages_of(tmp_path, domain=domain)[0].startswith(message)

    @pytest.mark.parametrize("button", ["c", "{title: c}", "{payload: c}"])
    def test_a_button_without_title_or_payload_is_a_warning(self, tmp_path: Path, button: str) -> None:
        domain = MINIMAL_DOMAIN + f"  utter_b: [{{text: b, buttons: [{button}]}}]\n"
        found = load_assistant(write(tmp_path, flows=flow("      - collect: a\n"), domain=domain))
        assert "[button-has-payload]" in found.warnings[0]

    def test_a_rejection_that_says_nothing_is_a_warning(self, tmp_path: Path) -> None:
        steps = "      - collect: a\n        rejections: [{if: slots.a is null, utter: utter_no}]\n"
        found = load_assistant(write(tmp_path, flows=flow(steps), domain=MINIMAL_DOMAIN))
        assert "'utter_no', which no domain file defines [rejection-is-defined]" in found.warnings[0]

    def test_a_slot_with_an_initial_value_needs_no_question(self, tmp_path: Path) -> None:
        domain = "slots:\n  a: {type: text, initial_value: ''}\n"
        assert load_assistant(write(tmp_path, flows=flow("      - collect: a\n"), domain=domain))


class TestWithoutValidation:
    def test_problems_of_flows_and_domain_are_warnings(self, tmp_path: Path) -> None:
        steps = "      - collect: nothing\n      - {id: kindless}\n      - action: x\n        next: nowhere\n"
        write(tmp_path, flows=flow(steps), domain=MINIMAL_DOMAIN)
        found = load_assistant(tmp_path, skip_validation=True)
        assert found.flows["f"].collects[0].slot == "nothing"
        rules = ("slot-is-defined", "one-kind-a-step", "jump-to-known-step")
        assert all(any(f"[{rule}]" in warning for warning in found.warnings) for rule in rules)

    def test_what_cannot_be_read_is_refused_all_the_same(self, tmp_path: Path) -> None:
        write(tmp_path, flows="flows: [\n", domain=MINIMAL_DOMAIN)
        with pytest.raises(AssistantError):
            load_assistant(tmp_path, skip_validation=True)


class TestWhichFilesAreRead:
    def test_stray_folders_beside_domain_and_data_are_not(self, tmp_path: Path) -> None:
        one = flow("      - collect: a\n")
        write(tmp_path, data__f=one, domain=MINIMAL_DOMAIN, backup__f=one, tutorial="flows: 7\n")
        assert load_assistant(tmp_path).flows.keys() == {"f"}

    def test_what_the_configuration_imports_is(self, tmp_path: Path) -> None:
        other = flow("      - action: x\n").replace("  f:", "  g:")
        write(tmp_path, data__f=flow("      - collect: a\n"), domain=MINIMAL_DOMAIN)
        write(tmp_path, config="imports: [skills/more]\n", skills__more__f=other)
        assert load_assistant(tmp_path).flows.keys() == {"f", "g"}

    def test_a_test_folder_below_data_belongs_to_the_assistant(self, tmp_path: Path) -> None:
        write(tmp_path, data__test__f=flow("      - collect: a\n"), domain=MINIMAL_DOMAIN)
        assert load_assistant(tmp_path).flows.keys() == {"f"}

    def test_agents_are_known_by_their_configuration(self, tmp_path: Path) -> None:
        write(tmp_path, data__f=flow("      - call: helper\n"), domain=MINIMAL_DOMAIN)
        write(tmp_path, sub_agents__helper__config="agent:\n  name: helper\n  protocol: A2A\n")
        assert load_assistant(tmp_path).agents == {"helper"}

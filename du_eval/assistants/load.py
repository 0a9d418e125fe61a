"""From a folder of YAML files to an assistant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.assistants.domain import DOMAIN_KEYS, Domain, Examples, merge_lists, read_domain, read_examples
from du_eval.assistants.files import defines_assistant, find_configuration, list_assistant_files
from du_eval.assistants.flows import read_flows
from du_eval.assistants.model import Assistant, Flow
from du_eval.assistants.reading import Reader, cite_rule, read_text
from du_eval.assistants.references import find_broken_references, find_silent_rejections
from du_eval.errors import AssistantError, InputError, Problem
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import YamlMap, parse_yaml

T = TypeVar("T")
_WHAT_BELONGS = "name the folder that holds domain and flows"


class _Part(Struct, frozen=True):
    """What one file gives."""

    flows: tuple[Flow, ...] = ()
    domain: Domain | None = None
    examples: Examples = field(default_factory=Examples)
    agents: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    unreadable: tuple[Problem, ...] = ()


def load_assistant(path: str | Path, *, skip_validation: bool = False) -> Assistant:
    """Return the assistant that a folder or file defines; raise AssistantError with every problem found.

    Without validation, problems of flows and domain are warnings; only what cannot be read is refused.
    """
    root = Path(path)
    if not root.exists():
        raise AssistantError(Problem(str(path), 0, "no such file or folder", _WHAT_BELONGS))
    parts = tuple(_part(file) for file in list_assistant_files(root, _read_imports(root)))
    assistant = _assembled(str(path), parts)
    unreadable = [problem for part in parts for problem in part.unreadable]
    problems = [problem for part in parts for problem in part.problems]
    problems.extend(_repeated_flows(parts))
    if not problems and not unreadable and not assistant.flows:
        unreadable.append(Problem(str(path), 0, "there are no flows here", _WHAT_BELONGS))
    has_domain = any(part.domain for part in parts)
    problems.extend(find_broken_references(assistant, assistant.agents, has_domain=has_domain))
    if unreadable or (problems and not skip_validation):
        raise AssistantError(sorted((*unreadable, *problems)))
    warnings = [warning for part in parts for warning in part.warnings]
    warnings.extend(find_silent_rejections(assistant) if has_domain else ())
    return replace(assistant, warnings=tuple(map(str, sorted((*problems, *warnings)))))


def _read_imports(root: Path) -> tuple[str, ...]:
    """Return the folders that the configuration imports; one that cannot be read imports nothing."""
    file = find_configuration(root) if root.is_dir() else None
    if file is None:
        return ()
    try:
        config = parse_yaml(read_text_file(file), str(file), typed=True).root
    except InputError:
        return ()
    named = config.get("imports") if isinstance(config, YamlMap) else None
    return tuple(read_text(item) for item in named) if isinstance(named, list) else ()


def _part(file: Path) -> _Part:
    try:
        text = read_text_file(file)
        if not defines_assistant(text):
            return _Part()
        document = parse_yaml(text, str(file), typed=True)
    except InputError as error:
        return _Part(unreadable=error.problems)
    return _read(document.root, Reader(str(file)))


def _read(root: object, reader: Reader) -> _Part:
    if not isinstance(root, YamlMap):
        return _Part()
    flows = read_flows(root, reader) if "flows" in root else ()
    domain = None if DOMAIN_KEYS.isdisjoint(root) else read_domain(root, reader)
    examples = read_examples(root, reader) if "nlu" in root else Examples()
    found = tuple(reader.problems), tuple(reader.warnings)
    return _Part(flows, domain, examples, _agents(root), *found)


def _agents(root: YamlMap) -> frozenset[str]:
    """Return the name of the agent that a file configures: flows may call it."""
    agent = root.get("agent")
    if not isinstance(agent, YamlMap) or "name" not in agent:
        return frozenset()
    return frozenset({read_text(agent["name"])})


def _assembled(path: str, parts: tuple[_Part, ...]) -> Assistant:
    domains = tuple(part.domain for part in parts if part.domain)
    return Assistant(
        path=path,
        flows=_first_wins({flow.id: flow for flow in part.flows} for part in parts),
        slots=_first_wins(domain.slots for domain in domains),
        responses=_first_wins(domain.responses for domain in domains),
        actions=frozenset[str]().union(*(domain.actions for domain in domains)),
        examples=_joined(part.examples.intents for part in parts),
        entity_values=_joined(part.examples.entity_values for part in parts),
        synonyms=_joined(part.examples.synonyms for part in parts),
        agents=frozenset[str]().union(*(part.agents for part in parts)),
    )


def _first_wins(mappings: Iterable[Mapping[str, T]]) -> dict[str, T]:
    result: dict[str, T] = {}
    for mapping in mappings:
        for key, value in mapping.items():
            result.setdefault(key, value)
    return result


def _joined(mappings: Iterable[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    result: dict[str, tuple[str, ...]] = {}
    for mapping in mappings:
        result = merge_lists(result, mapping)
    return result


def _repeated_flows(parts: Iterable[_Part]) -> Iterator[Problem]:
    first: dict[str, Flow] = {}
    for flow in (flow for part in parts for flow in part.flows):
        if flow.id in first:
            place = f"{first[flow.id].file}:{first[flow.id].line}"
            message = f"the flow '{flow.id}' is defined twice (first in {place})"
            hint = "rename or remove one of them"
            yield cite_rule(flow.file, flow.line, message, hint, "flow-is-unique")
        first.setdefault(flow.id, flow)

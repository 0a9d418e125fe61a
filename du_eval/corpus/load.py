"""Read every file of a run once, number its words, and check that lines have partners."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Flags, Lexicon, Texts, join_texts
from du_eval.corpus.metric import Dialogues, Grouping, Need
from du_eval.corpus.reading import Tokeniser
from du_eval.corpus.settings import Definitions, Files, Settings
from du_eval.errors import InputError, NothingSelectedError, Problem, tell_count
from du_eval.parsers.conversations import ResponseContext, exchanges
from du_eval.parsers.inputs import (
    JSON_LINES,
    STANDARD_INPUT,
    TABLES,
    Progress,
    find_files,
    find_form,
    is_remote,
    no_progress,
    read_rows,
    text_blocks,
)

_BATCH = 1_000
_RESPONSES = (".txt", *JSON_LINES, *TABLES, ".gz", ".tok", ".out", ".hyp", ".pred", "")
_NOT_RESPONSES = frozenset({"metrics.txt", "vocab.txt"})


class Found(Struct, frozen=True):
    """The response files that were named, and what was passed over in folders."""

    files: tuple[str, ...]
    passed_over: tuple[str, ...]


def find_responses(names: Sequence[str]) -> Found:
    """Return the files that names, patterns and folders stand for; of a folder, those with responses."""
    passed_over: list[str] = []

    def accepts(path: Path) -> bool:
        is_hidden = path.name in _NOT_RESPONSES or path.name.startswith(".")
        if is_hidden or path.suffix not in _RESPONSES:
            passed_over.append(path.name)
            return False
        return True

    files = [file for name in names for file in find_files(name, accepts)]
    if not files:
        raise NothingSelectedError(Problem(" ".join(names), 0, "there are no response files here"))
    return Found(tuple(dict.fromkeys(files)), tuple(passed_over))


class ResponseFile(Struct, frozen=True, eq=False):
    """One response file with what belongs to its lines."""

    name: str
    dialogues: Dialogues


class LoadedCorpus(Struct, frozen=True, eq=False):
    """Everything that was read, in word numbers of one lexicon."""

    files: tuple[ResponseFile, ...]
    lexicon: Lexicon
    train_source: Texts | None
    train_target: Texts | None


class CorpusReader(Struct, frozen=True):
    """Reads files into word numbers of one lexicon."""

    lexicon: Lexicon
    tokeniser: Tokeniser
    keep_lines: bool = False
    keep_mark: bool = False
    progress: Progress = no_progress

    def texts(self, name: str, role: str) -> Texts:
        """Read the lines of a text file, or one role of a file of conversations."""
        if is_conversations(name):
            found = self.conversations(name)
            texts = found.responses if role == "target" else getattr(found, role)
            if texts is None:
                raise InputError(Problem(name, 0, f"its records have no {role}"))
            return cast("Texts", texts)
        blocks = text_blocks(name, self.progress, keep_mark=self.keep_mark)
        return join_texts([self._numbered(block) for block in blocks])

    def conversations(self, name: str) -> Dialogues:
        """Read responses, sources and targets of a file of conversations."""
        parts: dict[str, list[Texts]] = {"response": [], "source": [], "target": []}
        given = {"response": True, "source": True, "target": True}
        sizes: list[int] = []
        references = hashlib.sha256()
        for batch in _batches(exchanges(read_rows(name, self.progress), name)):
            sizes += map(len, batch)
            said = [exchange for conversation in batch for exchange in conversation]
            references.update(
                "".join(f"{one.source}\x1f{one.target}\x1e" for one in said).encode("utf-8", "surrogatepass")
            )
            for role, texts in parts.items():
                values = [getattr(exchange, role) for exchange in said]
                given[role] &= None not in values
                texts.append(self._numbered("".join(f"{value or ''}\n" for value in values)))
        read = {role: join_texts(texts) if given[role] and texts else None for role, texts in parts.items()}
        grouping = Grouping(tuple(filter(None, sizes)), references.hexdigest()[:16])
        return Dialogues(read["response"] or join_texts([]), read["source"], read["target"], grouping)

    def _numbered(self, block: str) -> Texts:
        texts = self.lexicon.texts(self.tokeniser.space_tokens(block))
        return Texts(texts.ids, texts.starts, tuple(block.split("\n")[:-1])) if self.keep_lines else texts


def is_conversations(name: str) -> bool:
    """Return whether a file holds rows of conversations: JSON lines, CSV or Parquet."""
    return bool(find_form(name))


def _batches(found: Iterator[list[ResponseContext]]) -> Iterator[list[list[ResponseContext]]]:
    while batch := list(islice(found, _BATCH)):
        yield batch


def load(files: Files, reader: CorpusReader, mode: Definitions) -> LoadedCorpus:
    """Read all files of a run; every missing file and every unequal number of lines is reported at once."""
    _check_files(files)
    train_source = reader.texts(files.train_source, "response") if files.train_source else None
    train_target = reader.texts(files.train_target, "response") if files.train_target else None
    source = reader.texts(files.source, "source") if files.source else None
    target = reader.texts(files.target, "target") if files.target else None
    found = tuple(ResponseFile(name, _dialogues(reader, name, source, target)) for name in files.responses)
    if not mode.cuts_to_shortest:
        _check_lines(found, files)
    return LoadedCorpus(found, reader.lexicon, train_source, train_target)


def _dialogues(reader: CorpusReader, name: str, source: Texts | None, target: Texts | None) -> Dialogues:
    if not is_conversations(name):
        return Dialogues(reader.texts(name, "responses"), source, target)
    own = reader.conversations(name)
    return Dialogues(own.responses, source or own.source, target or own.target, own.grouping)


def _check_files(files: Files) -> None:
    names = files.named
    problems = [
        Problem(name, 0, "is not a file" if Path(name).exists() else "does not exist")
        for name in dict.fromkeys(names)
        if name != STANDARD_INPUT and not is_remote(name) and not Path(name).is_file()
    ]
    if names.count(STANDARD_INPUT) > 1:
        problems.append(Problem("", 0, "only one file can come from standard input"))
    if problems:
        raise InputError(problems)


def _check_lines(found: tuple[ResponseFile, ...], files: Files) -> None:
    problems = []
    for file in found:
        lines = len(file.dialogues.responses)
        partners = ((files.source, file.dialogues.source), (files.target, file.dialogues.target))
        for name, texts in partners:
            if texts is not None and len(texts) != lines:
                message = f"has {tell_count(lines, 'line')}, but {name or file.name} has {len(texts)}"
                hint = "line n of each file must correspond to line n of the others"
                problems.append(Problem(file.name, min(lines, len(texts)) + 1, message, hint))
    if problems:
        raise InputError(problems)


def read_vocabulary(name: str, progress: Progress = no_progress) -> frozenset[str]:
    """Return the words of a file, one a line."""
    words: set[str] = set()
    for block in text_blocks(name, progress):
        words.update(line.strip() for line in block.split("\n"))
    words.discard("")
    if not words:
        raise InputError(Problem(name, 0, "contains no words", "expected one word per line"))
    return frozenset(words)


def list_frequent_words(training: Texts, lexicon: Lexicon, minimum: int = 1) -> list[str]:
    """Return the words that occur at least so often in the training data, in order of first occurrence."""
    counts = np.bincount(training.ids, minlength=len(lexicon))
    words = lexicon.words
    firsts = np.sort(np.unique(training.ids, return_index=True)[1])
    return [words[number] for number in training.ids[firsts] if counts[number] >= minimum]


def membership(lexicon: Lexicon, vocabulary: frozenset[str]) -> Flags:
    """Return by word number whether a word belongs to the vocabulary."""
    return np.fromiter(map(vocabulary.__contains__, lexicon.words), np.bool_, len(lexicon))


def write_vocabulary(path: Path, words: list[str]) -> None:
    """Write one word a line."""
    try:
        path.write_text("\n".join(words) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(str(path), 0, f"cannot be written: {error.strerror}")) from error


def generate_vocabulary(files: Files, settings: Settings, path: str) -> None:
    """Write the vocabulary that the training data gives, without reading anything else."""
    names = [files.train_source, files.train_target if settings.mode.trains_on_targets else None]
    given = [name for name in names if name is not None]
    if not given:
        raise InputError(Problem("--save-vocab", 0, "there is no training data", f"give {Need.TRAINING}"))
    reader = CorpusReader(Lexicon(), settings.tokeniser)
    training = join_texts([reader.texts(name, "response") for name in given])
    write_vocabulary(Path(path), list_frequent_words(training, reader.lexicon, settings.vocabulary_minimum))

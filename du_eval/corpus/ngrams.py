"""Runs of neighbouring words: numbering them, counting them by line, and matching two sides of a pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Flags, Floats, Ints, Texts, find_starts

_BITS = 62
_BLOCK_WORDS = 200_000


class Ngrams(Struct, frozen=True, eq=False):
    """The n-grams of a text: a code for each place, equal where the words are equal, and its line."""

    codes: Ints
    line_of: Ints


def pair_codes(texts: Texts, words: int) -> Ngrams:
    """Return each pair of neighbours as first * words + second; never across lines."""
    places = _places(texts, 2)
    ids = texts.ids.astype(np.int64)
    return Ngrams(ids[places] * words + ids[places + 1], texts.line_of[places])


def code_ngrams(texts: Texts, order: int, words: int) -> Ngrams:
    """Return the n-grams of any order; their codes mean nothing outside this text."""
    if order == 1:
        return Ngrams(texts.ids.astype(np.int64), texts.line_of)
    if order == 2:
        return pair_codes(texts, words)
    ids = texts.ids.astype(np.int64)
    codes = ids
    for step in range(1, order):
        codes = np.unique(codes[: len(ids) - step] * words + ids[step:], return_inverse=True)[1]
    places = _places(texts, order)
    return Ngrams(codes[places], texts.line_of[places])


def _places(texts: Texts, order: int) -> Ints:
    """Return where n-grams start: far enough from the end of their line."""
    return np.flatnonzero(np.repeat(texts.starts[1:], texts.lengths) - np.arange(len(texts.ids)) >= order)


class LineCounts(Struct, frozen=True, eq=False):
    """How often each n-gram occurs on each line, sorted by n-gram and line."""

    counts: Ints
    line_of: Ints
    firsts: Ints
    """Where the rows of each n-gram begin."""

    @property
    def types(self) -> int:
        """The number of different n-grams."""
        return len(self.firsts)


def line_counts(ngrams: Ngrams, lines: int) -> LineCounts:
    """Count every n-gram on every line."""
    if len(ngrams.codes) == 0:
        empty = np.zeros(0, np.int64)
        return LineCounts(empty, empty, empty)
    codes = ngrams.codes
    if int(codes.max()).bit_length() + lines.bit_length() > _BITS:
        codes = np.unique(codes, return_inverse=True)[1]
    keys = np.sort(codes * lines + ngrams.line_of)
    rows = np.flatnonzero(_changes(keys))
    firsts = np.flatnonzero(_changes(keys[rows] // lines))
    return LineCounts(np.diff(rows, append=len(keys)), keys[rows] % lines, firsts)


def _changes(values: Ints) -> Flags:
    """Return where a sorted row of values starts a new one."""
    flags = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=flags[1:])
    return flags


def count_clipped_matches(left: Texts, right: Texts, orders: int) -> Ints:
    """Return by line and order how many n-grams of the left line occur on the right, each used once."""
    blocks = [
        _matched_block(left.between(first, last), right.between(first, last), orders)
        for first, last in line_blocks(left.lengths + right.lengths, _BLOCK_WORDS)
    ]
    return np.concatenate(blocks) if blocks else np.zeros((0, orders), np.int64)


def line_blocks(sizes: Ints, limit: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of lines whose sizes add up to about the limit, at least one line each."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = ends[first] - sizes[first]
        last = max(first + 1, int(np.searchsorted(ends, before + limit, side="right")))
        yield first, last
        first = last


def _matched_block(left: Texts, right: Texts, orders: int) -> Ints:
    """Match a block of lines; an n-gram and its line are packed into one number, which is then sorted."""
    lines = len(left)
    ids = np.concatenate([left.ids, right.ids]).astype(np.int64)
    line_of = np.concatenate([left.line_of, right.line_of])
    side = np.repeat(np.array([0, 1]), [len(left.ids), len(right.ids)])
    room = np.concatenate([_room(left), _room(right)])
    local, bits = _local_numbers(ids, line_of, lines)
    found = np.zeros((lines, orders), np.int64)
    codes = local
    used = bits
    for order in range(1, orders + 1):
        if order > 1:
            used += bits
            if used + lines.bit_length() + 1 > _BITS:
                codes = np.unique(codes, return_inverse=True)[1]
                used = int(codes.max(initial=0)).bit_length() + bits
            codes = (codes[: len(ids) - order + 1] << bits) | local[order - 1 :]
        places = np.flatnonzero(room[: len(codes)] >= order)
        if len(places) == 0:
            break
        keys = (((line_of[places] << used) | codes[places]) << 1) | side[places]
        found[:, order - 1] = _smaller_side(np.sort(keys), used, lines)
    return found


def _room(texts: Texts) -> Ints:
    """Return how many words are left on the line at each place, its own included."""
    return np.repeat(texts.starts[1:], texts.lengths) - np.arange(len(texts.ids))


def _local_numbers(ids: Ints, line_of: Ints, lines: int) -> tuple[Ints, int]:
    """Return numbers from 0 for the words of each line (both sides together), and the bits they take."""
    if len(ids) == 0:
        return ids, 1
    keys = line_of * (int(ids.max()) + 1) + ids
    order = _sorted_places(keys)
    ranks = np.cumsum(_changes(keys[order])) - 1
    lines_sorted = line_of[order]
    lowest = np.zeros(lines, np.int64)
    fresh = np.flatnonzero(_changes(lines_sorted))
    lowest[lines_sorted[fresh]] = ranks[fresh]
    local = np.empty(len(ids), np.int64)
    local[order] = ranks - lowest[lines_sorted]
    return local, max(1, int(local.max()).bit_length())


def _sorted_places(keys: Ints) -> Ints:
    """Return the stable order of the keys; sorting key and place in one number is several times faster."""
    bits = len(keys).bit_length()
    if int(keys.max()).bit_length() + bits > _BITS:
        return np.argsort(keys, kind="stable")
    packed = np.sort((keys << bits) | np.arange(len(keys)))
    return packed & ((1 << bits) - 1)


def _smaller_side(keys: Ints, bits: int, lines: int) -> Ints:
    """Return by line the sum over n-grams of the smaller of the two counts, from sorted packed keys."""
    whole = keys >> 1
    firsts = np.flatnonzero(_changes(whole))
    sizes = np.diff(firsts, append=len(keys))
    rights = np.diff(find_starts(keys & 1)[np.append(firsts, len(keys))])
    smaller = np.minimum(rights, sizes - rights)
    return np.bincount(whole[firsts] >> bits, weights=smaller, minlength=lines).astype(np.int64)


class Training(Struct, frozen=True, eq=False):
    """How often each word and each pair of neighbours occurs; pairs are coded first * words + second."""

    counts: Ints
    pairs: Ints
    pair_counts: Ints

    @property
    def words(self) -> int:
        """How many words are numbered, whether they occur in training or not."""
        return len(self.counts)

    def pair_count(self, codes: Ints) -> Ints:
        """Return how often each of the coded pairs occurs in training."""
        if len(self.pairs) == 0:
            return np.zeros(len(codes), np.int64)
        places = np.searchsorted(self.pairs, codes)
        places[places == len(self.pairs)] = 0
        return np.where(self.pairs[places] == codes, self.pair_counts[places], 0)

    @property
    def probabilities(self) -> Floats:
        """The relative frequency of each word."""
        return self.counts / max(1, int(self.counts.sum()))

    def code_pairs(self, texts: Texts) -> Ngrams:
        """Return the pairs of a text in the coding of these counts."""
        return pair_codes(texts, self.words)


def count_training(texts: Texts, words: int) -> Training:
    """Count the words and pairs of a text."""
    pairs, pair_counts = count_sorted(pair_codes(texts, words).codes)
    return Training(np.bincount(texts.ids, minlength=words), pairs, pair_counts)


def count_sorted(codes: Ints) -> tuple[Ints, Ints]:
    """Return the different codes in order, and how often each occurs."""
    ordered = np.sort(codes)
    firsts = np.flatnonzero(np.diff(ordered, prepend=-1))
    return ordered[firsts], np.diff(firsts, append=len(ordered))

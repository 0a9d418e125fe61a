"""Where boxes, labels and arrows of a flow go: in ranks, so that no arrow runs through a box or a label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from du_eval.reports.catalogue_graph import END, Arrow, Box

BOX_WIDTH, BOX_HEIGHT, DOT, LABEL_HEIGHT = 230, 34, 12, 16
_ACROSS, _GAP, _TRACK, _LANE = 26, 18, 7, 10
_LETTER = 6.0
_SWEEPS = 6
Point = tuple[float, float]


class Node(Struct):
    """A box, the dot of an end, a label, or the place where an arrow passes a rank."""

    rank: int
    width: float
    box: Box | None = None
    label: str = ""
    is_end: bool = False
    x: float = 0.0
    y: float = 0.0

    @property
    def height(self) -> float:
        """How tall it is."""
        if self.box:
            return BOX_HEIGHT
        return DOT if self.is_end else LABEL_HEIGHT if self.label else 0

    @property
    def middle(self) -> float:
        """Its place from left to right."""
        return self.x + self.width / 2


class Layout(Struct, frozen=True):
    """A drawing: nodes, and arrows as lines with corners."""

    nodes: tuple[Node, ...]
    lines: tuple[tuple[tuple[Point, ...], bool], ...]
    """The corners of each line, and whether it ends with a head."""
    width: float
    height: float


class _Piece(Struct):
    """A part of an arrow between two ranks that follow each other; `back` pieces climb on the right."""

    start: Node
    end: Node
    has_head: bool
    is_back: bool = False


class _Graph(Struct):
    nodes: list[Node] = field(default_factory=list)
    pieces: list[_Piece] = field(default_factory=list)

    def add(self, node: Node) -> Node:
        self.nodes.append(node)
        return node


def lay_out(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> Layout:
    """Return where everything goes, from the upper left corner on."""
    graph = _build(boxes, arrows)
    ranks = _order(graph)
    _place_across(ranks, graph)
    return _draw(ranks, graph)


def _build(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> _Graph:
    """Give boxes even ranks; what lies between them is for labels and passing arrows."""
    graph = _Graph()
    layers = _find_layers(arrows)
    placed = {
        box.number: graph.add(Node(2 * layers.get(box.number, 0), BOX_WIDTH, box))
        for box in boxes
        if box.number != END
    }
    for arrow in arrows:
        start = placed[arrow.start]
        width = max(8.0, len(arrow.label) * _LETTER + 8) if arrow.label else 8.0
        via = graph.add(Node(start.rank + 1, width, label=arrow.label))
        graph.pieces.append(_Piece(start, via, has_head=False))
        if arrow.end == END:
            dot = graph.add(Node(start.rank + 2, DOT, is_end=True))
            graph.pieces.append(_Piece(via, dot, has_head=False))
            continue
        end = placed[arrow.end]
        if end.rank <= start.rank:
            graph.pieces.append(_Piece(via, end, has_head=True, is_back=True))
            continue
        for rank in range(start.rank + 2, end.rank):
            passing = graph.add(Node(rank, 8.0))
            graph.pieces.append(_Piece(via, passing, has_head=False))
            via = passing
        graph.pieces.append(_Piece(via, end, has_head=True))
    return graph


def _find_layers(arrows: Iterable[Arrow]) -> dict[int, int]:
    """Return the layer of each step: below all that lead to it; jumps back count for nothing."""
    layers = {0: 0}
    for arrow in sorted((one for one in arrows if one.end > one.start), key=lambda one: one.start):
        layers[arrow.end] = max(layers.get(arrow.end, 0), layers.get(arrow.start, 0) + 1)
    return layers


def _order(graph: _Graph) -> list[list[Node]]:
    """Return the nodes rank by rank, those beside each other whose neighbours are."""
    ranks: list[list[Node]] = [[] for _ in range(max(node.rank for node in graph.nodes) + 1)]
    for node in graph.nodes:
        ranks[node.rank].append(node)
    above, below = _find_neighbours(graph)
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        places = {id(node): float(at) for rank in ranks for at, node in enumerate(rank)}
        for rank in ranks if is_down else reversed(ranks):
            near = above if is_down else below
            rank.sort(key=lambda node: _mean([places[id(one)] for one in near[id(node)]], places[id(node)]))
            places.update({id(node): float(at) for at, node in enumerate(rank)})
    return ranks


def _find_neighbours(graph: _Graph) -> tuple[dict[int, list[Node]], dict[int, list[Node]]]:
    above: dict[int, list[Node]] = {id(node): [] for node in graph.nodes}
    below: dict[int, list[Node]] = {id(node): [] for node in graph.nodes}
    for piece in graph.pieces:
        if not piece.is_back:
            above[id(piece.end)].append(piece.start)
            below[id(piece.start)].append(piece.end)
    return above, below


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _place_across(ranks: list[list[Node]], graph: _Graph) -> None:
    """Put each node below or above its neighbours as far as there is room."""
    above, below = _find_neighbours(graph)
    for rank in ranks:
        _spread(rank, [0.0] * len(rank))
    for sweep in range(_SWEEPS):
        near = above if sweep % 2 == 0 else below
        for rank in ranks if sweep % 2 == 0 else reversed(ranks):
            wanted = [
                _mean([one.middle for one in near[id(node)]], node.middle) - node.width / 2 for node in rank
            ]
            _spread(rank, wanted)
    left = min(node.x for node in graph.nodes)
    for node in graph.nodes:
        node.x -= left


def _spread(rank: list[Node], wanted: Sequence[float]) -> None:
    """Place the nodes of a rank near where they want to be, in their order and apart from each other."""
    for at, node in enumerate(rank):
        least = rank[at - 1].x + rank[at - 1].width + _ACROSS if at else wanted[0]
        node.x = max(wanted[at], least)
    # What was pushed to the right too far is drawn back together.
    shift = _mean([node.x - want for node, want in zip(rank, wanted, strict=True)], 0.0)
    for node in rank:
        node.x -= shift


def _draw(ranks: list[list[Node]], graph: _Graph) -> Layout:
    """Give each rank its height, and each line that turns a track of its own between the ranks."""
    exits, entries = _find_ports(graph)
    right = max(node.x + node.width for node in graph.nodes)
    backs = [piece for piece in graph.pieces if piece.is_back]
    bent = [piece for piece in graph.pieces if abs(exits[id(piece)] - entries[id(piece)]) > 1]
    wanted = [piece.start.rank for piece in bent if not piece.is_back]
    wanted += [rank for piece in backs for rank in (piece.start.rank, piece.end.rank - 1)]
    bottoms, height = _place_down(ranks, wanted)
    used: dict[int, int] = {}

    def take_track(rank: int) -> float:
        """Return a height of its own below a rank; -1: above the first one."""
        used[rank] = used.get(rank, 0) + 1
        return bottoms[rank] + _GAP / 2 + _TRACK * used[rank]

    lines = []
    for piece in graph.pieces:
        out, into = exits[id(piece)], entries[id(piece)]
        corners: list[Point] = [(out, piece.start.y + piece.start.height)]
        if piece.is_back:
            lane = right + _LANE * (2 + backs.index(piece))
            low, high = take_track(piece.start.rank), take_track(piece.end.rank - 1)
            corners += [(out, low), (lane, low), (lane, high), (into, high)]
        elif piece in bent:
            track = take_track(piece.start.rank)
            corners += [(out, track), (into, track)]
        lines.append(((*corners, (into, piece.end.y)), piece.has_head))
    return Layout(tuple(graph.nodes), tuple(lines), right + _LANE * (3 + len(backs)), height)


def _place_down(ranks: list[list[Node]], tracks: Sequence[int]) -> tuple[dict[int, float], float]:
    """Place the ranks below each other with room for their tracks; return where each ends, and the height."""
    bottoms = {-1: 0.0}
    y = float(_GAP + _TRACK * tracks.count(-1))
    for number, rank in enumerate(ranks):
        tall = max((node.height for node in rank), default=0.0)
        for node in rank:
            node.y = y + (tall - node.height) / 2
        bottoms[number] = y + tall
        crossing = tracks.count(number)
        y += tall + (2 * _GAP + _TRACK * crossing if crossing else _GAP)
    return bottoms, y


def _find_ports(graph: _Graph) -> tuple[dict[int, float], dict[int, float]]:
    """Return where each piece leaves and enters its nodes: side by side, in the order of the other ends."""
    exits: dict[int, float] = {}
    entries: dict[int, float] = {}
    for node in graph.nodes:
        outgoing = [piece for piece in graph.pieces if piece.start is node]
        incoming = [piece for piece in graph.pieces if piece.end is node]
        outgoing.sort(key=lambda piece: (piece.is_back, piece.end.middle))
        incoming.sort(key=lambda piece: (piece.is_back, piece.start.middle))
        for at, piece in enumerate(outgoing, 1):
            exits[id(piece)] = node.x + node.width * at / (len(outgoing) + 1)
        for at, piece in enumerate(incoming, 1):
            entries[id(piece)] = node.x + node.width * at / (len(incoming) + 1)
    return exits, entries

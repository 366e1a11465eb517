"""Minimum cuts of flow networks, by Dinic's algorithm: flow along shortest paths, all of one length at a time."""

from __future__ import annotations

from collections import deque


class Network:
    """Directed edges with whole capacities between vertices, which are anything hashable."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._edges: list[list[int]] = []  # of a vertex, as places in the two lists below; an edge and its reverse are neighbours
        self._heads: list[int] = []
        self._rests: list[int | float] = []  # capacity that is left

    def add(self, tail: object, head: object, capacity: int | None) -> None:
        """An edge; one of capacity None can't be cut."""
        for vertex, other, rest in ((tail, head, float("inf") if capacity is None else capacity), (head, tail, 0)):
            self._edges[self._number(vertex)].append(len(self._heads))
            self._heads.append(self._number(other))
            self._rests.append(rest)

    def _number(self, vertex: object) -> int:
        if vertex not in self._numbers:
            self._numbers[vertex] = len(self._edges)
            self._edges.append([])
        return self._numbers[vertex]

    def cut(self, source: object, sink: object) -> set[object]:
        """The sink's side of the cheapest cut, the smallest one if there are several. Every path from source to sink must have an edge that
        can be cut. Once for a network: it uses capacities up."""
        start, end = self._number(source), self._number(sink)
        while (distances := self._distances(end))[start] >= 0:
            unused = [list(edges) for edges in self._edges]
            while path := self._path(start, end, distances, unused):
                flow = min(self._rests[edge] for edge in path)
                for edge in path:
                    self._rests[edge] -= flow
                    self._rests[edge ^ 1] += flow
        return {vertex for vertex, number in self._numbers.items() if distances[number] >= 0}

    def _distances(self, end: int) -> list[int]:
        """Edges with something left from each vertex to the sink; -1 where there is no way."""
        distances = [-1] * len(self._edges)
        distances[end] = 0
        waiting = deque([end])
        while waiting:
            vertex = waiting.popleft()
            for edge in self._edges[vertex]:
                before = self._heads[edge]
                if distances[before] < 0 and self._rests[edge ^ 1] > 0:
                    distances[before] = distances[vertex] + 1
                    waiting.append(before)
        return distances

    def _path(self, start: int, end: int, distances: list[int], unused: list[list[int]]) -> list[int]:
        """Edges of a shortest path from start to end, [] if there is none left. What leads nowhere is taken from `unused`."""
        path: list[int] = []
        vertex = start
        while vertex != end:
            while unused[vertex]:
                edge = unused[vertex][-1]
                if self._rests[edge] > 0 and distances[self._heads[edge]] == distances[vertex] - 1:
                    path.append(edge)
                    vertex = self._heads[edge]
                    break
                unused[vertex].pop()
            else:
                if not path:
                    return []
                vertex = self._heads[path[-1] ^ 1]
                unused[vertex].pop()
                path.pop()
        return path

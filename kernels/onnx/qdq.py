"""Import of QDQ models: DequantizeLinear, operator, QuantizeLinear become one integer node (docs/adr/0010).

What no pattern covers stays in floating point, and its node says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import onnx
from onnx import helper

from accelkit.kernels.onnx.byte_regions import Region, find_region
from accelkit.kernels.onnx.functions import Function, changes_nothing, clamp_bounds, make_table
from accelkit.kernels.onnx.graph import FUNCTIONS, Graph, Node, sort_nodes
from accelkit.kernels.onnx.importing import DEQUANTIZE, QUANTIZE, LeftFloat, Scaling, Tensors, as_tensor, is_a
from accelkit.kernels.onnx.integer_forms import MICROSOFT, Form, integer_form
from accelkit.kernels.onnx.integer_moves import integer_move, is_move
from accelkit.kernels.onnx.joining import join_nodes
from accelkit.kernels.onnx.transposed import OPERATOR, explicit_attributes, make_transposed
from accelkit.kernels.plan import Refusal

_LEAST_IR = 8  # the first with model-local functions
_PRODUCTS = {"Conv", "ConvTranspose", "MatMul", "Gemm"}


@dataclass(frozen=True)
class _Tail:
    """What follows a result: clamps, then the QuantizeLinear."""

    clamps: tuple[Node, ...]
    quantise: Node
    scaling: Scaling


@dataclass
class _Rewriting:
    """The new nodes, and which old ones they make superfluous."""

    nodes: list[Node] = field(default_factory=list)
    functions: list[onnx.FunctionProto] = field(default_factory=list)
    replaced: set[int] = field(default_factory=set)
    refusals: dict[int, Refusal] = field(default_factory=dict)


def import_qdq(graph: Graph) -> Graph:
    """The graph with integer nodes for what is quantised around.

    `types` of the result lack the tensors that are new. A file that has QLinear operators of its own is in integer form already: of
    what is floating point in it only that is replaced whose result is the same bit for bit (tables and moves).
    """
    importer = _Importer(join_nodes(graph))
    importer.find_forms()
    importer.find_tables()
    return importer.rebuild()


class _Importer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.tensors = Tensors(graph)
        self.done = _Rewriting()
        self.is_integer = any(node.op_type.startswith("QLinear") or node.op_type == "QGemm" for node in graph.nodes)

    def find_forms(self) -> None:
        """Operators with an integer form or move."""
        for node in self.graph.nodes:
            if node.index in self.graph.folded or is_a(node, QUANTIZE) or is_a(node, DEQUANTIZE):
                continue
            try:
                self._find_form(node)
            except LeftFloat as left:
                self.done.refusals[node.index] = Refusal(f"{left}, so {node.op_type} stays in floating point", left.code)

    def _find_form(self, node: Node) -> None:
        if self.is_integer and not is_move(node) and node.op_type != "Concat":
            if node.op_type in _PRODUCTS:
                raise LeftFloat("float", f"{node.input(0)} is floating point")
            return
        tails = [self._tail(name) for name in node.outputs]
        known = [tail for tail in tails if tail is not None]
        if len(known) < len(tails) or not known:
            if node.op_type in _PRODUCTS:
                raise LeftFloat("float", f"{', '.join(node.outputs)} goes on in floating point")
            return
        form = self._form(node, known[0].scaling)
        if form is None:
            return
        outputs = []
        for tail, name in zip(known, node.outputs, strict=True):
            is_plain = form.result.is_same(tail.scaling) and changes_nothing(self.tensors, tail.scaling, tail.clamps)
            outputs.append(tail.quantise.outputs[0] if is_plain else self.tensors.fresh(f"{name}_integer"))
        origins = [node, *form.sources]
        for tail, name, output in zip(known, node.outputs, outputs, strict=True):
            if output == tail.quantise.outputs[0]:
                origins += [*tail.clamps, tail.quantise]
            else:
                region = Region(output, form.result, frozenset({name}), tail.clamps)
                self._add_table(region, tail.quantise, tail.scaling)
            self.done.replaced.update(old.index for old in (*tail.clamps, tail.quantise))
        if form.op_type == OPERATOR:
            self._add(node.name, make_transposed(self.tensors, node.index, node, form, outputs[0]), origins)
        else:
            self._add_form(node, form, outputs, origins)
        self.done.replaced.add(node.index)

    def _add_form(self, node: Node, form: Form, outputs: list[str], origins: Iterable[Node]) -> None:
        made = outputs
        if form.shape is not None:
            made = [self.tensors.fresh(f"{node.outputs[0]}_kept")]
            shape = self.tensors.add(f"{node.outputs[0]}_shape", np.array(form.shape, np.int64))
            self._add(f"{node.name}_shape", helper.make_node("Reshape", [made[0], shape], outputs), [node])
        self._add(node.name, helper.make_node(form.op_type, form.inputs, made, domain=form.domain, **form.attributes), origins)

    def _form(self, node: Node, result: Scaling) -> Form | None:
        if is_move(node):
            return integer_move(self.tensors, node, result)
        if node.op_type == "ConvTranspose":
            explicit_attributes(self.tensors, node)  # before anything is built on it
        return integer_form(self.tensors, node, result)

    def _tail(self, name: str) -> _Tail | None:
        """The clamps and the QuantizeLinear that are a tensor's only readers, None if it has others."""
        clamps: list[Node] = []
        while (reader := self.tensors.sole_reader(name)) is not None:
            if is_a(reader, QUANTIZE) and reader.input(0) == name:
                return _Tail(tuple(clamps), reader, self.tensors.result(reader))
            if reader.input(0) != name or clamp_bounds(self.tensors, reader) is None:
                break
            clamps.append(reader)
            name = reader.outputs[0]
        return None

    def find_tables(self) -> None:
        """QuantizeLinear nodes whose bytes follow, element by element, from those of one 8-bit tensor."""
        for node in self.graph.nodes:
            if not is_a(node, QUANTIZE) or node.index in self.done.replaced or node.index in self.graph.folded:
                continue
            try:
                scaling = self.tensors.result(node)
                found = find_region(self.tensors, node, self.done.replaced)
            except LeftFloat as left:
                self.done.refusals[node.index] = Refusal(str(left), left.code)
                continue
            if found is not None:
                region, sources = found
                self._add_table(region, node, scaling, sources)
                self.done.replaced.update(old.index for old in (*region.nodes, node))

    def _add_table(self, region: Region, quantise: Node, scaling: Scaling, sources: tuple[Node, ...] = ()) -> None:
        name = region.nodes[-1].name if region.nodes else quantise.name
        origins = [*reversed(region.nodes), quantise, *sources]
        if not region.nodes and region.scaling.is_same(scaling):
            self._add(name, helper.make_node("Identity", [region.tensor], quantise.outputs), origins)
        else:
            self._add(name, make_table(self.tensors, quantise.index, region, quantise, scaling), origins)

    def _add(self, name: str, what: Function | onnx.NodeProto, origins: Iterable[Node]) -> None:
        """A node that stands for others, the one that it is called after first."""
        if isinstance(what, Function):
            self.done.functions.append(what.body)
            what = what.call
        what.name = name
        files = tuple(dict.fromkeys(index for node in origins for index in node.origins))
        self.done.nodes.append(Node(-1, name, what, files))

    def rebuild(self) -> Graph:
        """The graph of old and new nodes, without the DequantizeLinear nodes that nobody reads any more; the very graph if there is
        nothing to do."""
        kept = self._without_dead([node for node in self.graph.nodes if node.index not in self.done.replaced])
        if not (self.done.nodes or self.done.refusals) and len(kept) == len(self.graph.nodes):
            return self.graph
        folded = {node.origins[0] for node in kept if node.index in self.graph.folded}
        refused = [replace(node, refusal=self.done.refusals.get(node.index)) for node in kept]
        nodes = sorted([*refused, *self._share_origins(refused)], key=lambda node: node.origins[0])
        nodes = [replace(node, index=index) for index, node in enumerate(nodes)]
        constants = self.graph.constants.copy()
        constants.update({name: as_tensor(name, value) for name, value in self.tensors.added.items()})
        ordered = sort_nodes(nodes)
        return replace(
            self.graph,
            model=self._model(ordered, [constants.header(name) for name in self.tensors.added]),
            nodes=ordered,
            constants=constants,
            folded=frozenset(node.index for node in nodes if node.origins[0] in folded),
        )

    def _share_origins(self, kept: list[Node]) -> list[Node]:
        """The new nodes, each node of the file belonging to one: a DequantizeLinear of several readers to the first."""
        owners = {index: -1 for node in kept for index in node.origins}
        for place, node in enumerate(self.done.nodes):
            owners.setdefault(node.origins[0], place)
        for place, node in enumerate(self.done.nodes):
            for index in node.origins:
                owners.setdefault(index, place)
        # Others, such as the DequantizeLinear of a scalar, go with whoever read them; readers come later in the order.
        for node in reversed(self.graph.nodes):
            readers = [reader for name in node.outputs for reader in self.tensors.readers[name]]
            places = [owners[reader.origins[0]] for reader in readers if reader.origins[0] in owners]
            for index in node.origins:
                owners.setdefault(index, max(places, default=-1))
        shared = []
        for place, node in enumerate(self.done.nodes):
            own = [index for index, owner in owners.items() if owner == place]
            shared.append(replace(node, origins=(node.origins[0], *(i for i in own if i != node.origins[0]))))
        return shared

    def _without_dead(self, kept: list[Node]) -> list[Node]:
        """Old nodes whose results somebody reads; those that nobody read before stay, too."""
        while True:
            read = {name for node in (*kept, *self.done.nodes) for name in node.inputs} | set(self.graph.outputs)
            alive = [
                node
                for node in kept
                if any(name in read for name in node.outputs) or not any(self.tensors.readers[name] for name in node.outputs)
            ]
            if len(alive) == len(kept):
                return alive
            kept = alive

    def _model(self, nodes: Iterable[Node], added: Iterable[onnx.TensorProto]) -> onnx.ModelProto:
        old = self.graph.model
        model = onnx.ModelProto()
        model.CopyFrom(old)
        del model.graph.node[:]
        model.graph.node.extend(node.proto for node in nodes)
        model.graph.initializer.extend(added)
        model.functions.extend(self.done.functions)
        model.ir_version = max(model.ir_version, _LEAST_IR)
        domains = {entry.domain for entry in model.opset_import}
        model.opset_import.extend(helper.make_opsetid(name, 1) for name in (MICROSOFT, FUNCTIONS) if name not in domains)
        return model

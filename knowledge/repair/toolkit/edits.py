"""A snippet as a syntax tree that can be pointed into: by a run's positions, by names, by lines."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar, Unpack

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from knowledge.repair.codemod import Rewrite, Settings

N = TypeVar("N", bound=cst.CSTNode)
New = cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel
Edits = dict[cst.CSTNode, New]  # old node → new node, several nodes, or nothing

_USUAL = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional", "np": "numpy"}


@dataclass(frozen=True)
class Beside:
    """A statement to insert: a line beside lines and blocks, a small one beside small ones."""

    new: Any
    after: bool = False


def _parents(module: cst.Module) -> dict[cst.CSTNode, cst.CSTNode]:
    """Each node's parent; LibCST's own provider takes three times as long."""
    parents: dict[cst.CSTNode, cst.CSTNode] = {}
    todo: list[cst.CSTNode] = [module]
    for node in todo:
        for child in node.children:
            parents[child] = node
            todo.append(child)
    return parents


class Program:
    """A parsed snippet. Edits give new modules and keep every comment, blank and line ending.

    Program("x = 1\\n").replace({node: new})

    Raises:
        cst.ParserSyntaxError: the code does not parse.
    """

    def __init__(self, code: str) -> None:
        wrapper = MetadataWrapper(cst.parse_module(code), unsafe_skip_copy=True)
        self.module = wrapper.module
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._classes = {type(node) for node in self._spans}
        self._of_kind: dict[type[cst.CSTNode], tuple[Any, ...]] = {}
        self._parents = _parents(self.module)
        lines = code.encode(self.module.encoding).splitlines(keepends=True)
        ended = [line for line in lines if line.endswith((b"\n", b"\r"))]
        self._line_starts = [0, *accumulate(map(len, ended))]

    def all(self, kind: type[N]) -> Iterator[N]:
        """Every node of a kind, in no promised order."""
        found = self._of_kind.get(kind)
        if found is None:
            # Each class is asked once: LibCST's are abstract, and slow to say what they are.
            classes = {c for c in self._classes if issubclass(c, kind)}
            found = self._of_kind[kind] = tuple(n for n in self._spans if type(n) in classes)
        return iter(found)

    def on_line(self, line: int | None, kind: type[N]) -> list[N]:
        """Every node of a kind that begins on a line, in no promised order."""
        return [node for node in self.all(kind) if self.line(node) == line]

    def at(
        self, line: int | None, col: int | None, end_line: int | None, end_col: int | None
    ) -> cst.CSTNode | None:
        """The expression, else small statement, with this span (lines 1-based, byte columns)."""
        if line is None or col is None or end_line is None or end_col is None:
            return None
        if max(line, end_line) > len(self._line_starts):
            return None
        start = self._line_starts[line - 1] + col
        length = self._line_starts[end_line - 1] + end_col - start
        there = [n for n, s in self._spans.items() if s.start == start and s.length == length]
        for kind in (cst.BaseExpression, cst.BaseSmallStatement):
            for node in there:
                if isinstance(node, kind):
                    return node
        return None

    def up(self, node: cst.CSTNode, kind: type[N]) -> N | None:
        """The node itself or the nearest one around it of a kind."""
        current: cst.CSTNode | None = node
        while current is not None and not isinstance(current, kind):
            current = self._parents.get(current)
        return current

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around this one."""
        return self._parents.get(node)

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around this one, the innermost first."""
        current = self._parents.get(node)
        while current is not None:
            yield current
            current = self._parents.get(current)

    def is_label(self, name: cst.CSTNode) -> bool:
        """Whether a name is an attribute's or a keyword's, and stands for no variable."""
        parent = self._parents.get(name)
        if isinstance(parent, cst.Attribute):
            return parent.attr is name
        return isinstance(parent, cst.Arg) and parent.keyword is name

    def inside(self, node: cst.CSTNode | None, kind: type[N]) -> list[N]:
        """Every node of a kind inside this one, itself included, in source order; of None none."""
        if node is None:
            return []
        span = self._spans[node]
        found = [
            n
            for n in self.all(kind)
            if span.start <= self._spans[n].start
            and self._spans[n].start + self._spans[n].length <= span.start + span.length
        ]
        return sorted(found, key=lambda n: self._spans[n].start)

    # LibCST's bases are abstract for mypy; here they only name a kind.

    def expressions(self, node: cst.CSTNode | None) -> list[cst.BaseExpression]:
        """Every expression inside a node, itself included, in source order."""
        return self.inside(node, cst.BaseExpression)  # type: ignore[type-abstract]

    def small_statement(self, node: cst.CSTNode) -> cst.BaseSmallStatement | None:
        """The small statement that a node stands in."""
        return self.up(node, cst.BaseSmallStatement)  # type: ignore[type-abstract]

    def line(self, node: cst.CSTNode) -> int:
        """The 1-based line where a node starts."""
        return self._line_of(self._spans[node].start)

    def end_line(self, node: cst.CSTNode) -> int:
        """The 1-based line where a node ends."""
        span = self._spans[node]
        return self._line_of(span.start + span.length)

    def _line_of(self, byte: int) -> int:
        return bisect_right(self._line_starts, byte)

    def statement_on(self, line: int | None) -> cst.SimpleStatementLine | None:
        """The simple statement that covers a line; None where it is not known which."""
        for statement in self.all(cst.SimpleStatementLine):
            if line is not None and self.line(statement) <= line <= self.end_line(statement):
                return statement
        return None

    def text(self, node: cst.CSTNode) -> str:
        """The node's source."""
        return self.module.code_for_node(node).strip()

    def around(self, node: cst.CSTNode) -> tuple[str, str]:
        """The code before a node, and the code behind it."""
        data = self.module.code.encode(self.module.encoding)
        span = self._spans[node]
        end = span.start + span.length
        encoding = self.module.encoding
        return data[: span.start].decode(encoding), data[end:].decode(encoding)

    def replace(
        self,
        nodes: Mapping[cst.CSTNode, New],
        beside: Mapping[cst.CSTNode, Beside] | None = None,
    ) -> cst.Module:
        """A new module with nodes replaced and statements inserted.

        Args:
            nodes: old node → new node, several nodes, or nothing (`cst.RemoveFromParent()`).
            beside: statement of any kind → one to insert before or behind it.
        """
        return self.module.visit(_Edit(nodes, beside or {}))

    def edit(
        self,
        edits: Mapping[cst.CSTNode, New] | cst.Module,
        told: str,
        intent: str = "",
        *,
        at: cst.CSTNode | Sequence[cst.CSTNode] | None = None,
        cost: float = 0.0,
        beside: Mapping[cst.CSTNode, Beside] | None = None,
        **more: Unpack[Settings],
    ) -> Rewrite:
        """Nodes replaced; the title tells what was done, and the line of the first, or of `at`.

        Args:
            edits, beside: as `replace` takes them; or the new module, where `at` is said.
        """
        new = edits if isinstance(edits, cst.Module) else self.replace(edits, beside)
        first = () if isinstance(edits, cst.Module) else tuple(edits)[:1]
        places = first if at is None else at if isinstance(at, Sequence) else (at,)
        lines = " and ".join(dict.fromkeys(str(self.line(place)) for place in places))
        return Rewrite(new, f"line {lines}: {told}", intent, cost=cost, **more)

    def imported(self) -> set[str]:
        """Names that the snippet's imports bind."""
        items: list[cst.ImportAlias] = []
        for plain in self.all(cst.Import):
            items += plain.names
        for chosen in self.all(cst.ImportFrom):
            if not isinstance(chosen.names, cst.ImportStar):
                items += chosen.names
        return {_alias(item) or _dotted(item.name).partition(".")[0] for item in items}

    def name_of(self, module: str, attribute: str) -> str:
        """How this snippet would call `module.attribute`, e.g. `nn.Parameter`.

        Imports that a fragment leaves out count as they usually are, where it uses their names.
        """
        inner = {id(node.attr) for node in self.all(cst.Attribute)}  # `nn` of `torch.nn`
        used = {node.value for node in self.all(cst.Name) if id(node) not in inner}
        aliases = {usual: alias for alias, usual in _USUAL.items() if alias in used}
        for statement in self.all(cst.ImportFrom):
            source = _dotted(statement.module)
            if isinstance(statement.names, cst.ImportStar):
                continue
            for item in statement.names:
                alias = _alias(item) or _dotted(item.name)
                if source == module and _dotted(item.name) == attribute:
                    return alias
                aliases[f"{source}.{_dotted(item.name)}"] = alias
        for plain in self.all(cst.Import):
            for item in plain.names:
                name = _dotted(item.name)
                aliases[name] = _alias(item) or name
                if not item.asname:  # `import torch.utils.data` binds `torch`
                    aliases[name.partition(".")[0]] = name.partition(".")[0]
        for end in range(module.count("."), -1, -1):
            parts = module.split(".")
            prefix, rest = ".".join(parts[: end + 1]), ".".join(parts[end + 1 :])
            if prefix in aliases:
                return ".".join(filter(None, (aliases[prefix], rest, attribute)))
        last = module.rpartition(".")[2]
        return f"{'F' if last == 'functional' else last}.{attribute}"


def _dotted(node: cst.CSTNode | None) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _alias(item: cst.ImportAlias) -> str:
    return _dotted(item.asname.name) if item.asname else ""


class _Edit(cst.CSTTransformer):
    def __init__(
        self,
        nodes: Mapping[cst.CSTNode, New],
        beside: Mapping[cst.CSTNode, Beside],
    ) -> None:
        super().__init__()
        self._nodes = nodes
        self._beside = beside

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> New:
        new = self._nodes.get(original_node, updated_node)
        if original_node in self._beside and isinstance(new, cst.CSTNode):
            return _with(new, self._beside[original_node])
        return new


def _with(statement: Any, beside: Beside) -> New:
    """A statement with another one before or behind it."""
    if beside.after:
        if isinstance(statement, cst.BaseSmallStatement):  # the next one brings its own
            statement = statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        return cst.FlattenSentinel([statement, beside.new])
    if isinstance(statement, cst.BaseSmallStatement):
        return cst.FlattenSentinel([beside.new, statement])
    # Comments above the statement stay above what now comes first.
    inserted = beside.new.with_changes(leading_lines=statement.leading_lines)
    return cst.FlattenSentinel([inserted, statement.with_changes(leading_lines=())])


def operand(expression: cst.BaseExpression) -> cst.BaseExpression:
    """The expression, in parentheses if it could fall apart beside an operator or before a dot."""
    whole = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float, cst.List,
             cst.SimpleString, cst.Dict, cst.ListComp)  # fmt: skip
    if isinstance(expression, whole) or expression.lpar:
        return expression
    return expression.with_changes(
        lpar=[*expression.lpar, cst.LeftParen()], rpar=[cst.RightParen(), *expression.rpar]
    )


def out_of_place(small: cst.AugAssign) -> cst.BinaryOperation:
    """`x + e` of `x += e`."""
    sign = cst.Module(()).code_for_node(small.operator).strip().removesuffix("=")
    new = cst.ensure_type(cst.parse_expression(f"a {sign} b"), cst.BinaryOperation)
    return new.with_changes(left=small.target, right=operand(small.value))


def method(value: cst.BaseExpression, name: str, *arguments: cst.Arg) -> cst.Call:
    """`value.name(arguments)`."""
    return cst.Call(cst.Attribute(operand(value), cst.Name(name)), arguments)


def keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    """The argument `name=value`."""
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(value, keyword=cst.Name(name), equal=equal)


def separated(parts: Iterable[N]) -> list[N]:
    """Arguments, elements or parameters with a comma between each two, and none behind the last."""
    return [part.with_changes(comma=cst.MaybeSentinel.DEFAULT) for part in parts]


def padded(program: Program, rows: cst.BaseExpression) -> cst.Call:
    """`pad_sequence(rows, batch_first=True)`, as the program would call it."""
    name = program.name_of("torch.nn.utils.rnn", "pad_sequence")
    if name.startswith("rnn.") and "rnn" not in program.imported():
        name = f"torch.nn.utils.{name}"
    return call(name, cst.Arg(rows), keyword("batch_first", cst.Name("True")))


def call(function: str, *arguments: cst.Arg) -> cst.Call:
    """`function(arguments)`, the function by its dotted name."""
    return cst.Call(cst.parse_expression(function), arguments)


def buffer(target: cst.Attribute, value: cst.BaseExpression) -> cst.Call:
    """`self.register_buffer("x", value)` for `self.x = value`."""
    name = cst.SimpleString(f'"{target.attr.value}"')
    return method(target.value, "register_buffer", cst.Arg(name), cst.Arg(value))


def same(a: cst.CSTNode, b: cst.CSTNode) -> bool:
    """Whether two nodes are the same code, white space aside."""
    empty = cst.Module(())
    return empty.code_for_node(a).split() == empty.code_for_node(b).split()

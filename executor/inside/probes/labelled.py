"""Read from the code whether what fails is labelled as the wrong way, or has a right one beside it.

Tutorials show a mistake and then how it is done: "# Incorrect: …", `BadModule`, "# Corrected
code". Whoever posts code of their own and wonders writes otherwise ("why is this wrong?", "I get").
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from executor.inside.walking import walk

_WRONG = r"(?:incorrect|wrong|bad|broken|faulty|buggy|flawed|improper|erroneous|problematic)(?:ly)?"
# At the head of a comment, or in brackets at its end: a label, not a word in a sentence.
_SAYS_WRONG = re.compile(
    rf"^\W*(?:\w+\W+){{0,2}}?{_WRONG}\b"
    rf"|\b(?:is|are)\s+{_WRONG}\b"
    r"|^\W*[❌✗✘]"
    rf"|[-–:]\s*{_WRONG}\W*$"
    rf"|^\W*(?:(?:an?|the|common|typical|classic)\W+){{0,2}}?"
    r"(?:problem|anti-?pattern|mistake|bug)\b\W*(?::|$)"
    r"|^\W*(?:forgot(?:ten)?|forgetting)\s+\w"
    r"|^\W*missing\s+(?:an?\s+|the\s+)?(?:\w+\s+)?"
    r"(?:batch|channels?|dimension|argument|call|step|unsqueeze|super|\w+\()"
    rf"|\((?:\w+\W+)?(?:{_WRONG}|to be avoided|avoid)\b[^)]*\)"
    r"|\b(?:do not do this|don't do this|to be avoided|avoid this|not recommended|anti-?pattern)\b"
    r"|\b(?:may|might|will|would|can|could|potentially|likely)\s+(?:\w+\s+){0,2}?"
    r"(?:(?:caus(?:e|ing)|give|lead(?:ing)? to|result(?:ing)? in)\s+(?:\w+\s+){0,2}?"
    r"(?:errors?|problems?|issues?|unexpected)|break|disrupt)\b"
    r"|\bgradients?\b.{0,20}\b(?:not|won't|never|no longer)\s+(?:\w+\s+)?(?:flow|reach|propagate)"
    # What it does to the graph.
    r"|\b(?:breaks?|corrupts?|invalidates?|destroys?|disrupts?|violates?|interferes? with)\s+"
    r"(?:\w+\s+){0,3}?(?:autograd|graph|gradients?|backprop\w*|backward|rules?)\b"
    r"|\b(?:modif(?:y|ies)|overwrites?|changes?|destroys?)\s+(?:\w+\s+){0,4}?"
    r"(?:needed|saved|required)\s+(?:\w+\s+)?(?:for|by|in)\s+(?:the\s+)?"
    r"(?:autograd|backward|grad\w*)"
    rf"|\b{_WRONG}\s+gradients?\b"
    # What is not allowed.
    r"|^\W*(?:dangerous|unsafe|illegal|forbidden|disallowed|misuse"
    r"|fail(?:ing|ure) (?:example|case))\b"
    r"|(?:^\W*|\b(?:is|are)\s+)not (?:allowed|permitted|valid)\b(?!\s+to\b)"
    r"|\b(?:is|are) (?:illegal|disallowed)\b"
    r"|\b(?:cannot|can't|can not|won't|will not) be "
    r"(?:broadcast|multiplied|added|stacked|concat\w*)\b"
    r"|\bexample of (?:an?|the) (?:error|mistake|failure)\b|\(fails\)",
    re.IGNORECASE,
)
# "10 is out of vocabulary": a value that is not to be had, and is asked for all the same.
_SAYS_OUTSIDE = re.compile(
    r"\b(?:is|are|lies?|goes|falls?)\s+(?:out[- ]of|outside(?: of)?|beyond)[- ](?:the\s+)?"
    r"(?:\w+\s+)?(?:vocab\w*|range|bounds?|limits?|size)\b"
    r"|^\W*(?:\w+\W+){0,2}?out[- ]of[- ](?:vocab\w*|range|bounds?)\b"
    r"|[,;(–-]\s*out[- ]of[- ](?:vocab\w*|range|bounds?)\W*$",
    re.IGNORECASE,
)
_SAYS_UNFIT = re.compile(
    # "Mismatched types", "intentionally wrong shape", "invalid index": data made to fail.
    r"\b(?:mismatched|mismatching|incompatible|inconsistent)\s+(?!with\b|to\b|for\b)\w"
    r"|^\W*(?:\w+[\s,]+){0,4}?mismatch\b(?!\s+(?:here|error))"
    r"|(?:\bnot|n't)\s+(?:match(?:ing)?|(?:be )?compatible)\b"
    r"|\bsimulat\w+\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:error|mismatch|mistake|bug|failure)\b"
    r"|\b(?:intentional|deliberate)(?:ly)?\s+(?:\w+\s+){0,2}?"
    r"(?:wrong|incorrect|invalid|mismatch\w*|incompatible|bad|broken|fail\w*|errors?|mistakes?|bugs?"
    r"|too)\b"
    r"|^\W*(?:an?\s+)?invalid\s+\w",
    re.IGNORECASE,
)
_OF_A_GUARD = re.compile(
    r"\b(?:if|whether|when\w*|unless|avoid\w*|ensur\w+|prevent\w*|check\w*|handl\w+|clip\w*|clamp\w*"
    r"|ignor\w+|filter\w*|skip\w*|fix\w*|resolv\w*|solv\w*|correct(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)
_SAYS_RIGHT = re.compile(
    r"^\W*(?:(?:the|a)\s+)?(?:correct(?:ed|ly)?|fix(?:ed)?|solution|proper(?:ly)?|right)\b"
    r"(?!\s+(?:the|this|it|here)\b)",
    re.IGNORECASE,
)
# Of a line, that it does what it should.
_SAYS_WORKS = re.compile(
    r"^\W*(?:this|it|now|and)?\s*(?:(?:will|should|does)\s+)?(?:now\s+)?"
    r"(?:works?|runs?|succeeds?|executes?)"
    r"(?:\s+(?:correctly|fine|properly|as expected|now|well|successfully)){0,2}\s*(?:$|[.,;:!])"
    r"|^\W*no\s+errors?\b|\bwithout\s+(?:an?\s+)?errors?\W*$",
    re.IGNORECASE,
)
# A section that makes what the others work with.
_PREPARES = re.compile(
    r"^\W*(?:simulat|generat|prepar|initiali[sz]|load|set(?:ting)?[ -]?up|dummy|sample|synthetic)",
    re.IGNORECASE,
)
# What nobody writes who shows a mistake to others.
_ASKS = re.compile(r"\b(?:i|my|me|why|help|how (?:do|can|to)|todo|fixme)\b|\?", re.IGNORECASE)
# What nobody says of a backward() that raises.
_HAS_GRADIENTS = re.compile(
    r"(?<!not )(?<!never )\b(?:calculat|comput|flow|track|accumulat|propagat|backprop)\w*",
    re.IGNORECASE,
)
_EXPECTS_NONE = re.compile(r"\bNone\b")
_NOT_NONE = re.compile(r"\b(?:not|never|isn't|no longer|if|instead of)\b", re.IGNORECASE)
_NAMED_WRONG = re.compile(rf"^{_WRONG}$", re.IGNORECASE)
_STEPS = 3  # assignments that a name is followed back through
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_LONGEST = 400  # characters of a line that are read
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_COMMON = frozenset({"torch", "nn", "np", "numpy", "print", "F", "optim", "self", "len", "range"})


class Labels:
    """What a snippet says of its own ways of doing things: read once, in one pass."""

    def __init__(self, lines: Sequence[str], tree: ast.AST) -> None:
        self._lines = lines
        self._tree = tree
        self._wrong = _sections(lines, _says_wrong)
        self._outside = _sections(lines, _says_outside)
        self._prepares = _headed(lines, _PREPARES.search)
        self._right = _sections(lines, _SAYS_RIGHT.search)
        self._statements: dict[int, ast.stmt] = {}  # line → the innermost simple statement
        self._definitions: list[ast.ClassDef | ast.FunctionDef] = []
        self._made: list[tuple[set[int], set[str], set[str]]] = []  # lines, targets, their sources
        self._changes: list[tuple[int, set[str]]] = []  # in place: line, and what is changed
        self._picks: set[str] = set()  # of `y[bad] = …`: rows of the data that are made so
        for node in walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                self._definitions.append(node)
            elif isinstance(node, ast.stmt) and not hasattr(node, "body"):
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    self._statements[line] = node
                if isinstance(node, ast.Assign):
                    slots = (t.slice for t in node.targets if isinstance(t, ast.Subscript))
                    self._picks |= {s.id for s in slots if isinstance(s, ast.Name)}
                    for slot in (t for t in node.targets if isinstance(t, ast.Subscript)):
                        self._changes.append((node.lineno, _names(slot.value)))
                    targets = {name for target in node.targets for name in _names(target)}
                    self._made.append((_span(node), targets, _names(node.value)))
                elif (changed := _changed_in_place(node)) is not None:
                    self._changes.append((node.lineno, _names(changed)))

    def call_it_wrong(self, at: Sequence[int], of_index: bool = True) -> bool:
        """Whether the code says that what stands at these lines is how it is not done.

        Args:
            at: the lines from the call that led to the error to what raised it.
            of_index: the error may come of an index: then one that is called too large is meant.
        """
        failing = [self._statements[line] for line in at if line in self._statements]
        if not failing or any(self._right[s.lineno - 1] for s in failing):
            return False
        if any(_SAYS_WORKS.search(said) for said in self._about(failing)):
            return False
        names = {name for s in failing for name in _names(s)}
        reached, places = self._reached(names)
        around = {d.name for d in self._definitions if any(_holds(d, line) for line in at)}
        if any(_is_named_wrong(name) for name in (reached | around) - self._picks):
            return True
        places |= {line for s in failing for line in _span(s)} | set(self.changed_in_place(at))
        for d in self._definitions:
            if d.name in reached:
                places |= _span(d) - self._never_called(d)
        places -= self._not_run(at)
        if any(self._wrong[n - 1] or (of_index and self._outside[n - 1]) for n in places):
            return True
        if any(self._prepares[s.lineno - 1] for s in failing):
            return False
        made = {name for s in failing for name in bound(s) - read(s)}
        return self._right_way_below(max(s.end_lineno or s.lineno for s in failing), names, made)

    def changed_in_place(self, at: Sequence[int]) -> list[int]:
        """The lines above these that change in place what they compute with.

        What comes of it may show only later, as in backward().
        """
        statements = (self._statements[line] for line in at if line in self._statements)
        reached, _ = self._reached({name for s in statements for name in _names(s)})
        return [line for line, names in self._changes if names & reached and line < max(at)]

    def _never_called(self, d: ast.ClassDef | ast.FunctionDef) -> set[int]:
        """The lines of a class's `forward`, where the code calls none of its objects."""
        objects = {t for _, targets, sources in self._made if d.name in sources for t in targets}
        calls = (n.func for n in walk(self._tree) if isinstance(n, ast.Call))
        if any(isinstance(f, ast.Name) and f.id in objects for f in calls) or not objects:
            return set()
        methods = (n for n in d.body if isinstance(n, ast.FunctionDef) and n.name == "forward")
        return {line for method in methods for line in _span(method)}

    def _not_run(self, at: Sequence[int]) -> set[int]:
        """The lines below those in the functions that they stand in: a label there is of others."""
        found: set[int] = set()
        for line in at:
            inside = [d for d in self._definitions if _is_function(d) and _holds(d, line)]
            statement = self._statements.get(line)
            if inside and statement is not None:
                innermost = max(inside, key=lambda d: d.lineno)
                end = innermost.end_lineno or line
                found |= set(range((statement.end_lineno or line) + 1, end + 1))
        return found

    def expect_no_gradient(self, at: Sequence[int]) -> bool:
        """Whether a failing backward() is followed by a `.grad` that should be None, they say."""
        failing = [self._statements[line] for line in at if line in self._statements]
        backward = [s.end_lineno or s.lineno for s in failing if "backward" in _names(s)]
        if not backward or any(_HAS_GRADIENTS.search(said) for said in self._about(failing)):
            return False
        above = ""
        for text in self._lines[max(backward) :]:
            code, comment = _parted(text)
            for said in (comment if code.strip() else "", above):
                if ".grad" in code and _EXPECTS_NONE.search(said) and not _NOT_NONE.search(said):
                    return True
            above = "" if code.strip() else comment
        return False

    def _about(self, statements: Sequence[ast.stmt]) -> list[str]:
        """The comments beside statements, and those on the lines right above them."""
        said = []
        for s in statements:
            said += [_parted(t)[1] for t in self._lines[s.lineno - 1 : s.end_lineno]]
            if s.lineno > 1 and self._lines[s.lineno - 2].lstrip().startswith("#"):
                said.append(_parted(self._lines[s.lineno - 2])[1])
        return said

    def _reached(self, names: set[str]) -> tuple[set[str], set[int]]:
        """The names that these are computed from, over a few steps, and the lines of that."""
        reached, places = set(names), set[int]()
        for _ in range(_STEPS):
            here = [made for made in self._made if made[1] & reached]
            places |= {line for lines, _, _ in here for line in lines}
            reached |= {name for _, _, sources in here for name in sources}
        return reached, places

    def _right_way_below(self, after: int, names: set[str], made: set[str]) -> bool:
        """Whether a section further down is called the right way, and is about these names.

        One that reads what the failing line should have made needs that line to work.
        """
        for n, text in enumerate(self._lines[after:], start=after + 1):
            comment = _parted(text)[1] if text.lstrip().startswith("#") else ""
            if comment and _SAYS_RIGHT.search(comment) and not _ASKS.search(comment):
                children = ast.iter_child_nodes(self._tree)
                below = [s for s in children if isinstance(s, ast.stmt) and s.lineno > n]
                return any(_names(s) & names for s in below) and not needs(below, made)
        return False


def _says_wrong(comment: str) -> bool:
    if _SAYS_WRONG.search(comment):
        return True
    return bool(_SAYS_UNFIT.search(comment)) and not _OF_A_GUARD.search(comment)


def _says_outside(comment: str) -> bool:
    return bool(_SAYS_OUTSIDE.search(comment)) and not _OF_A_GUARD.search(comment)


def _sections(lines: Sequence[str], says: Callable[[str], object]) -> list[bool]:
    """For each line whether its comment, or one above it without a blank between, is a label."""
    found, above = [], False
    for text in lines:
        comment = _parted(text)[1]
        here = bool(comment and says(comment) and not _ASKS.search(comment))
        found.append(here or above)
        heads = here and text.lstrip().startswith("#")
        above = bool(text.strip()) and (above or heads)
    return found


def _headed(lines: Sequence[str], says: Callable[[str], object]) -> list[bool]:
    """For each line whether the last comment above it that has a line of its own says so."""
    found, here = [], False
    for text in lines:
        if text.lstrip().startswith("#"):
            here = bool(says(_parted(text)[1]))
        found.append(here)
    return found


def _holds(d: ast.ClassDef | ast.FunctionDef, line: int) -> bool:
    return d.lineno <= line <= (d.end_lineno or d.lineno)


def needs(statements: Sequence[ast.stmt], made: set[str]) -> bool:
    """Whether they read one of these names before they give it a value themselves."""
    open_ = set(made)
    for s in statements:
        if read(s) & open_:
            return True
        open_ -= bound(s)
    return False


def bound(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value."""
    named = (n for n in walk(statement) if isinstance(n, ast.Name))
    return {n.id for n in named if isinstance(n.ctx, ast.Store)}


def read(statement: ast.stmt) -> set[str]:
    """The names whose value it uses."""
    named = (n for n in walk(statement) if isinstance(n, ast.Name))
    return {n.id for n in named if isinstance(n.ctx, ast.Load)}


def _span(s: ast.stmt) -> set[int]:
    return set(range(s.lineno, (s.end_lineno or s.lineno) + 1))


def _is_function(d: ast.ClassDef | ast.FunctionDef) -> bool:
    return isinstance(d, ast.FunctionDef)


def _changed_in_place(s: ast.stmt) -> ast.expr | None:
    """`x` of `x += 1` and of `x.add_(1)`."""
    if isinstance(s, ast.AugAssign):
        return s.target
    function = s.value.func if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None
    is_in_place = isinstance(function, ast.Attribute) and re.fullmatch(r"\w*[^\W_]_", function.attr)
    return function.value if isinstance(function, ast.Attribute) and is_in_place else None


def _names(node: ast.AST) -> set[str]:
    found = {n.id for n in walk(node) if isinstance(n, ast.Name)}
    return (found | {n.attr for n in walk(node) if isinstance(n, ast.Attribute)}) - _COMMON


def _is_named_wrong(name: str) -> bool:
    return any(_NAMED_WRONG.match(word) for word in _WORDS.findall(name))


def _parted(text: str) -> tuple[str, str]:
    """A line's code and its comment; a `#` in a string begins none."""
    text = text[:_LONGEST]
    masked = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text)
    at = masked.find("#")
    return (text, "") if at < 0 else (text[:at], text[at + 1 :].strip())

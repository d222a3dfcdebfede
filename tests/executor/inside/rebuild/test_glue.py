"""executor/inside/rebuild/glue.py in real runs: what is added, and that nothing else changes."""

from __future__ import annotations

from executor.protocol import Bound, Glue, Job, JobResult, Outcome
from tests.executor.conftest import House


def run(house: House, code: str, glue: Glue) -> JobResult:
    """A run with something added."""
    return house.run(code, glue=glue)


def bound(name: str, expression: str) -> Bound:
    """A value for a name."""
    return Bound(name=name, expression=expression, what="a value")


def test_a_name_is_made_of_the_class_above_its_first_use(any_house: House):
    """It is evaluated when it is read, not before."""
    code = "class Two:\n    n = 2\nprint(pair.n)\nprint(pair is pair)"
    result = run(any_house, code, Glue(before=(bound("pair", "Two()"),)))
    assert (result.outcome, result.stdout) == (Outcome.OK, "2\nTrue\n")
    assert [s.name for s in result.stand_ins] == ["pair"]


def test_a_name_without_a_value_stays_undefined(any_house: House):
    """With Python's own message and at its own line."""
    result = run(any_house, "a = 1\nprint(b)", Glue(before=(bound("c", "1"),)))
    assert result.error is not None
    assert (result.error.type, result.error.line) == ("NameError", 2)
    assert result.error.message == "name 'b' is not defined"


def test_attributes_of_a_namespace_are_made_one_by_one(any_house: House):
    """`args.lr` and `args.bs`, and no other."""
    glue = Glue(before=(bound("args", '_stubs.Namespace("args")'), bound("args.lr", "0.5")))
    result = run(any_house, "print(args.lr)\nargs.bs", glue)
    assert result.stdout == "0.5\n"
    assert result.error is not None
    assert result.error.type == "AttributeError"


def test_methods_without_a_class_get_one(any_house: House):
    """Their lines stay their lines."""
    code = (
        "def __init__(self):\n    super().__init__()\n    self.fc = torch.nn.Linear(3, 2)\n"
        "def forward(self, x):\n    return self.fc(x)\n"
    )
    glue = Glue(
        header="Posted(__import__('torch').nn.Module)", after=("Posted()(torch.ones(1, 4))",)
    )
    result = run(any_house, code, glue)
    assert result.error is not None
    assert (result.error.line, result.error.family) == (5, "matmul_shapes")
    assert not result.only_definitions


def test_a_module_that_is_not_installed_gets_a_stub(any_house: House):
    """With all that is below it; what is installed stays what it is."""
    code = (
        "import nowhere.inside as n\nfrom nowhere.inside import Reader\nimport math\n"
        "class A(n.LightningModule): pass\nprint(isinstance(A(), torch.nn.Module), math.pi > 3)"
    )
    result = run(any_house, code, Glue(modules=("nowhere",)))
    assert result.outcome is Outcome.OK, result.stderr
    assert result.stdout == "True True\n"


def test_files_are_there_before_the_snippet(any_house: House):
    """Statements run first."""
    glue = Glue(first=("open('a.txt', 'w').write('hello')",))
    assert run(any_house, "print(open('a.txt').read())", glue).stdout == "hello\n"


def test_every_addition_is_an_assumption(any_house: House):
    """Nothing is added in silence."""
    glue = Glue(
        before=(bound("x", "1"),),
        first=("open('a', 'w')",),
        after=("f(x)",),
        modules=("nowhere",),
        header="P(object)",
    )
    code = "import nowhere\ndef g(self): pass\ndef f(x): return x\n"
    told = " ".join(run(any_house, code, glue).assumptions)
    for part in ("`x`", "open('a', 'w')", "f(x)", "`nowhere`", "`P`"):
        assert part in told, told


def test_a_job_without_glue_is_as_before():
    """The field is optional."""
    assert Job.model_validate({"code": "1"}).glue is None


def test_methods_outside_of_the_posted_class_are_its_own(any_house: House):
    """The header names that class; nothing of it is lost."""
    code = (
        "def twice(self):\n    return 2 * self.n\n\n"
        "class Net:\n    def __init__(self):\n        self.n = 3\n"
    )
    result = run(any_house, code, Glue(header="Net", after=("print(Net().twice())",)))
    assert (result.outcome, result.stdout) == (Outcome.OK, "6\n")


def test_a_class_made_of_methods_stands_above_what_uses_it(any_house: House):
    """A call may be posted before the method that it is about."""
    code = (
        "import math\nprint(Posted().twice(math.pi // 1))\ndef twice(self, n):\n    return 2 * n\n"
    )
    result = run(any_house, code, Glue(header="Posted(object)"))
    assert (result.outcome, result.stdout) == (Outcome.OK, "6.0\n")


def test_a_return_without_its_function_is_run(any_house: House):
    """The head of the function was not posted."""
    result = run(any_house, "x = 2\nprint(x)\nreturn x.nothing\n", Glue())
    assert (result.outcome, result.stdout) == (Outcome.ERROR, "2\n")
    assert result.error is not None
    assert (result.error.type, result.error.line) == ("AttributeError", 3)


def test_a_model_that_is_not_here_has_no_parameters(any_house: House):
    """The optimizer's error then comes of the module that is missing, not of the code."""
    code = "import torch\nfrom away import Net\n\ntorch.optim.SGD({}.parameters(), lr=0.1)\n"
    glue = Glue(modules=("away",))

    assert run(any_house, code.format("Net()"), glue).needs_module == "away"
    own = "import torch\ntorch.optim.SGD(torch.nn.ReLU().parameters(), lr=0.1)\n"
    assert run(any_house, own, Glue(before=(bound("pair", "1"),))).needs_module == ""

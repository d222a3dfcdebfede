"""What a snippet's text says of the files that it reads."""

from __future__ import annotations

import ast

import pytest

from executor.inside.resources.uses import Uses


def uses(code: str) -> Uses:
    """The uses of a snippet."""
    return Uses(ast.parse(code), code)


@pytest.mark.parametrize(
    ("code", "columns", "highest"),
    [
        ("df = pd.read_csv('a.csv')\nx = df['age']\ny = df[['b', 'c']]", ("age", "b", "c"), 0),
        ("t = pd.read_csv('a.csv')\nX = t.drop('price', axis=1)", ("price",), 0),
        ("t = pd.read_csv('a.csv')\nX = t.drop(columns=['id', 'price'])", ("id", "price"), 0),
        ("t = pd.read_csv('a.csv')\nX = t.iloc[:, :4].values\ny = t.iloc[:, 4]", (), 5),
        ("t = pd.read_csv('a.csv')\nt.loc[:, 'label']", ("label",), 0),
        ("t = pd.read_csv('a.csv')\ny = t.label\nn = t.shape", ("label",), 0),
        ("class D:\n  def __init__(self):\n    self.rows = pd.read_csv('a.csv')\n"
         "  def __getitem__(self, i):\n    return self.rows.iloc[i, 0], self.rows['y']",
         ("y",), 1),
        ("t = pd.read_csv('a.csv')\nu = t.dropna()\nu['z']", ("z",), 0),
        ("state = torch.load('a.pt')\nstate['model']", (), 0),
        ("x = other['not_a_column']", (), 0),
    ],
)  # fmt: skip
def test_columns_follow_from_their_use(code: str, columns: tuple[str, ...], highest: int) -> None:
    """Every way to name a column of a table, and none of something else."""
    assert uses(code).columns() == (columns, highest)


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("train.csv", True),
        ("data/train.csv", True),
        ("/content/drive/train.csv", True),
        ("other.csv", False),
        (".netrc", False),
        ("/cell/work/.cache/train.csv", False),
    ],
)
def test_only_what_the_text_names_is_supplied(path: str, named: bool) -> None:
    """A library that looks for its own files gets none."""
    assert uses("pd.read_csv(root + 'train.csv')").names(path) is named


@pytest.mark.parametrize(
    ("handler", "handles"),
    [
        ("except FileNotFoundError:", True),
        ("except (ValueError, OSError):", True),
        ("except Exception as e:", True),
        ("except:", True),
        ("except KeyError:", False),
    ],
)
def test_what_the_snippet_handles_stays_missing(handler: str, handles: bool) -> None:
    """`try: load … except FileNotFoundError: start anew` starts anew."""
    code = f"try:\n    x = torch.load('a.pt')\n{handler}\n    x = open('b.txt')"
    assert uses(code).handles(2) is handles
    assert uses(code).handles(4) is False


@pytest.mark.parametrize(
    ("code", "suffix"),
    [
        ("glob.glob('data/*.png')", "png"),
        ("[f for f in os.listdir(d) if f.endswith('.npy')]", "npy"),
        ("f'{root}/{i}.jpg'", "jpg"),
        ("Image.open(os.path.join(d, name))", "jpg"),
        ("os.listdir(d)", "txt"),
    ],
)
def test_files_of_a_folder_have_the_suffix_that_is_looked_for(code: str, suffix: str) -> None:
    """A pattern in the text, or what reads the files."""
    assert uses(code).listed_suffix() == suffix


@pytest.mark.parametrize(
    ("code", "nested"),
    [
        ("for d in os.listdir(root):\n    for f in os.listdir(os.path.join(root, d)): pass", True),
        ("names = sorted(os.listdir(r))\nfor n in names:\n    x = os.listdir(r + n)", True),
        ("x = [len(os.listdir(d)) for d in os.listdir(r)]", True),
        ("for d in root.iterdir():\n    x = list(d.glob('*.jpg'))", True),
        ("for f in os.listdir(root):\n    open(f)", False),
        ("a = os.listdir('a')\nb = os.listdir('b')\nfor x, y in zip(a, b):\n    print(x)", False),
        ("for i in range(3):\n    os.listdir(root)", False),
    ],
)
def test_a_folder_of_folders_is_known_by_its_use(code: str, nested: bool) -> None:
    """What is listed is looked through as a folder again."""
    assert uses(code).lists_within_a_list() is nested


def test_items_are_all_texts_that_subscript_something() -> None:
    """The columns of a data set of which nothing else is known are among them."""
    code = "def f(b):\n    return tok(b['text'])\nprint(d['train'][0]['label'])\nx['made'] = 1"
    assert set(uses(code).items()) == {"text", "train", "label"}

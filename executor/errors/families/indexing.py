"""Indexing: positions that are not there, dtypes of indices, gather and scatter, masks, keys."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

# Layers of graphs, which look up the rows of `x` by the numbers in `edge_index`.
_OF_A_GRAPH = r"\b(?:torch_geometric|PyG|message_passing|edge_index|(?:GCN|GAT|GIN|SAGE)\w*Conv)\b"
_EDGES_KEPT = r"\b(?!Transductive)\w*Conv\(.{0,80}?\bcached\s*=\s*True"
_LOOKED_UP_BY_EDGES = (
    "A layer of a graph looks up rows of `x` by the numbers in `edge_index`, and one of them is "
    "not below the number of rows (or negative)"
)

# That the error comes with longer text: then the positions are asked about, and no token.
_LONGER = (
    r"\b(?:long|longer|larger|bigger) (?:texts?|articles?|documents?|sentences?|sequences?|inputs?"
    r"|paragraphs?|reviews?|prompts?)\b"
    r"|\b(?:extend|increas|exceed|rais)\w*[^.\n]{0,20}\b(?:length|number of (?:tokens|words))\b"
)
_POSITIONS = r"posi\w*_?emb|pos_?emb|posi\w*_?enc|\bwpe\b|embed_positions"
_SEGMENTS = r"token_type_emb|segment_emb|seg_emb"
_VOCABULARY = r"(?:word2|char2|tok2|token2|vocab|stoi|w2i|to_?idx?|to_ix|2id)\w*\[(?!['\"])"
_TABLE = r"\b(?:pandas|dataframe|data frame|df|pd\.\w+|train_test_split|iloc|loc)\b"

# Class numbers that are an index themselves: `t[b, labels]`; neither `labels[i]` nor `labels > 0`.
_CLASS_INDEX = (
    r"[\w\])]\[(?:[^\[\]]{0,80},\s*)?(?:self\.)?(?:\w+_)?(?:labels?|class(?:es)?|cls|targets?)"
    r"(?:_(?:ids?|idx|inds?|labels?|num))?(?:\.(?:long|int)\(\))?\s*[\],]"
)

# An index into a tensor or an array, where its size tells more.
_BOUNDS = (
    Sentence(
        "There is nothing in it: print the shape step by step before the line. A filter, a "
        "threshold or a slice that left nothing, or files that were not found, give that; where "
        "it may happen, ask `if len(x):` first",
        {"size": "0"},
    ),
    Sentence(
        "Here the index is a class or a group. If they are numbered from 1, subtract 1; if there "
        "are more than {size}, make more places for them; if {index} marks what has "
        "no class, leave those out first",
        {"line": r"\b(?:scatter|one_hot|index_add|bincount)\w*\("},
    ),
    Sentence(
        "By its name the index is a class number, and there is room for {size} of them: print the "
        "smallest and the largest of the labels. If they are numbered from 1, subtract 1; if they "
        "carry the numbers of a longer list of classes (a labelling tool's, the full data set's), "
        "give them the numbers from 0 in the files or by a table; if there really are more than "
        "{size} classes, tell the model so",
        {"line": _CLASS_INDEX},
    ),
    Sentence(
        "There is a single entry: print the shape. If it is a batch of one, or a "
        "dimension of size 1 that was added, the index belongs to the next dimension (or "
        "`squeeze` takes it away); if several are meant, see what made one of them",
        {"size": "1"},
    ),
    Sentence(
        "The index is just behind the last, {last}. If it counts from 1 (labels, ids), subtract "
        "1; if a loop reads the next element too (`x[i + 1]`), it has to end one earlier; if "
        "{size} is meant to be the number of all, it is one too small",
        {"last": r".+"},
    ),
)


def _just_behind(seen: SeenError, message: str) -> Mapping[str, str]:
    """The last index, where the one that is asked for is the next."""
    size = seen.number("size")
    return {"last": str(size - 1)} if seen.number("index") == size > 0 else {}


def _mask(seen: SeenError, message: str) -> Mapping[str, str]:
    """The sizes that differ, and what a mask's own sizes fit instead.

    The message counts the dimensions of the mask and those of the tensor by themselves: with an
    index before the mask they are not the same number.
    """
    mask, tensor = seen.sizes("mask"), seen.sizes("tensor")
    at, of = seen.numbers("mask_dimension", "tensor_dimension")
    if at >= len(mask) or of >= len(tensor):
        return {}
    sizes = {"mask_size": str(mask[at]), "size": str(tensor[of])}
    if of > at:
        one_each = len(mask) == 1 and mask[0] in tensor[:of]
        return {**sizes, "behind": "one each" if one_each else "another index"}
    if tensor[-len(mask) :] == mask:
        return {**sizes, "at_the_end": "yes"}
    if at == of == 0 and len(mask) > 1 and mask[1:] == tensor[1 : len(mask)]:
        times, rest = divmod(tensor[0], mask[0] or 1)
        return {**sizes, "times": str(times)} if times > 1 and not rest else sizes
    return sizes


def _cuts(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether real numbers are to be written as whole ones."""
    cuts = seen["target"] in _WHOLE and seen["source"] in _REAL
    return {"cuts": "yes"} if cuts else {}


_REAL = ("Float", "Double", "Half", "BFloat16", "float", "double", "c10::Half")
_WHOLE = ("Long", "Int", "Short", "Char", "Byte", "Bool", "long", "int", "long long", "bool")
_INTO = (
    Sentence(
        "If their fractions matter, make the tensor that is written into floating point where it "
        "is made (`x.float()`): converting the values would cut them off. If they are whole "
        "numbers, `value.to(x.dtype)`",
        {"cuts": r"yes"},
    ),
    "Convert what is written, `value.to(x.dtype)`, or, where autocast made it half, make the "
    "tensor of its dtype",
)

# The last frame is that of a data set which is asked for a sample.
_A_SAMPLE = r" __getitem__\Z"

# What torchvision's detectors read of a target.
_OF_A_DETECTION = r"'(?:boxes|labels|masks|keypoints)'"

FAMILIES = (
    ErrorFamily(
        id="embedding_range",
        says="An embedding or a table is asked for a row that it has not.",
        means=(
            *(
                Sentence(
                    "A position is looked up that the table of positions has not: the sequence is "
                    "longer than the model has learned positions for",
                    {where: _POSITIONS},
                )
                for where in ("raising", "line")
            ),
            *(
                Sentence(
                    "A kind of segment (token_type_ids) is looked up that the model has not",
                    {where: _SEGMENTS},
                )
                for where in ("raising", "line")
            ),
            *(
                Sentence(
                    f"{_LOOKED_UP_BY_EDGES} | `cached=True`: such a layer keeps the edges of its "
                    "first call, and uses them for every other graph",
                    {where: _EDGES_KEPT},
                )
                for where in ("code", "words")
            ),
            *(
                Sentence(
                    f"{_LOOKED_UP_BY_EDGES} | an `x` that has fewer rows than the graph has nodes "
                    "(pooled, or of another graph), or nodes that are not numbered from 0",
                    {where: _OF_A_GRAPH},
                )
                for where in ("frames", "code", "words")
            ),
            Sentence(
                "Row {index} is asked of a table with {rows} rows, counted from 0 | where it comes "
                "with longer text, the positions: a model has learned only so many (512 in BERT, "
                "1024 in GPT-2), and a text has more tokens than words",
                {"words": _LONGER, "index": r".+"},
            ),
            Sentence(
                "An index is not below the size of the table it looks up, or negative | where it "
                "comes with longer text, the positions: a model has learned only so many (512 in "
                "BERT, 1024 in GPT-2), and a text has more tokens than words",
                {"words": _LONGER},
            ),
            (
                "Row {index} is asked of a table with {rows} rows, counted from 0 | a token id "
                "that is not below an Embedding's num_embeddings"
            ),
            (
                "An index is negative, or not below the size of the table it looks up | a token "
                "id that is not below an Embedding's num_embeddings"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "Where graphs differ (batches of a loader, another split), leave out "
                    "`cached=True`: it is for one graph that stays the same. With it a larger "
                    "graph raises nothing and is computed with the edges of the first one",
                    {where: _EDGES_KEPT},
                )
                for where in ("code", "words")
            ),
            *(
                Sentence(
                    "Print `x.shape` and `edge_index.max()` right before the layer that fails. If "
                    "`x` was pooled there, keep the rows of the nodes under a name of their own; "
                    "if the nodes are numbered with gaps or from 1, number them from 0",
                    {where: _OF_A_GRAPH},
                )
                for where in ("frames", "code", "words")
            ),
            *(
                Sentence(
                    "Print the length of the sequence and the number of positions "
                    "(`model.config.max_position_embeddings`, or num_embeddings of that "
                    "Embedding). Cut the text to it, `tokenizer(text, truncation=True, "
                    "max_length=…)`, split it into windows that overlap, or, of a model that is "
                    "trained from the start, make the table longer",
                    {where: _POSITIONS},
                )
                for where in ("raising", "line")
            ),
            *(
                Sentence(
                    "Leave token_type_ids out, or print their largest: it has to be below "
                    "`model.config.type_vocab_size` (2 in BERT, 1 in RoBERTa, for which a "
                    "tokenizer of BERT makes others)",
                    {where: _SEGMENTS},
                )
                for where in ("raising", "line")
            ),
            Sentence(
                "Print `input_ids.shape`, and cut the text to what the model takes: "
                "`tokenizer(text, truncation=True, max_length=512)` "
                "(`model.config.max_position_embeddings` says how many), split it into parts, or "
                "take a model for long texts. If the shape is within that, look at "
                "`input_ids.max()`: every id has to be below `model.config.vocab_size`",
                {"words": _LONGER},
            ),
            *(
                Sentence(
                    "A language model looks up two tables: print `input_ids.shape` and "
                    "`input_ids.max()`. More tokens than `model.config.max_position_embeddings` "
                    "(512 in BERT, 1024 in GPT-2; tokens are not words): `tokenizer(text, "
                    "truncation=True, max_length=512)`, or windows that overlap. An id not below "
                    "`model.config.vocab_size`: the tokenizer of the same checkpoint, and after "
                    "adding tokens `model.resize_token_embeddings(len(tokenizer))`",
                    {where: r"\b(?:\w*bert\w*|gpt\W?2?|tokeni[sz]ers?|transformers)\b"},
                )
                for where in ("words", "code")
            ),
            (
                "Print `ids.min(), ids.max()` of what goes in, and see where the largest comes "
                "from if it is not below num_embeddings. An id of the data: the table needs one "
                "row more than it (ids from 1, padding, unknown words and values that only the "
                "test data have count too; of a table that was trained elsewhere, give its own "
                "ids). One that was predicted: as many scores as the table has rows. If the "
                "smallest is below 0, a mark such as -100 or -1 is among them. If both fit, it is "
                "another table, such as that of positions for a long sequence"
            ),
        ),
        suspects=(Suspect(r"Embedding|EmbeddingBag", "the table"),),
        types=("IndexError", "RuntimeError"),
        today=(r"index out of range in self",),
        older=(
            r"index out of range: Tried to access index (?P<index>-?\d+) out of table with "
            r"(?P<rows>\d+) rows",
            r"^index out of range at \S{0,200}TH",
        ),
        values={"index": "that is asked for", "rows": "of the table"},
        sample="nn.Embedding(10, 4)(torch.tensor([10]))",
        examples=(
            "RuntimeError: index out of range at /pytorch/torch/lib/TH/generic/THTensorMath.c:277",
            "RuntimeError: index out of range: Tried to access index 12 out of table with 10 rows. "
            "at /pytorch/aten/src/TH/generic/THTensorEvenMoreMath.cpp:418",
        ),
    ),
    ErrorFamily(
        id="embedding_dtype",
        says="An embedding gets numbers that are no integers.",
        means=("An Embedding takes whole numbers (token ids, int64) and gets {given}",),
        remedy=(
            *(
                Sentence(
                    "Where the ids are Long at the start, they became floats on the way: print the "
                    "dtype right before that very Embedding. An `nn.Sequential` hands each layer "
                    "the output of the one before, so an Embedding that is not its first gets "
                    "vectors; `torch.cat` with floats and a division give floats too",
                    {where: r"(?i)\bint64\b|\blong(?:tensor)?\b", "given": r".*(?:Float|Double).*"},
                )
                for where in ("words", "code")
            ),
            "If they are ids, convert them right before it: `ids.long()`. If they are real "
            "values, a Linear layer is meant, or of a language model `inputs_embeds=`",
        ),
        suspects=(Suspect(r"Embedding"),),
        types=("RuntimeError",),
        today=(
            r"Expected tensor for argument #1 'indices' to have (?:one of the following scalar "
            r"types: Long, Int|scalar type Long); but got (?P<given>\S+) instead",
        ),
        values={"given": "type of the indices, such as torch.FloatTensor"},
        sample="nn.Embedding(10, 4)(torch.tensor([1.0]))",
        examples=(
            "RuntimeError: Expected tensor for argument #1 'indices' to have scalar type Long; but "
            "got torch.FloatTensor instead (while checking arguments for embedding)",
        ),
    ),
    ErrorFamily(
        id="index_out_of_bounds",
        says="An index lies outside of its dimension.",
        means=(
            "Index {index} into dimension {dimension}, which has {size} entries, counted from 0",
            "Index {index} into a dimension that has {size} entries, counted from 0",
        ),
        remedy=(
            *_BOUNDS,
            "Print the shape and the index before the line: perhaps a loop runs further than the "
            "tensor is long, the index counts something else (samples of the whole data set, "
            "where the tensor is one batch), or the dimensions are in another order",
        ),
        derive=_just_behind,
        types=("IndexError", "RuntimeError"),
        today=(
            r"index (?P<index>-?\d+) is out of bounds for dimension (?P<dimension>\d+) with size "
            r"(?P<size>\d+)",
            # of a GPU, and of torch before 1.1
            r"index (?P<index>-?\d+) is out of bounds for dim(?:ension)? with size (?P<size>\d+)",
        ),
        values={
            "index": "that is asked for",
            "dimension": "number of the dimension",
            "size": "of that dimension",
        },
        sample="torch.ones(4)[4]",
        written=True,
    ),
    ErrorFamily(
        id="array_index_out_of_bounds",
        says="An index lies outside of an axis of a NumPy array.",
        means=(
            (
                "Index {index} into axis {dimension} of an array, which has {size} "
                "entries, counted from 0"
            ),
        ),
        remedy=(*_BOUNDS, "Print `.shape` and the index before the line"),
        derive=_just_behind,
        types=("IndexError",),
        today=(
            r"index (?P<index>-?\d+) is out of bounds for axis (?P<dimension>\d+) with size "
            r"(?P<size>\d+)",
        ),
        values={
            "index": "that is asked for",
            "dimension": "number of the axis",
            "size": "of that axis",
        },
        sample="np.ones(4)[4]",
        written=True,
    ),
    ErrorFamily(
        id="module_index_out_of_range",
        says="A Sequential or a ModuleList is asked for a module that it has not.",
        means=(
            (
                "Module number {index} is asked of a Sequential or ModuleList that has "
                "fewer; they count from 0"
            ),
        ),
        remedy=("Print `len(…)` of it",),
        types=("IndexError",),
        today=(r"^index (?P<index>-?\d+) is out of range",),
        values={"index": "that is asked for"},
        sample="nn.Sequential(nn.ReLU())[3]",
        typed=True,
    ),
    ErrorFamily(
        id="too_many_indices",
        says="A tensor is indexed in more dimensions than it has.",
        means=(
            "A tensor with {dimensions} dimensions is indexed in more, or by a string: PyTorch "
            "says that of `x['key']` too",
        ),
        remedy=(
            "Print the type and the shape before the line: perhaps it was meant to be a "
            "dictionary, a dimension was lost (squeeze, an index), or the batch dimension is "
            "missing",
        ),
        types=("IndexError",),
        today=(r"too many indices for tensor of dimension (?P<dimensions>\d+)",),
        values={"dimensions": "that the tensor has"},
        sample="torch.ones(4)[0, 0]",
        written=True,
    ),
    ErrorFamily(
        id="array_too_many_indices",
        says="A NumPy array is indexed in more dimensions than it has.",
        means=("An array is indexed in more dimensions than it has",),
        remedy=(
            "Print `.shape` and `.dtype` before the line. An array of arrays (object) has rows of "
            "different lengths, and no columns; if a single row or column was taken out, the axis "
            "is gone with it: `x[i:i + 1]` keeps it",
        ),
        types=("IndexError",),
        today=(r"too many indices for array: array is (?P<dimensions>\d+)-dim",),
        values={"dimensions": "that the array has"},
        sample="np.ones(4)[0, 0]",
        written=True,
    ),
    ErrorFamily(
        id="index_of_a_number",
        says="A tensor without dimensions is indexed.",
        means=(
            (
                "A tensor without dimensions, a single number, is indexed: since torch 0.4 "
                "a loss or a sum is such a number"
            ),
        ),
        remedy=(
            Sentence(
                "Write `loss.item()` in place of `loss.data[0]`",
                {"code": r"\.data\[0\]"},
            ),
            (
                "For its number write `.item()` instead of `[0]` or `.data[0]`; if several values "
                "are meant, print its shape before the line, and find what reduced it to one"
            ),
        ),
        suspects=(Suspect(r"data", "is a single number where the loss is", kinds=("read",)),),
        types=("IndexError",),
        today=(r"invalid index of a 0-dim tensor",),
        sample="torch.tensor(1.0)[0]",
        written=True,
    ),
    ErrorFamily(
        id="slice_of_a_number",
        says="A tensor without dimensions is sliced.",
        means=("A tensor without dimensions, a single number, is sliced",),
        remedy=(
            "If one number is meant, leave the slice out. If there should be several, see what "
            "reduced them: `squeeze()` takes the batch of a single sample too (`squeeze(1)` does "
            "not), an index or a sum a dimension",
        ),
        types=("IndexError", "RuntimeError"),
        today=(r"slice\(\) cannot be applied to a 0-dim",),
        sample="torch.tensor(1.0)[:1]",
        written=True,
    ),
    ErrorFamily(
        id="slice_step",
        says="A tensor is sliced with a step that is not positive.",
        decides=True,
        means=("A tensor is sliced with a negative step, which tensors do not have",),
        remedy=("Write `torch.flip(x, [0])` for `x[::-1]`",),
        types=("ValueError",),
        today=(r"step must be greater than zero",),
        older=(r"negative step not yet supported",),
        sample="torch.ones(4)[::-1]",
        examples=("ValueError: negative step not yet supported",),
    ),
    ErrorFamily(
        id="index_dtype",
        says="A tensor is indexed by one that holds no integers.",
        means=("A tensor is indexed by one that holds no integers",),
        remedy=(
            "If it holds positions, `index.long()`; if it is a mask of zeros and ones, "
            "`index.bool()`. If it holds scores, compare them (`x > 0.5`) or take their "
            "`argmax(dim=1)` first",
        ),
        types=("IndexError",),
        today=(r"tensors used as indices must be long",),
        sample="torch.ones(4)[torch.tensor([0.0])]",
    ),
    ErrorFamily(
        id="index_type",
        says="A list, a tuple or an array is indexed by something that is no position.",
        means=(
            Sentence(
                "A {of} is indexed by a {given}; it takes a position or a slice", {"of": r".+"}
            ),
            ("An array is indexed by something that is no whole number, slice or array of them"),
        ),
        remedy=(
            Sentence(
                "Print what is indexed. If it is a dict's key or a line of text: going through a "
                "dict gives its keys (`.items()` gives both, `.values()` what they hold), and a "
                "text of JSON has to be read with `json.loads`",
                {"of": "string"},
            ),
            Sentence(
                "Print what is indexed. If it is a {of} of dicts, take one of them first, "
                "`x[0]['key']`; if it is what a loader gives, [inputs, labels], take it apart by "
                "position, `inputs, labels = batch`",
                {"given": "str"},
            ),
            Sentence(
                "A {of} has one index alone. If it is meant as a table, make a tensor or an array "
                "of it first: `torch.stack(x)` of tensors, `np.array(x)` of lists; if it holds "
                "several results, take one first, `x[0][:, i]`",
                {"given": "tuple"},
            ),
            Sentence(
                "For one position use `int(i)` or `i.item()`; for several at once `[x[j] for j in "
                "i.tolist()]`, or `torch.stack` the {of} first, if it holds tensors",
                {"given": r"(?:torch\.)?Tensor|(?:numpy\.)?ndarray"},
            ),
            Sentence(
                "A position is a whole number: `a // b` gives one, `a / b` does not; else `int(i)`",
                {"given": r"(?:numpy\.)?float\d*"},
            ),
            (
                "Print the types of both: a position is a whole number, `int(i)`, and of an array "
                "or a table of pandas a column is asked by its name in the table alone"
            ),
        ),
        types=("TypeError", "IndexError"),
        today=(
            r"(?P<of>list|tuple) indices must be integers(?: or slices)?, not (?P<given>[\w.]+)",
            r"(?P<of>string) indices must be integers(?:(?: or slices)?, not '?(?P<given>[\w.]+))?",
            r"only integers, slices",
        ),
        breadth=-13,  # NumPy's wording names the ellipsis, which another family asks for
        values={"of": "what is indexed", "given": "type of the index"},
        sample='[1, 2]["a"]',
    ),
    ErrorFamily(
        id="list_range",
        says="A position is asked of a list, a tuple or a string that it has not.",
        means=(
            Sentence(
                "A data set of {raised_in} is asked for a sample that it has not; samples count "
                "from 0",
                {"raised_in": r".+", "raising": r"\braise\b", "frames": _A_SAMPLE},
            ),
            Sentence(
                "{raised_in} is asked for a position that it has not; positions count from 0",
                {"raised_in": r".+", "raising": r"\braise\b"},
            ),
            (
                "A position is asked of a list, tuple or string that it has not; positions "
                "count from 0"
            ),
        ),
        remedy=(
            Sentence(
                "`{quoted}` draws positions below the number of its weights, so they have to be "
                "one for each sample of the data set, and not one for each class: "
                "`weights[labels]`, with the class numbers of all samples. Compare `len(weights)` "
                "with `len(dataset)`. Where each sample holds several classes (the points of a "
                "cloud, the pixels of a picture), no drawing of samples balances them: give the "
                "loss the weights of the classes, `CrossEntropyLoss(weight=…)`",
                {"frames": _A_SAMPLE, "code": r"\bWeightedRandomSampler\("},
            ),
            Sentence(
                "The script was started with fewer arguments than it reads: `python script.py a "
                "b`. In a notebook set the values in place of `sys.argv`",
                {"line": r"\bargv\["},
            ),
            Sentence(
                "What is searched for in that line gives fewer than are taken: print it. A folder "
                "without such files (`os.getcwd()` says where it looks), or a pattern that is "
                "written for `/` where paths have `\\`, finds nothing",
                {"line": r"\b(?:i?glob|listdir|findall|find_all|scandir)\b"},
            ),
            Sentence(
                "A line, or a name, has fewer parts than the code takes for granted: print it "
                "before it is split. An empty line at the end, another separator or another folder "
                "gives that",
                {"line": r"split\([^)\n]{0,40}\)\["},
            ),
            "Print it and its length before the line. It may be empty (no file was found, a filter "
            "left nothing), a loop may count the elements of something longer, or the parts of a "
            "sample may be fewer than are taken from it",
        ),
        types=("IndexError",),
        today=(
            r"(?:list|tuple|string|pop|deque) (?:assignment )?index out of range"
            r"|pop from (?:an )?empty|index out of range$",
        ),
        sample="[1, 2][2]",
        written=True,
    ),
    ErrorFamily(
        id="tensor_as_key",
        says="A dictionary is asked for a tensor: it finds keys by identity, not by value.",
        decides=True,
        means=(("A dictionary is asked for a tensor: it finds keys by identity, not by value"),),
        remedy=("Use `.item()` as the key",),
        types=("KeyError",),
        today=(r"^tensor\((?P<value>-?\d+|True|False)(?:, device='[\w:]+')?\)$",),
        values={"value": "of the tensor"},
        sample="{1: 2}[torch.tensor(1)]",
        typed=True,
    ),
    ErrorFamily(
        id="registered_twice",
        says="A name is entered twice in a library's registry.",
        means=(
            "{name} is entered twice in the registry of {registry} | two installed packages, or "
            "two versions of one, bring it, or a file that registers it was imported twice",
        ),
        remedy=(
            "Compare the versions of the packages that work together (mmcv with mmdet or mmseg), "
            "and leave one of the two entries; in a notebook, restart before the cell runs again",
        ),
        types=("KeyError",),
        today=(
            r"^['\"]{1,2}(?P<name>[\w.]{1,100}) is already registered in "
            r"(?P<registry>[\w. ]{1,80})",
        ),
        values={"name": "that is entered", "registry": "where"},
        needs="packages with a registry",
        examples=("KeyError: 'NormWS is already registered in norm layer'",),
    ),
    ErrorFamily(
        id="not_registered",
        says="A library's registry does not know a name.",
        means=(
            "{name} is not in the registry {registry} | the file that registers it was never "
            "imported, or another version of the library is installed than the config is for",
        ),
        remedy=(
            "Import the module that defines it before the model is built (`custom_imports` in a "
            "config), and install the version of the library that the config was written for",
        ),
        types=("KeyError",),
        today=(r"['\" ](?P<name>[\w.]{1,100}) is not in the (?P<registry>[\w:/.]{1,80}) registry",),
        values={"name": "that is asked for", "registry": "where"},
        needs="packages with a registry",
        examples=("KeyError: \"FasterRCNN: 'MyHead is not in the models registry'\"",),
    ),
    ErrorFamily(
        id="name_taken",
        says="A module is given a buffer, a parameter or a part whose name it has already.",
        means=(
            "The module has an attribute `{name}` already, and register_buffer (or "
            "register_parameter, add_module) makes one of that name itself",
        ),
        remedy=(
            "Give it the value at once, `self.register_buffer('{name}', value)`, and leave out the "
            "`self.{name} = …` before it; or take another name, if that is one of nn.Module's own",
        ),
        types=("KeyError",),
        today=(r"attribute '(?P<name>[\w.]{1,100})' already exists",),
        values={"name": "that is given"},
        sample="m = nn.Linear(1, 1)\nm.mask = 1\nm.register_buffer('mask', torch.ones(1))",
        decides=True,
    ),
    ErrorFamily(
        id="key_missing",
        says="A dictionary has no such key.",
        means=(
            *(
                Sentence(
                    "The table has no row with the label {key}: labels are kept when rows are "
                    "left out or shuffled, and are no positions",
                    {"key": r"\d+", where: _TABLE},
                )
                for where in ("words", "code", "line")
            ),
            Sentence(
                "The installed transformers does not know the architecture {key} | the model is "
                "newer than it",
                {"frames": r"configuration_auto\.py"},
            ),
            Sentence("The table has no column {key}", {"raised_in": "pandas", "key": r"['\"].*"}),
            *(
                Sentence(
                    "Adagrad asks for the sum of squares of a parameter that it has none for: "
                    "older versions make it where the optimizer is made, and not for a group that "
                    "is added later",
                    {"key": r"'sum'", where: r"\badagrad\b"},
                )
                for where in ("frames", "words", "code")
            ),
            Sentence(
                "A detector of torchvision finds no {key} in the dictionary of an image's target",
                {"raised_in": "torchvision", "key": _OF_A_DETECTION},
            ),
            Sentence(
                "The dictionary has no key {key}, which a group of some optimizers has | the state "
                "of another kind of optimizer was loaded",
                {"key": r"'(?:momentum|dampening|nesterov|betas|amsgrad|exp_avg|max_exp_avg_sq)'"},
            ),
            Sentence(
                "A dictionary, or an object that is asked by keys like one, was asked for the "
                "number {key} | one sample, one graph or one result stands where a list of them is "
                "meant (a loader asks its data set for items by number), or a mapping of numbers "
                "to names has no entry for it",
                {"key": r"-?\d+"},
            ),
            "The dictionary has no key {key}",
        ),
        remedy=(
            *(
                Sentence(
                    "Ask by position, `self.df.iloc[index]`, or number the rows anew after the "
                    "split: `df = df.reset_index(drop=True)`",
                    {"key": r"\d+", where: _TABLE},
                )
                for where in ("words", "code", "line")
            ),
            *(
                Sentence(
                    "Give it all parameters when it is made (those that are frozen have no "
                    "gradient, and are passed over), each group with its own lr; or make the state "
                    "of the new ones by hand: `for p in group['params']: optimizer.state[p] = "
                    "{{'step': 0, 'sum': torch.zeros_like(p)}}`. Newer versions make it themselves",
                    {"key": r"'sum'", where: r"\badagrad\b"},
                )
                for where in ("frames", "words", "code")
            ),
            Sentence(
                "`print(type(d), len(d))` of what is asked: give the list or data set of all of "
                "them (of a dictionary of them `list(d.values())`), or ask by a key that it has",
                {"key": r"-?\d+"},
            ),
            Sentence(
                "If it is newer, `python -m pip install -U transformers` and restart. If not, "
                "`model_type` in the model's config.json is not a name that transformers has",
                {"frames": r"configuration_auto\.py"},
            ),
            Sentence(
                "Put it into the dictionary where the data set makes it, under that very name, and "
                "see that no transform or collate function drops it (`print(targets[0].keys())` "
                "right before the model). Training needs for each image `boxes` [N, 4] in floating "
                "point and `labels` [N] in int64, of which 0 is the background, so that classes "
                "count from 1; Mask R-CNN also `masks`, Keypoint R-CNN also `keypoints` [N, K, 3]",
                {"raised_in": "torchvision", "key": _OF_A_DETECTION},
            ),
            Sentence(
                "`print(table.columns.tolist())`: another spelling, a space in a name, a "
                "separator that read all as one column (`sep=`), or a file without a row of names "
                "(`header=None`, `names=`)",
                {"raised_in": "pandas", "key": r"['\"].*"},
            ),
            Sentence(
                "Print its keys (`print(d.keys())`). If they are names of layers, the file holds "
                "the weights themselves: `model.load_state_dict(d)`. If the weights stand under "
                "another name, ask for that",
                {"key": r"['\"](?:\w*state_?dict\w*|model|net|weights|optimizer|params)['\"]"},
            ),
            Sentence(
                "Words that the vocabulary has not seen need an entry of their own: "
                "`word2idx.get(word, word2idx['<unk>'])`. If the word should be there, compare "
                "case, punctuation and how the text is split",
                {"line": _VOCABULARY},
            ),
            (
                "Print its keys (`print(d.keys())`): another spelling, another version of "
                "the file or the library, or a dictionary that was filled otherwise than is asked"
            ),
        ),
        types=("KeyError",),
        # Five words are no key but what a library has to say.
        today=(r"^(?!\S+(?: \S+){4})(?P<key>'[^'\n]*'|\"[^\"\n]*\"|\d{1,18}(?!\S)|[^\n]+)",),
        values={"key": "that is asked for, as Python writes it"},
        sample='{"a": 1}["b"]',
        typed=True,
        breadth=17,
        written=True,
    ),
    ErrorFamily(
        id="index_put_dtypes",
        says="Values of another dtype are written at places of a tensor.",
        means=("Values of {source} are written into a tensor of {target}",),
        remedy=_INTO,
        derive=_cuts,
        suspects=(Suspect(r".*", kinds=("item",)),),
        types=("RuntimeError",),
        today=(
            r"Index put requires the source and destination dtypes match, got (?P<target>\w+) for "
            r"the destination and (?P<source>\w+) for the source",
        ),
        values={
            "target": "dtype of the tensor, in PyTorch's short form, such as Float",
            "source": "dtype of the values",
        },
        sample="torch.ones(3)[torch.tensor([0])] = torch.ones(1, dtype=torch.long)",
    ),
    ErrorFamily(
        id="index_dimensions",
        says="gather or scatter gets an index with another number of dimensions than its tensor.",
        means=(
            Sentence(
                "scatter gets values (`src`) with another number of dimensions than its index",
                {"of": r"src"},
            ),
            (
                "gather or scatter gets an index with another number of dimensions than "
                "its tensor; both need the same number"
            ),
        ),
        remedy=(
            Sentence(
                "If one value is meant for all places, write it as a number in place of the "
                "tensor, `1.0`. If each place has a value of its own, `src` needs as many "
                "dimensions as the index, and may be no smaller in any of them",
                {"of": r"src"},
            ),
            *(
                Sentence(
                    "What `nonzero` gives is no index for gather: each of its rows is the place of "
                    "one element in all dimensions, [n, 2] for a matrix. The condition itself "
                    "chooses: `b[a == 1]`; or take the places apart, `r, c = torch.nonzero(a == 1, "
                    "as_tuple=True)`, and write `b[r, c]`",
                    {where: r"\b(?:nonzero|argwhere)\((?![^\n]*as_tuple)"},
                )
                for where in ("code", "words")
            ),
            "Print both shapes. If the index has one dimension fewer, add it: "
            "`index.unsqueeze(1)`, then `squeeze(1)` of the result. To choose elements where a "
            "condition holds, no gather is needed: `b[a == 1]`, or `r, c = torch.nonzero(a == 1, "
            "as_tuple=True); b[r, c]`",
        ),
        now=("Index tensor must have the same number of dimensions as {of} tensor"),
        suspects=(Suspect(r"gather|scatter_?|scatter_add_?"),),
        types=("RuntimeError",),
        today=(r"[Ii]ndex tensor must have the same number of dimensions as (?P<of>\w+) tensor",),
        older=(r"[Ii]ndex tensor must have same dimensions as (?P<of>\w+) tensor",),
        values={"of": "the tensor it is compared with: self, input, src"},
        sample="torch.ones(2, 3).gather(1, torch.tensor([0]))",
        examples=(
            "RuntimeError: invalid argument 4: Index tensor must have same dimensions as input "
            "tensor at THTensorEvenMoreMath.cpp:453",
        ),
    ),
    ErrorFamily(
        id="index_sizes",
        says="gather or scatter gets an index that is larger than its tensor.",
        means=(
            (
                "gather or scatter gets an index {index} that is larger than its tensor "
                "{tensor} outside of the dimension it chooses in"
            ),
            "gather or scatter gets an index that is larger than its tensor",
        ),
        remedy=(
            (
                "In every other dimension the index may be at most as large as the tensor: "
                "print both shapes, and check that predictions and indices come from the "
                "same batch"
            ),
        ),
        suspects=(Suspect(r"gather|scatter_?|scatter_add_?"),),
        types=("RuntimeError",),
        today=(
            r"[Ss]ize does not match at dimension (?P<dimension>\d+) expected index "
            r"(?P<index>\[[\d, ]*\]) to be (?:no larger|smaller) than self "
            r"(?P<tensor>\[[\d, ]*\])",
        ),
        older=(
            r"Expected index (?P<index>\[[\d, ]*\]) to be (?:no larger|smaller) than self "
            r"(?P<tensor>\[[\d, ]*\])",
        ),
        values={
            "dimension": "in which it is larger",
            "index": "shape of the index",
            "tensor": "shape of the tensor",
        },
        sample="torch.ones(2, 3).gather(1, torch.zeros(4, 1, dtype=torch.long))",
        examples=(
            "RuntimeError: Expected index [4, 3] to be smaller than self [2, 3] apart from "
            "dimension 1",
        ),
    ),
    ErrorFamily(
        id="index_argument_dtype",
        says="gather, scatter or one_hot gets an index that is no int64.",
        means=(
            "{operation} takes int64 indices and gets another dtype",
            "An index has to be int64 and is of another dtype",
        ),
        remedy=("Convert it: `index.long()`; and check that it counts along the right `dim`",),
        suspects=(Suspect(r"{operation}_?"),),
        types=("RuntimeError",),
        today=(
            r"(?:\b(?P<operation>\w+)\(\): )?Expected dtype int32(?:/| or )int64 for index",
            r"(?P<operation>one_hot) is only applicable to index tensor",
            r"dtype of indices should be Long",
        ),
        older=(r"(?:\b(?P<operation>\w+)\(\): )?Expected dtype int64 for index",),
        values={"operation": "that was called"},
        sample="torch.ones(2, 3).gather(1, torch.zeros(2, 1))",
        examples=("RuntimeError: gather(): Expected dtype int64 for index",),
    ),
    ErrorFamily(
        id="scatter_dtypes",
        says="scatter or index_add gets values of another dtype than its tensor has.",
        means=("{operation} writes values of {source} into a tensor of {target}",),
        remedy=_INTO,
        derive=_cuts,
        suspects=(Suspect(r"{operation}"),),
        types=("RuntimeError",),
        today=(
            r"(?:\b(?P<operation>\w+)\(\): )?Expected self\.dtype to be equal to src\.dtype",
            r"self \((?P<target>\w+)\) and source \((?P<source>\w+)\) must have the same scalar "
            r"type",
        ),
        values={
            "operation": "that was called",
            "target": "dtype of the tensor",
            "source": "dtype of the values",
        },
        sample=(
            "index = torch.zeros(2, 1, dtype=torch.long)\ntorch.ones(2, 3).scatter(1, index, "
            "torch.ones(2, 1, dtype=torch.long))"
        ),
    ),
    ErrorFamily(
        id="gather_scatter",
        says="gather, scatter, index_select or their like get arguments that do not fit.",
        means=("gather, scatter, index_select or their like get arguments that do not fit",),
        remedy=(
            (
                "The index has to be int64, with as many dimensions as the tensor "
                "(index_select: one)"
            ),
        ),
        suspects=(Suspect(r"gather|scatter_?|index_select|index_add_?|index_copy_?"),),
        types=("RuntimeError", "IndexError", "TypeError"),
        today=(
            r"[Ee]xpected (?:dtype|index) |dtype int32/int64 for index|scatter\(\)|gather\(\)"
            r"|index_(?:select|add|copy|fill)_?\(\)|[Ss]ize does not match at dim|index_select"
            r"|take_along",
        ),
        sample="torch.ones(2, 3).index_select(0, torch.zeros(1, 1, dtype=torch.long))",
        breadth=12,
    ),
    ErrorFamily(
        id="assigned_shape",
        says="Values of one shape are written at chosen places of another.",
        means=("Values of shape {value} are written to places of shape {chosen}",),
        remedy=(
            ("Print the shape of the left side's part and of the right side: `x[index].shape`"),
        ),
        types=("RuntimeError", "IndexError"),
        today=(
            r"shape mismatch: value tensor of shape (?P<value>\[[\d, ]*\]) cannot be broadcast to "
            r"indexing result of shape (?P<chosen>\[[\d, ]*\])",
        ),
        values={"value": "shape of the values", "chosen": "shape of the chosen places"},
        sample="torch.ones(3, 3)[torch.tensor([0, 1])] = torch.ones(3, 3)",
    ),
    ErrorFamily(
        id="index_shapes",
        says="Several indices have shapes that do not broadcast.",
        means=("Several indices have shapes that do not go together: {shapes}",),
        remedy=(
            "If each row is to meet each column, add a dimension: `x[rows[:, None], columns]`. If "
            "they belong together one by one, they need one length: print their shapes",
        ),
        types=("IndexError",),
        today=(
            r"shape mismatch: indexing tensors could not be broadcast together with shapes "
            r"(?P<shapes>(?:\[[\d, ]*\](?:, )?)+)",
            r"shape mismatch: indexing tensors could not be broadcast",
        ),
        values={"shapes": "of all of them"},
        sample="torch.ones(3, 3)[torch.tensor([0, 1]), torch.tensor([0, 1, 2])]",
    ),
    ErrorFamily(
        id="array_mask_shape",
        says="A mask has another size than the axis of the NumPy array that it chooses from.",
        means=(
            "A mask with {mask_size} entries chooses along axis {dimension} of an array, which has "
            "{size} there",
        ),
        remedy=(
            "Print both shapes: a mask has the sizes of the axes that it indexes. If it was made "
            "from another array (before a filter or a split, of another batch), make it from this "
            "one; if it is for another axis, put it there, `x[:, mask]`",
        ),
        types=("IndexError",),
        today=(
            r"boolean index did not match indexed array along (?:axis|dimension) "
            r"(?P<dimension>\d+); (?:size of axis|dimension) is (?P<size>\d+) but (?:size of )?"
            r"corresponding boolean (?:axis|dimension) is (?P<mask_size>\d+)",
        ),
        values={
            "dimension": "number of the axis",
            "size": "of that axis",
            "mask_size": "of the mask along it",
        },
        sample="np.ones(4)[np.ones(5, dtype=bool)]",
        written=True,
    ),
    ErrorFamily(
        id="mask_shape",
        says="A mask has another shape than the tensor it chooses from.",
        means=(
            "A mask of shape {mask} chooses from a tensor of {tensor}: its dimension "
            "{mask_dimension} has {mask_size} entries, and dimension {tensor_dimension} of the "
            "tensor, which it meets there, {size} (both counted from 0)",
        ),
        derive=_mask,
        remedy=(
            Sentence(
                "Print the dtype of the indices. One entry for each of {mask_size} is what "
                "positions have, so the index is perhaps uint8 (or bool), which is read as a mask: "
                "make it int64, `index.long()` (`argmax` gives int64 by itself). If it is a mask "
                "as meant, it belongs at the dimension of size {mask_size}",
                {"behind": r"one each"},
            ),
            Sentence(
                "The mask stands behind another index, and meets dimension {tensor_dimension}. If "
                "it is for another dimension, put it there. If positions are meant, an index of "
                "uint8 or bool is read as a mask: `index.long()`",
                {"behind": r"another index"},
            ),
            Sentence(
                "The mask has the sizes of the last dimensions, and counts from the first: "
                "`x[..., mask]`",
                {"at_the_end": r"yes"},
            ),
            Sentence(
                "The tensor has {times} rows for each one of the mask. If its rows come of a "
                "flattened batch of maps or sequences, the mask lacks one of the dimensions that "
                "were flattened ({mask_size}·{times} = {size}): give it an entry for each pixel or "
                "step, as the labels have, and flatten both alike. Print the shapes of both before "
                "they are flattened",
                {"times": r".+"},
            ),
            "Print both shapes: a mask is not repeated along a dimension. If it has size 1 there, "
            "`mask.expand_as(x)` (or `squeeze` it, to choose whole rows). If it was made from "
            "another tensor (before a filter, of another batch), make it from this one",
        ),
        types=("IndexError",),
        today=(
            r"[Tt]he shape of the mask (?P<mask>\[[\d, ]*\]) at index (?P<mask_dimension>\d+) does "
            r"not match the shape of the indexed tensor (?P<tensor>\[[\d, ]*\]) at index "
            r"(?P<tensor_dimension>\d+)",
            r"shape of the mask",
        ),
        values={
            "mask": "shape of the mask",
            "mask_dimension": "of the mask in which they differ",
            "tensor": "shape of the tensor",
            "tensor_dimension": "of the tensor in which they differ",
        },
        sample="torch.ones(3, 4)[torch.ones(3, 3, dtype=torch.bool)]",
    ),
)

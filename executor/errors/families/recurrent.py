"""Recurrent layers and attention: input sizes, states, masks, lengths."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

_IN_REPLICAS = r"(?<!Distributed)DataParallel\b|\bparallel_apply\.py "


def _swapped(seen: SeenError, message: str) -> Mapping[str, str]:
    given, expected = seen.sizes("given"), seen.sizes("expected")
    in_order = sorted(given) != sorted(expected)
    if len(given) == len(expected) == 3 and given[2] == expected[2] and in_order:
        parts, rest = divmod(given[1], max(expected[1], 1))
        if parts > 1 and not rest and given[0] * parts == expected[0]:
            return {"parts": str(parts)}
    if given == (1, *expected):
        return {"swapped": "in front"}
    if len(given) == len(expected) == 3 and given[2] == expected[2]:
        if given[0] == expected[0]:
            return {"samples": str(given[1]), "batch": str(expected[1])}
        if given[1] == expected[1]:
            return {"layers": str(expected[0])}
    if given[1::-1] + given[2:] == expected != given:
        return {"swapped": "yes", "first_two": "yes"}
    swapped = sorted(given) == sorted(expected) and given != expected
    return {"swapped": "yes"} if swapped else {}


def _square(seen: SeenError, message: str) -> Mapping[str, str]:
    """For how many steps a mask is and how many are needed, where both are square; else its rows,
    where each has an entry for each step. Of one with a mask for each sample, how many heads.
    """
    given, wanted = seen.sizes("given"), seen.sizes("expected")
    if len(given) == len(wanted) == 3 and given[1:] == wanted[1:]:
        heads, rest = divmod(wanted[0], max(given[0], 1))
        return {"heads": str(heads), "masks": str(given[0])} if heads > 1 and not rest else {}
    if len(given) != 2 or len(wanted) != 2 or len(set(wanted)) != 1:
        return {}
    if len(set(given)) == 1:
        return {"steps": str(given[0]), "wanted": str(wanted[0])}
    return {"rows": str(given[0])} if given[1] == wanted[1] else {}


FAMILIES = (
    ErrorFamily(
        id="rnn_input_size",
        says="A recurrent layer gets steps of another length than its input_size.",
        means=("A recurrent layer with input_size={input_size} is given vectors of {given}",),
        remedy=(
            "Print `x.shape` before it: its last dimension is what each step has. If {given} is "
            "that number, make the layer with input_size={given} (behind a bidirectional layer "
            "twice its hidden_size); if not, features do not stand last: transpose the input",
        ),
        suspects=(
            Suspect(
                r"LSTM|GRU|RNN|LSTMCell|GRUCell|RNNCell",
                "made for {input_size}",
                {0: "{input_size}", "input_size": "{input_size}"},
            ),
            Suspect(r"LSTM|GRU|RNN"),
        ),
        types=("RuntimeError",),
        today=(
            r"input\.size\(-1\) must be equal to input_size\. Expected (?P<input_size>\d+), got "
            r"(?P<given>\d+)",
            r"input has inconsistent input_size: got (?P<given>\d+),? expected (?P<input_size>\d+)",
        ),
        values={"input_size": "that the layer was made for", "given": "length of each step"},
        sample="nn.LSTM(10, 6)(torch.ones(5, 3, 8))",
        examples=("RuntimeError: input has inconsistent input_size: got 8, expected 10",),
    ),
    ErrorFamily(
        id="rnn_hidden_size",
        says="A recurrent layer gets a first state of another shape than it needs.",
        means=(
            *(
                Sentence(
                    "DataParallel cuts every tensor that it is given along its first dimension, "
                    "which in a state is layers x directions and not the batch: each of {parts} "
                    "GPUs gets [{given}] where [{expected}] is needed. batch_first plays no part",
                    {"parts": r".+", where: _IN_REPLICAS},
                )
                for where in ("code", "words", "frames")
            ),
            Sentence(
                "The first state has the shape [{given}] where [{expected}] is needed: the same "
                "numbers in another order, so perhaps batch_first is overlooked or dimensions are "
                "swapped",
                {"swapped": r"yes"},
            ),
            Sentence(
                "The first state has the shape [{given}]: one dimension of size 1 before the "
                "[{expected}] that is needed",
                {"swapped": r"in front"},
            ),
            (
                "The first state has the shape [{given}] where [{expected}] is needed ([layers x "
                "directions, batch, hidden_size])"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "Make the state inside of forward, from the part of the batch that is there, "
                    "or give none, which means zeros: `self.rnn(x)`. One that has to come from "
                    "outside is handed over with the batch first and turned in forward, "
                    "`h.transpose(0, 1).contiguous()`, and turned back before it is returned. "
                    "`pad_packed_sequence(…, total_length=x.size(1))` gives outputs that can be "
                    "joined. DistributedDataParallel cuts nothing",
                    {"parts": r".+", where: _IN_REPLICAS},
                )
                for where in ("code", "words", "frames")
            ),
            Sentence(
                "Take the dimension away, `hidden.squeeze(0)`, or leave out what adds it (an "
                "`unsqueeze(0)`, a list around it): with several layers or two directions the "
                "state has its three dimensions without it",
                {"swapped": r"in front"},
            ),
            Sentence(
                "The state is for {samples} samples, and the layer, which is batch first, counts "
                "{batch}: mostly the last batch, which is smaller. Make the state from the input, "
                "`x.size(0)`; one that goes on from batch to batch needs batches of one size "
                "(`drop_last=True`)",
                {"batch": r".+", "code": r"batch_first\s*=\s*True"},
            ),
            Sentence(
                "The state is for {samples} samples, and the layer counts {batch}. If {batch} is "
                "the number of steps, batch_first=True is missing. If it is a batch, smaller than "
                "the others as the last one is, make the state from the input, `x.size(0)` "
                "(without batch_first=True `x.size(1)`); a state that goes on from batch to batch "
                "needs batches of one size",
                {"batch": r".+"},
            ),
            Sentence(
                "The first number is num_layers, twice that with bidirectional=True, and has to be "
                "{layers} here. If the state is an encoder's and the layer a decoder's, both need "
                "as many layers, or the state is brought to it (`h[-n:]`, a sum of both "
                "directions)",
                {"layers": r".+"},
            ),
            Sentence(
                "The state never is batch first: batch_first=True changes the order of the input "
                "and of the output alone. Make it [{expected}], or exchange its first two "
                "dimensions, `h = h.transpose(0, 1).contiguous()`; of zeros none has to be given",
                {"first_two": r"yes"},
            ),
            (
                "Make the state from the input: `torch.zeros(layers * directions, "
                "x.size(0), hidden_size, device=x.device)` with batch_first=True (else "
                "x.size(1)); batch_first does not change the order of the state. If a first state "
                "of zeros is meant, none has to be given"
            ),
        ),
        suspects=(Suspect(r"LSTM|GRU|RNN"),),
        derive=_swapped,
        types=("RuntimeError",),
        today=(
            r"Expected hidden(?:\[(?P<state>\d)\])? size \((?P<expected>[\d, ]+)\), got "
            r"[\[(](?P<given>[\d, ]+)[\])]",
        ),
        values={
            "state": "0 for an LSTM's hidden state, 1 for its cell state; empty for others",
            "expected": "sizes it needs",
            "given": "sizes it got",
        },
        sample="nn.GRU(4, 6)(torch.ones(7, 5, 4), torch.ones(1, 32, 6))",
        examples=(
            "RuntimeError: Expected hidden size (2, 20, 256), got (2, 50, 256)",
            "RuntimeError: Expected hidden[0] size (4, 8, 32), got [2, 16, 32]",
        ),
    ),
    ErrorFamily(
        id="rnn_hidden_batch",
        says="A recurrent cell gets a state for another number of samples than its input has.",
        means=(("A recurrent cell gets a state for {given} samples where its input has {batch}"),),
        remedy=(
            Sentence(
                "If the state is one tensor: an LSTMCell takes two, `cell(x, (h, c))`, and of one "
                "it takes the rows for them. Else make both from the input's batch: "
                "`torch.zeros(x.size(0), hidden_size)`",
                {"state": "[01]"},
            ),
            "Make the state from the input's batch: `torch.zeros(x.size(0), hidden_size)`",
        ),
        suspects=(Suspect(r"LSTMCell|GRUCell|RNNCell"),),
        types=("RuntimeError",),
        today=(
            r"[Ii]nput batch size (?P<batch>\d+) doesn't match hidden(?:\[(?P<state>\d)\]|\d)? "
            r"batch size (?P<given>\d+)",
        ),
        values={
            "state": "of two, as an older LSTMCell says",
            "batch": "samples of the input",
            "given": "samples of the state",
        },
        sample="nn.GRUCell(4, 6)(torch.ones(5, 4), torch.ones(3, 6))",
    ),
    ErrorFamily(
        id="rnn_hidden_dimensions",
        says="The first state of a recurrent layer has another number of dimensions than it needs.",
        means=(
            (
                "The first state of a recurrent layer has another number of dimensions "
                "than its input: a batch needs [layers, batch, hidden], a single sequence "
                "[layers, hidden]"
            ),
        ),
        remedy=(
            Sentence(
                "The input has no batch dimension, and the state has. If the input should have "
                "one, see what took it away (a `squeeze()`, an index, a dataset's single sample): "
                "`x.unsqueeze(0)` with batch_first=True, else `x.unsqueeze(1)`; if it is one "
                "sequence as meant, `h.squeeze(1)`",
                {"without": r".+"},
            ),
            "The input has a batch dimension, and the state needs three: [layers * directions, "
            "batch, hidden_size]. If it is [batch, hidden_size] and the layer a single one, "
            "`h.unsqueeze(0)`",
        ),
        suspects=(Suspect(r"LSTM|GRU|RNN"),),
        types=("RuntimeError",),
        today=(r"[Ff]or (?P<without>un)?batched \d-D input,? hx(?: and cx)? should",),
        values={"without": "`un` where the input has no batch"},
        sample="nn.GRU(4, 6)(torch.ones(7, 5, 4), torch.ones(1, 6))",
    ),
    ErrorFamily(
        id="rnn_cell_hidden_size",
        says="A recurrent cell gets a state of another length than its hidden_size.",
        decides=True,
        means=(
            ("A recurrent cell gets a state of {given} where its hidden_size is {hidden_size}"),
        ),
        remedy=(
            "Make the state with hidden_size={hidden_size}",
            "Print the state's shape: its last dimension has to be the layer's hidden_size",
        ),
        suspects=(Suspect(r"LSTMCell|GRUCell|RNNCell"),),
        types=("RuntimeError",),
        today=(
            r"hidden\d? has inconsistent hidden_size(?:: got (?P<given>\d+), expected "
            r"(?P<hidden_size>\d+))?",
        ),
        values={"given": "length of the state", "hidden_size": "that the cell was made for"},
        sample="nn.GRUCell(4, 6)(torch.ones(5, 4), torch.ones(5, 7))",
    ),
    ErrorFamily(
        id="rnn_dimensions",
        says="A recurrent layer gets an input with another number of dimensions than it takes.",
        means=(
            "A recurrent layer takes {expected} dimensions and gets {given}",
            ("A recurrent layer gets an input with another number of dimensions than it takes"),
        ),
        remedy=(
            "It takes [steps, batch, features] (with batch_first=True [batch, steps, features]). "
            "If token ids go in, they need an Embedding first; if a dimension is missing, "
            "`unsqueeze` adds it; if there is one too many, print `x.shape` and merge or squeeze "
            "it",
        ),
        suspects=(Suspect(r"LSTM|GRU|RNN"),),
        types=("ValueError", "RuntimeError"),
        today=(
            r"(?P<layer>RNN|LSTM|GRU)(?P<cell>Cell)?: Expected input to be "
            r"(?P<expected>[^\n,]{1,40}), got (?P<given>\d)D",
            r"RNN: Expected input",
        ),
        older=(r"input must have (?P<expected>\d) dimensions, got (?P<given>\d)",),
        values={
            "layer": "RNN, LSTM or GRU",
            "cell": "`Cell` for a single step's layer",
            "expected": "dimensions it takes, such as 2D or 3D",
            "given": "dimensions it got",
        },
        sample="nn.LSTM(4, 6)(torch.ones(4))",
        examples=("RuntimeError: input must have 3 dimensions, got 2",),
    ),
    ErrorFamily(
        id="rnn_lengths_tensor",
        says="The lengths of packed sequences are no int64 vector on the CPU.",
        decides=True,
        means=("The lengths of packed sequences have to be one int64 vector on the CPU",),
        remedy=(
            Sentence(
                "Give one length for each sample, not a table: print `lengths.shape`, and "
                "`lengths.flatten()` if it is a column",
                {"dimensions": r"[02-9]"},
            ),
            Sentence("`pack_padded_sequence(x, lengths.long(), …)`", {"device": "CPU|cpu"}),
            "`pack_padded_sequence(x, lengths.cpu(), …)`",
        ),
        suspects=(Suspect(r"pack_padded_sequence"),),
        types=("RuntimeError",),
        today=(
            r"`?'?lengths`?'? argument should be(?: a 1D CPU int64 tensor, but got "
            r"(?P<dimensions>\d+)D (?P<device>[\w:]+) (?P<dtype>\w+) tensor)?",
        ),
        values={
            "dimensions": "that the lengths have",
            "device": "they are on",
            "dtype": "they have, in PyTorch's short form, such as Long",
        },
        sample=(
            "lengths = torch.tensor([[2, 1]])\nnn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, "
            "1), lengths)"
        ),
    ),
    ErrorFamily(
        id="rnn_lengths_order",
        says="The lengths of packed sequences do not go down.",
        decides=True,
        means=("The lengths of packed sequences do not go down",),
        remedy=(
            *(
                Sentence(
                    "Sort the batch where it is made: `BucketIterator(…, sort_within_batch=True, "
                    "sort_key=lambda e: len(e.text))`; from torch 1.1 on `pack_padded_sequence(…, "
                    "enforce_sorted=False)` does without",
                    {where: r"\bBucketIterator\b|\btorchtext\b|\bbatch\.text\b"},
                )
                for where in ("words", "code", "line", "frames")
            ),
            Sentence(
                "From torch 1.1 on pass `enforce_sorted=False`. Before, sort the batch and all "
                "that belongs to it by one order: `lengths, order = lengths.sort(0, "
                "descending=True)`, `x = x[order]` (along the dimension of the batch), `labels = "
                "labels[order]` (an iterator of torchtext sorts with `sort_within_batch=True`)",
                {"before": r".+"},
            ),
            "Pass `enforce_sorted=False`",
        ),
        suspects=(Suspect(r"pack_padded_sequence"),),
        types=("RuntimeError", "ValueError"),
        today=(r"must be sorted in decreasing",),
        older=(r"lengths['`]? array (?P<before>has to be) sorted in decreasing",),
        values={"before": "wording of torch before 1.1"},
        now="`lengths` array must be sorted in decreasing order when `enforce_sorted` is True",
        examples=("RuntimeError: 'lengths' array has to be sorted in decreasing order",),
        sample="nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1), [1, 2])",
    ),
    ErrorFamily(
        id="rnn_lengths_positive",
        says="A packed sequence has the length 0.",
        means=("A packed sequence has the length 0",),
        remedy=("Leave empty samples out, or give them one padding step",),
        suspects=(Suspect(r"pack_padded_sequence"),),
        types=("RuntimeError", "ValueError"),
        today=(r"Length of all samples has to be greater than 0",),
        sample="nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1), [2, 0])",
    ),
    ErrorFamily(
        id="rnn_second_derivative",
        says="A second derivative goes through a recurrent layer of cuDNN, which has none.",
        means=(
            "A gradient is differentiated once more (a gradient penalty, create_graph=True), and "
            "cuDNN's recurrent layers have no second derivative; PyTorch's own have one",
        ),
        remedy=(
            "The forward pass decides which of them is taken: put `with "
            "torch.backends.cudnn.flags(enabled=False):` around the call of the network, "
            "`d = D(x)`, for which the penalty is computed. Around backward() it comes too late. "
            "The other passes keep cuDNN",
        ),
        types=("RuntimeError", "NotImplementedError"),
        today=(r"derivative for '?_cudnn_rnn_backward'? is not implemented",),
        needs="cuDNN",
        decides=True,
        examples=(
            "RuntimeError: derivative for _cudnn_rnn_backward is not implemented",
            "RuntimeError: the derivative for '_cudnn_rnn_backward' is not implemented. Double "
            "backwards is not supported for CuDNN RNNs due to limitations in the CuDNN API.",
        ),
    ),
    ErrorFamily(
        id="attention_embedding",
        says="Attention gets tokens of another width than its embed_dim.",
        means=("Attention made for embed_dim={embed_dim} gets tokens of width {given}",),
        remedy=(
            (
                "The last dimension of query, key and value has to be embed_dim: print their "
                "shapes. If {given} is another dimension (steps, a batch), transpose; if key and "
                "value come from elsewhere with a width of their own, say kdim and vdim; if it is "
                "the width, make the layer for it, or a Linear before it"
            ),
        ),
        suspects=(
            Suspect(
                r"MultiheadAttention|TransformerEncoderLayer|TransformerDecoderLayer|Transformer"
            ),
        ),
        types=("AssertionError",),
        today=(r"was expecting embedding dimension of (?P<embed_dim>\d+), but got (?P<given>\d+)",),
        values={"embed_dim": "that the layer was made for", "given": "width of the tokens"},
        sample="nn.MultiheadAttention(64, 4)(*[torch.ones(5, 2, 48)] * 3)",
    ),
    ErrorFamily(
        id="attention_mask",
        says="Attention gets a mask of another shape than its tokens need.",
        means=("Attention gets a mask of {given} where its tokens need {expected}",),
        derive=_square,
        remedy=(
            Sentence(
                "A mask of 3 dimensions is [batch * heads, steps of the query, steps of the key], "
                "the heads of one sample side by side. If it has one for each of {masks} samples, "
                "`mask.repeat_interleave({heads}, dim=0)` gives each head that of its own sample "
                "(`repeat` would mix the samples). In it True is what may not be looked at",
                {"heads": r".+"},
            ),
            Sentence(
                "It has {rows} rows with an entry for each step. If these are the samples, it says "
                "what of each is padding, and goes into `key_padding_mask` (of a Transformer's "
                "layers `src_key_padding_mask`); attn_mask is [steps of the query, steps of the "
                "key] for all samples",
                {"rows": r".+"},
            ),
            Sentence(
                "The mask is for {steps} steps. If {wanted} is no batch, as the layer is batch "
                "first, make the mask for it from the input's steps, `x.size(1)`: "
                "`nn.Transformer.generate_square_subsequent_mask(n)`",
                {"steps": r".+", "code": r"batch_first\s*=\s*True"},
            ),
            Sentence(
                "The mask is for {steps} steps. If {wanted} is the batch size, batch_first=True is "
                "missing in the layer, or the mask was made from `x.size(0)` or `x.size(1)` for "
                "the other order. If it is the number of steps, make the mask for it, "
                "`nn.Transformer.generate_square_subsequent_mask(n)`",
                {"steps": r".+"},
            ),
            (
                "attn_mask is [steps of the query, steps of the key] for all samples, or [batch * "
                "heads, …] for each. If it is [batch, steps] and marks padding, it goes into "
                "key_padding_mask"
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"attn_mask is torch\.Size\((?P<given>\[[\d, ]*\])\), but should be "
            r"\((?P<expected>[\d, ]+)\)",
        ),
        values={"given": "shape of the mask", "expected": "sizes it needs"},
        sample=(
            "x = torch.ones(5, 2, 8)\nnn.MultiheadAttention(8, 2)(x, x, x, "
            "attn_mask=torch.zeros(3, 3))"
        ),
    ),
    ErrorFamily(
        id="attention_padding_mask",
        says="Attention gets a padding mask whose rows are not its batch.",
        means=("Attention gets a padding mask of {given} for a batch of {batch}",),
        remedy=(
            Sentence(
                "key_padding_mask is [batch, steps]: print its shape and that of the tokens. "
                "Perhaps the mask is transposed, or of another batch",
                {"code": r"batch_first\s*=\s*True"},
            ),
            "key_padding_mask is [batch, steps]: print its shape and that of the tokens. Perhaps "
            "batch_first=True is missing, or the mask is transposed",
        ),
        types=("AssertionError", "RuntimeError"),
        today=(
            r"Expected key_padded_mask\.shape\[0\] to be (?P<batch>\d+), but got (?P<given>\d+)",
        ),
        values={"batch": "samples of the tokens", "given": "rows of the mask"},
        sample=(
            "x = torch.ones(5, 2, 8)\nmask = torch.zeros(5, 2, "
            "dtype=torch.bool)\nnn.MultiheadAttention(8, 2)(x, x, x, key_padding_mask=mask)"
        ),
    ),
    ErrorFamily(
        id="attention_heads",
        says="Attention is made with a width that cannot be divided by its heads.",
        decides=True,
        means=("Attention is made with a width that cannot be divided by its heads",),
        remedy=("embed_dim (d_model) has to be a multiple of num_heads (nhead)",),
        suspects=(
            Suspect(
                r"MultiheadAttention|TransformerEncoderLayer|TransformerDecoderLayer|Transformer"
            ),
        ),
        types=("AssertionError",),
        today=(r"embed_dim must be divisible by num_heads",),
        sample="nn.MultiheadAttention(10, 4)",
    ),
    ErrorFamily(
        id="attention",
        says="The sizes that attention or a transformer gets do not fit.",
        remedy=(
            "Print the shapes of all that goes in. Without batch_first=True they are [steps, "
            "batch, d_model], so the number of samples stands second and has to be the same; the "
            "last is d_model, so token ids need an Embedding of that width first. If masks are "
            "given: src_mask is [steps, steps], src_key_padding_mask [batch, steps]",
        ),
        types=("AssertionError", "RuntimeError", "ValueError"),
        today=(
            r"attn_mask is [^\n]{0,200}?but should be|key_padd(?:ed|ing)_mask|embed_dim"
            r"|feature number of src|batch number of src|num_heads",
        ),
        sample=(
            "model = nn.Transformer(8, 2, 1, 1)\nmodel(torch.ones(3, 2, 4), torch.ones(3, 2, 4))"
        ),
        breadth=4,
    ),
)

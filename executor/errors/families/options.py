"""Arguments and options that are out of range, exclude each other or are no such thing."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

_LOADER = "from torch.utils.data import DataLoader, RandomSampler\n"

FAMILIES = (
    ErrorFamily(
        id="parameter_in_two_groups",
        says="A parameter was given to an optimizer in more than one parameter group.",
        means=(
            "The optimizer was given the same parameter in two of its parameter groups; a "
            "parameter may be in one only",
        ),
        remedy=(
            "See that the groups do not overlap: `model.parameters()` holds every layer's "
            "parameters already, so a group of one layer beside it repeats them. Leave them out of "
            "the first group by their names (`[p for n, p in model.named_parameters() if not "
            "n.startswith('fc.')]`), and look whether one module is listed under two names",
        ),
        suspects=(
            Suspect(r"(?:SGD|Adam\w*|RMSprop|Rprop|NAdam|RAdam|Adagrad|Adadelta|ASGD)"),
            Suspect(r"add_param_group"),
        ),
        types=("ValueError",),
        today=(r"some parameters appear in more than one parameter group",),
        sample=(
            "net = nn.Linear(2, 2)\n"
            "torch.optim.SGD([{'params': net.parameters()}, {'params': [net.bias]}], lr=0.1)"
        ),
    ),
    ErrorFamily(
        id="loader_options_exclude_each_other",
        says="A DataLoader was given options of which only one may be.",
        means=("A DataLoader was given {one} together with another option that it excludes",),
        remedy=(
            "A sampler decides the order, so leave out shuffle=True where there is a sampler; a "
            "batch_sampler decides the batches too, so leave out batch_size, shuffle, sampler and "
            "drop_last beside it",
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("ValueError",),
        today=(r"(?P<one>(?:batch_)?sampler) option is mutually exclusive with",),
        values={"one": "the option that excludes others"},
        sample=(
            f"{_LOADER}data = [1, 2, 3]\n"
            "DataLoader(data, sampler=RandomSampler(data), shuffle=True)"
        ),
    ),
    ErrorFamily(
        id="loader_option_needs_workers",
        says="A DataLoader was given an option that only worker processes use, and has none.",
        means=(
            "A DataLoader was given `{option}`, which only its worker processes use, and it has "
            "none (num_workers is 0)",
        ),
        remedy=(
            Sentence(
                "Without workers it has to be None (until torch 1.13 it was 2): "
                "`prefetch_factor=4 if num_workers > 0 else None`, or leave it out",
                {"option": r"prefetch_factor"},
            ),
            "Without workers leave `{option}` out: give it only where num_workers is 1 or more",
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("ValueError",),
        today=(
            r"(?P<option>prefetch_factor|timeout) option could only be specified in "
            r"multiprocessing",
            r"(?P<option>persistent_workers) option needs num_workers > 0",
        ),
        values={"option": "the option"},
        sample=f"{_LOADER}DataLoader([1, 2], prefetch_factor=2)",
    ),
    ErrorFamily(
        id="not_an_optimizer",
        says="A learning rate scheduler was given something that is no optimizer.",
        means=(
            "A learning rate scheduler was given {given}, which is no optimizer of torch.optim",
        ),
        remedy=(
            "Give it the optimizer object itself as its first argument. If it is one, it may be "
            "of a wrapper or of another installation's class: give the optimizer inside",
        ),
        suspects=(Suspect(r"\w+LR|ReduceLROnPlateau|LRScheduler"),),
        types=("TypeError",),
        today=(r"(?P<given>\S.{0,80}?) is not an Optimizer",),
        values={"given": "what was given, as it prints"},
        sample="torch.optim.lr_scheduler.StepLR(3, 1)",
    ),
    ErrorFamily(
        id="optimizer_params_no_iterable",
        says="An optimizer was given one tensor where it takes several.",
        decides=True,
        means=(
            "An optimizer takes an iterable of tensors, or of dictionaries, and was given one "
            "{given}",
        ),
        remedy=("Put a single tensor into a list: `[weight]`; of a module give `.parameters()`",),
        suspects=(Suspect(r"(?:SGD|Adam\w*|RMSprop|NAdam|RAdam|Adagrad|Adadelta|ASGD|LBFGS)"),),
        types=("TypeError",),
        today=(
            r"params argument given to the optimizer should be an iterable of Tensors or dicts, "
            r"but got (?P<given>\S{1,80})",
        ),
        values={"given": "the type of what was given"},
        sample="torch.optim.SGD(torch.ones(2, requires_grad=True), lr=0.1)",
    ),
    ErrorFamily(
        id="padding_index_outside",
        says="The padding index of an embedding is not one of its rows.",
        means=("padding_idx of an embedding has to be one of its rows, and is not",),
        remedy=(
            "padding_idx may be at most num_embeddings - 1: where the padding token comes on top "
            "of a vocabulary, give one more row (`nn.Embedding(len(vocab) + 1, …)`)",
        ),
        suspects=(Suspect(r"Embedding"),),
        types=("AssertionError",),
        today=(r"Padding_idx must be within num_embeddings",),
        sample="nn.Embedding(3, 2, padding_idx=5)",
    ),
    ErrorFamily(
        id="lengths_for_another_batch",
        says="pack_padded_sequence was given another number of lengths than there are sequences.",
        means=(
            "There are {lengths} lengths for a batch that, as it is read, has {batch} sequences",
        ),
        remedy=(
            "Give one length for each sequence. Look which dimension is the batch: without "
            "batch_first=True it is the second one, so a batch whose first dimension is the "
            "sample needs batch_first=True",
        ),
        suspects=(Suspect(r"pack_padded_sequence"),),
        types=("RuntimeError",),
        today=(
            r"Expected `len\(lengths\)` to be equal to batch_size, but got (?P<lengths>\d+) "
            r"\(batch_size=(?P<batch>\d+)\)",
        ),
        values={"lengths": "how many lengths were given", "batch": "the size of the batch"},
        subject=("lengths", "batch"),
        sample="nn.utils.rnn.pack_padded_sequence(torch.ones(4, 3, 2), [4, 4])",
    ),
    ErrorFamily(
        id="interpolation_of_too_few_dimensions",
        says="interpolate was given an input of too few or too many dimensions.",
        means=(
            "interpolate takes inputs of shape [batch, channels, …] with one, two or three sizes "
            "behind, and was given {dims} dimensions",
        ),
        remedy=(
            "Add the batch, and the channel where it is missing, with unsqueeze: an image [height, "
            "width] is `image[None, None]`; and give a mode for that number of sizes (linear: "
            "one, bilinear and bicubic: two, trilinear: three)",
        ),
        suspects=(Suspect(r"interpolate|Upsample|upsample\w*"),),
        types=("NotImplementedError",),
        today=(r"Only 3D, 4D and 5D input Tensors supported \(got (?P<dims>\d+)D\)",),
        values={"dims": "the number of dimensions"},
        sample="F.interpolate(torch.ones(4, 4), scale_factor=2)",
    ),
    ErrorFamily(
        id="unflatten_of_another_size",
        says="unflatten was given sizes whose product is not that of the dimension.",
        means=("The sizes {sizes} do not multiply up to {given}, the size of dimension {dim}",),
        remedy=("Their product has to be {given}; one of them may be -1, which is then computed",),
        suspects=(Suspect(r"unflatten|Unflatten"),),
        types=("RuntimeError",),
        today=(
            r"Provided sizes (?P<sizes>\[[^\]\n]{0,80}\]) don't multiply up to the size of dim "
            r"(?P<dim>-?\d+) \((?P<given>\d+)\)",
        ),
        values={
            "sizes": "the sizes that were given",
            "dim": "the dimension",
            "given": "the dimension's size",
        },
        subject=("sizes", "given"),
        sample="torch.ones(2, 4).unflatten(1, (3, 2))",
    ),
    ErrorFamily(
        id="std_is_zero",
        says="Normalize was given a standard deviation of zero.",
        decides=True,
        means=("Normalize divides by the standard deviation, and one that it was given is zero",),
        remedy=(
            "Give a standard deviation above zero for each channel; one that is computed as an "
            "integer (`int(0.5)`, `1 // 2`) is zero",
        ),
        suspects=(Suspect(r"[Nn]ormalize"),),
        types=("ValueError",),
        today=(r"std evaluated to zero after conversion to [\w.]{1,40}, leading to division by",),
        needs="torchvision",
        examples=(
            "ValueError: std evaluated to zero after conversion to torch.float32, leading to "
            "division by zero.",
        ),
    ),
    ErrorFamily(
        id="stft_wants_return_complex",
        says="stft of real numbers was called without return_complex.",
        decides=True,
        means=(
            "stft gives complex numbers; of real input it has to be told so since older versions "
            "gave two real numbers instead",
        ),
        remedy=(
            "Give `return_complex=True`; code that reads the real and imaginary part from a last "
            "dimension of 2 gets it back with `torch.view_as_real(…)`",
        ),
        suspects=(Suspect(r"stft", without=("return_complex",)),),
        types=("RuntimeError",),
        today=(r"stft requires the return_complex parameter be given for real inputs",),
        sample="torch.stft(torch.ones(64), n_fft=16, window=torch.ones(16))",
    ),
    ErrorFamily(
        id="istft_of_real_numbers",
        says="istft is given real numbers.",
        decides=True,
        means=("istft takes complex numbers, and is given real ones",),
        remedy=(
            "Where the last dimension of 2 holds the real and the imaginary part, "
            "`torch.view_as_complex(x.contiguous())` makes it complex; a magnitude alone needs a "
            "phase: `torch.polar(magnitude, phase)`",
        ),
        suspects=(Suspect(r"istft"),),
        types=("RuntimeError",),
        today=(r"istft requires a complex-valued input tensor",),
        older=(r"^stft requires a complex-valued input tensor",),
        sample="torch.istft(torch.ones(9, 4, 2), n_fft=16, window=torch.ones(16))",
        examples=(
            "RuntimeError: stft requires a complex-valued input tensor matching the output from "
            "stft with return_complex=True.",
        ),
    ),
    ErrorFamily(
        id="chunks_none",
        says="A tensor is cut into no or a negative number of parts.",
        decides=True,
        means=("chunk() is asked for {count} parts; it takes one at least",),
        remedy=(
            "Print the number: a division that is rounded down gives 0 where there is less than "
            "one part, so `max(1, n)`, or skip what is that small",
        ),
        suspects=(Suspect(r"chunk"),),
        types=("RuntimeError",),
        today=(r"chunk expects `chunks` to be greater than 0, got: (?P<count>-?\d+)",),
        values={"count": "of the parts"},
        sample="torch.ones(2).chunk(0)",
    ),
    ErrorFamily(
        id="no_storage",
        says="The memory of a tensor is asked for that has none of its own.",
        means=(
            "The memory of a tensor is asked for that has none of its own: it only stands for "
            "others while a function is transformed or traced | `.data_ptr()`, `.numpy()`, a "
            "custom kernel or printing inside what vmap, grad, torch.compile or export runs",
        ),
        remedy=(
            "Move it out of the function that is transformed, or use operations of torch there; "
            "an extension's kernel has to be registered as an operator (`torch.library.custom_op`)",
        ),
        suspects=(Suspect(r"data_ptr|numpy|vmap|grad|compile|export"),),
        types=("RuntimeError",),
        today=(r"Cannot access (?:data pointer|storage) of Tensor that doesn't have storage",),
        sample="torch.func.grad(lambda x: x.data_ptr() * x.sum())(torch.ones(2))",
    ),
    ErrorFamily(
        id="fake_and_real_tensors",
        says="A tensor that holds numbers meets one that only stands for a shape.",
        means=(
            "A real tensor meets fake ones, which torch.compile, torch.export or deferred "
            "initialisation put in place of tensors to know their shapes | it comes from outside "
            "of what is traced: a global, a closure, an attribute that is no parameter or buffer",
        ),
        remedy=(
            "Pass it as an argument, or make it a parameter or buffer of the module "
            "(`self.register_buffer`)",
        ),
        types=("AssertionError", "Exception", "RuntimeError"),
        today=(r"Please convert all Tensors to FakeTensors first",),
        sample=(
            "from torch._subclasses.fake_tensor import FakeTensorMode\n"
            "real = torch.ones(2)\n"
            "with FakeTensorMode():\n"
            "    torch.ones(2) + real"
        ),
    ),
    ErrorFamily(
        id="attention_kernel_missing",
        says="No kernel that is allowed for scaled_dot_product_attention takes its input.",
        means=(
            Sentence(
                "FlashAttention is asked for, and the GPU is older than it takes: it needs compute "
                "capability 8.0 (Ampere)",
                {"ampere": r".+"},
            ),
            "None of the attention kernels that are allowed runs on this input and device | "
            "float32 where a kernel takes only half precision, an input that is not [batch, heads, "
            "tokens, features], a head size or a GPU that it does not know",
        ),
        remedy=(
            Sentence(
                "Use another attention: in transformers `attn_implementation='sdpa'` or `'eager'`, "
                "and no `flash_attention_2`; elsewhere its switch, or take the package flash-attn "
                "out, where its presence alone switches it on",
                {"ampere": r".+"},
            ),
            "Let torch choose: no `sdpa_kernel(…)` or `enable_flash_sdp` that leaves only one, or "
            "`with sdpa_kernel(SDPBackend.MATH):`, which takes anything. In transformers "
            "`attn_implementation='sdpa'` or `'eager'`",
        ),
        suspects=(Suspect(r"sdpa_kernel|sdp_kernel|scaled_dot_product_attention|from_pretrained"),),
        types=("RuntimeError",),
        today=(
            r"No available kernel\. {1,3}Aborting execution",
            r"No viable backend for scaled_dot_product_attention was found",
            r"FlashAttention only supports (?P<ampere>Ampere) GPUs or newer",
            r"cutlassF: no kernel found to launch",
        ),
        values={"ampere": "the oldest kind of GPU that it takes"},
        sample=(
            "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
            "q = torch.ones(2, 4)\n"
            "with sdpa_kernel(SDPBackend.FLASH_ATTENTION):\n"
            "    F.scaled_dot_product_attention(q, q, q)"
        ),
        examples=("RuntimeError: cutlassF: no kernel found to launch!",),
    ),
    ErrorFamily(
        id="negative_size",
        says="A tensor was asked for with a negative size.",
        means=(
            "A tensor was asked for with a size of {size}; a size cannot be negative",
            "A tensor was asked for with a negative size",
        ),
        remedy=(
            Sentence(
                "-1 stands for what is left only in `view` and `reshape`; a tensor that is made "
                "needs a number there. If a free size is meant, as for an export, make the example "
                "with any number, and tell the export which size may differ",
                {"size": r"-1", "listed": r".+"},
            ),
            "See how the size is computed: a subtraction gives it where one thing is longer than "
            "the other, such as a target length minus the length of what is padded",
        ),
        suspects=(Suspect(r"(?:zeros|ones|empty|rand|randn|full|new_zeros|new_ones|new_empty)"),),
        types=("RuntimeError",),
        today=(
            r"Trying to create tensor with negative dimension (?P<size>-\d+)"
            r"(?P<listed>: \[[-\d, ]*, [-\d, ]*\])?",
            r"Dimension size must be non-negative",
        ),
        values={
            "size": "the size that was asked for",
            "listed": "all sizes, where there are several",
        },
        sample="torch.zeros(3 - 4)",
    ),
    ErrorFamily(
        id="range_runs_the_other_way",
        says="arange was given a step that leads away from its end.",
        means=("The step of arange leads away from its end: no number comes on the way",),
        remedy=(
            "A negative step needs a start above the end; see which of the two is computed and "
            "may come out the other way round",
        ),
        suspects=(Suspect(r"arange|range"),),
        types=("RuntimeError",),
        today=(
            r"upper bound and larger bound inconsistent with step sign",
            r"upper bound and lower bound inconsistent with step sign",
        ),
        sample="torch.arange(5, 0)",
    ),
    ErrorFamily(
        id="no_range_to_draw_from",
        says="Random whole numbers were asked for from an empty range.",
        means=(
            "Random whole numbers are drawn from {low} up to, and without, {high}: no number is "
            "in that range",
        ),
        remedy=(
            "The upper end has to be greater than the lower one; where it is the length of "
            "something, that is empty",
        ),
        suspects=(Suspect(r"randint|random_|randint_like"),),
        types=("RuntimeError",),
        today=(
            r"random_ expects 'from' to be less than 'to', but got from=(?P<low>-?\d+) >= "
            r"to=(?P<high>-?\d+)",
        ),
        values={"low": "the lower end", "high": "the upper end, which is never drawn"},
        sample="torch.randint(0, 0, (2,))",
    ),
    ErrorFamily(
        id="more_draws_than_choices",
        says="multinomial was asked for more draws than there are choices, without replacement.",
        means=("More draws are asked for than there are choices, and none may be drawn twice",),
        remedy=(
            "Draw fewer, or give `replacement=True`. Where the choices are the last dimension, "
            "look at its size: the probabilities may be turned",
        ),
        suspects=(Suspect(r"multinomial", without=("replacement",)),),
        types=("RuntimeError",),
        today=(r"cannot sample n_sample > prob_dist\.size\(-1\) samples without replacement",),
        sample="torch.multinomial(torch.ones(2), 3)",
    ),
    ErrorFamily(
        id="probabilities_of_many_dimensions",
        says="multinomial was given probabilities of more than two dimensions.",
        decides=True,
        means=("multinomial takes one row of probabilities or a matrix of rows, and no more",),
        remedy=(
            "Put all dimensions but the last into one and take them apart again: "
            "`torch.multinomial(p.flatten(0, -2), n).view(*p.shape[:-1], n)`",
        ),
        suspects=(Suspect(r"multinomial"),),
        types=("RuntimeError",),
        today=(r"prob_dist must be 1 or 2 dim",),
        sample="torch.multinomial(torch.ones(2, 3, 4), 1)",
    ),
    ErrorFamily(
        id="stride_not_positive",
        says="A convolution was given a stride that is not positive.",
        means=("A convolution was given a stride of zero or less",),
        remedy=("A stride is at least 1; where it is computed with `//`, a small size gives zero",),
        suspects=(Suspect(r"(?:Lazy)?Conv\w*|conv\w*"),),
        types=("RuntimeError",),
        today=(r"non-positive stride is not supported",),
        sample="F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2), stride=0)",
    ),
    ErrorFamily(
        id="pooling_padding_too_large",
        says="A pooling layer was given a padding of more than half its kernel.",
        decides=True,
        means=("A pooling layer's padding may be at most half of its kernel size, and is more",),
        remedy=(
            "Use a padding of at most `kernel_size // 2`; what is beyond that, pad before with "
            "`F.pad`",
        ),
        suspects=(Suspect(r"(?:Max|Avg|Lp)Pool\w*|\w*_pool\w*"),),
        types=("RuntimeError",),
        today=(r"pad should be [a-z ]{7,30} half of (?:effective )?kernel size",),
        sample="F.max_pool2d(torch.ones(1, 1, 8, 8), 2, padding=2)",
    ),
    ErrorFamily(
        id="class_values_too_large",
        says="one_hot was given a class that is not below the number of classes.",
        means=("one_hot was given a class number that is not below num_classes",),
        remedy=(
            "Classes count from 0, so the largest is num_classes - 1: look at `labels.unique()`. "
            "If what is on no list has a number of its own, count it: `num_classes=len(classes) "
            "+ 1`. If the labels begin at 1, subtract 1; if one of them marks what is to be left "
            "out (255), take it away first; if they are ids or grey values, map each to its class",
        ),
        suspects=(Suspect(r"one_hot"),),
        types=("RuntimeError",),
        today=(r"Class values must be smaller than num_classes",),
        sample="F.one_hot(torch.tensor([0, 3]), num_classes=3)",
    ),
    ErrorFamily(
        id="elements_share_memory",
        says="A write goes to a tensor of which several elements are one place in memory.",
        means=(
            "The tensor that is written to has several elements at one place in memory, as expand "
            "and broadcasting make them, so a write to one would be a write to all",
        ),
        remedy=(
            "Make elements of its own before the write: `.clone()` or `.contiguous()` after the "
            "expand; or use `repeat` instead, which copies",
        ),
        suspects=(Suspect(r"expand|expand_as|broadcast_to|unfold|as_strided"),),
        types=("RuntimeError",),
        today=(
            r"more than one element of the written-to tensor refers to a single memory location",
        ),
        sample="torch.ones(1).expand(3).add_(torch.ones(3))",
    ),
    ErrorFamily(
        id="not_a_tensor_inside_in",
        says="`in` was asked of a tensor with something that is neither a tensor nor a number.",
        means=("`in` looks for a number or a tensor in a tensor, and was given {given}",),
        remedy=(
            "See what is on the left of `in`; to look for a string, or in a dictionary, the thing "
            "on the right has to be a list or a dictionary",
        ),
        types=("RuntimeError", "TypeError"),
        today=(
            r"Tensor\.__contains__ only supports Tensor or scalar, but you passed in "
            r"a (?P<given><class '[\w.]{1,80}'>)",
        ),
        values={"given": "the type of what was looked for"},
        sample="'a' in torch.ones(2)",
    ),
    ErrorFamily(
        id="item_under_vmap",
        says="A function under vmap asked for a value of a tensor.",
        decides=True,
        means=(
            "Under vmap a tensor stands for a whole batch at once, so `.item()`, `float()` and an "
            "`if` have no one value to take",
        ),
        remedy=(
            "Compute with tensors throughout: `torch.where` in place of an `if`, and the value is "
            "taken after vmap has returned",
        ),
        suspects=(Suspect(r"item"), Suspect(r"vmap")),
        types=("RuntimeError",),
        today=(
            r"vmap: It looks like you're (?:either \(1\) )?calling \.item\(\) on a Tensor",
            r"vmap: It looks like you're attempting to use a Tensor in some data-dependent control",
        ),
        sample="torch.func.vmap(lambda x: x.item() * 2)(torch.ones(3))",
    ),
    ErrorFamily(
        id="random_under_vmap",
        says="A function under vmap draws random numbers, and nothing says for whom.",
        means=(
            "vmap runs a function that draws random numbers (dropout, randn), and was not told "
            "whether all samples get the same ones",
        ),
        remedy=(
            "Say it where vmap is called: `vmap(f, randomness='different')` draws for each sample, "
            "as training does, and `randomness='same'` once for all. If nothing should be drawn, "
            "as in an evaluation, call `model.eval()` first",
        ),
        suspects=(Suspect(r"vmap"), Suspect(r"dropout|Dropout|rand\w*|bernoulli|normal")),
        types=("RuntimeError",),
        today=(r"vmap: called random operation while in randomness error mode",),
        sample="torch.func.vmap(lambda x: x + torch.rand(1))(torch.ones(3))",
    ),
    ErrorFamily(
        id="inplace_under_vmap",
        says="A function under vmap writes a batch into a tensor that is no batch.",
        means=(
            "An in-place operation (`add_`, `+=`, `x[…] = …`) writes what differs from one sample "
            "to the next into a tensor that is the same for all of them",
        ),
        remedy=(
            "Give the result a name of its own (`y = x + z` for `x += z`), or make the tensor that "
            "is written into from one that vmap splits (`torch.zeros_like(z)`); the message names "
            "the operation",
        ),
        suspects=(Suspect(r"\w+_", kinds=("call", "update")), Suspect(r"vmap")),
        types=("RuntimeError",),
        today=(r"vmap: [^\n]{1,80} is not possible because there exists a Tensor",),
        sample=(
            "torch.func.vmap(lambda a, x: a.mul_(x), in_dims=(None, 0))(torch.ones(2), "
            "torch.ones(3, 2))"
        ),
    ),
    ErrorFamily(
        id="device_unknown",
        says="A device was named in words that PyTorch does not know.",
        means=("`{given}` names no device", "The name of a device is none that PyTorch knows"),
        remedy=(
            "Print it with `repr`, and see that it is no list of GPUs (`cuda:0,1`) and holds no "
            "space. A device is named `cpu`, `cuda`, `cuda:0`, `mps` or likewise: a GPU of NVIDIA "
            "is `cuda`, and a number stands behind a colon",
        ),
        suspects=(Suspect(r"device|to"),),
        types=("RuntimeError",),
        today=(
            r"device type at start of device string: (?P<given>[^\n]{1,80})",
            r"Invalid device string: '(?P<given>[^'\n]{0,80})'",
        ),
        values={"given": "the name that was given"},
        subject=("given",),
        sample="torch.device('gpu')",
    ),
)

"""What an optimizer or a schedule of its learning rate is given, and when it steps."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

_SCALED = r"\b\w*scaler\.step\("  # a GradScaler steps the optimizer

_GIVEN = r"(?P<given>-?\d{1,12}(?:\.\d{1,12})?)"

FAMILIES = (
    ErrorFamily(
        id="no_parameters",
        says="An optimizer is given no parameters.",
        means=("The optimizer was given an empty list of parameters",),
        remedy=(
            Sentence(
                "`{quoted}` gives its values once, and an optimizer that goes through its "
                "parameters twice (of torch's own none does) finds none the second time: hand it a "
                "list, `list(filter(…))`. If that is empty too, all is frozen",
                {"code": r"(?<!list\()(?<!tuple\()\bfilter\("},
            ),
            "See whether the model has parameters at all. If it has none, no layer is registered: "
            "they have to be attributes of the module (`self.fc = nn.Linear(…)`) or stand in an "
            "`nn.ModuleList`, not in a plain list or dict, and `__init__` has two underscores on "
            "each side. If it has some, the list was emptied on the way: a filter on "
            "`requires_grad` when all is frozen, or an iterator that was gone through before",
        ),
        suspects=(Suspect(r"SGD|Adam|AdamW|RMSprop|Adagrad|Optimizer|\w*parameters"),),
        types=("ValueError",),
        today=(r"optimizer got an empty parameter list",),
        sample="torch.optim.SGD([], lr=0.1)",
    ),
    ErrorFamily(
        id="non_leaf_parameter",
        says="An optimizer is given the result of an operation.",
        means=("An optimizer is given the result of an operation, where it takes leaves",),
        remedy=(
            (
                "Make it last: `x = torch.zeros(3, device=device).requires_grad_()`, since "
                "`.to(device)`, `.cuda()` or a product after requires_grad=True gives a "
                "result"
            ),
        ),
        suspects=(Suspect(r".*", "made before it is moved or changed", {"requires_grad": "True"}),),
        types=("ValueError",),
        today=(r"can't optimize a non-leaf (?:Tensor|Variable)",),
        sample="torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)",
    ),
    ErrorFamily(
        id="frozen_parameter",
        says="An optimizer of old gets a parameter that is frozen.",
        means=(
            "The optimizer is given parameters with requires_grad=False, which torch before 0.4 "
            "refuses (later ones take them and leave them as they are)",
        ),
        remedy=(
            "Give it those that are trained: `filter(lambda p: p.requires_grad, "
            "model.parameters())`. That a parameter is frozen is to be set before; "
            "`named_parameters()` tells which one is which, as a layer's weight and bias count as "
            "two",
        ),
        suspects=(Suspect(r"SGD|Adam|AdamW|RMSprop|Adagrad|Adadelta|LBFGS"),),
        types=("ValueError",),
        older=(r"optimizing a parameter that doesn't require gradients?",),
        needs="a torch before 0.4",
        examples=("ValueError: optimizing a parameter that doesn't require gradients",),
    ),
    ErrorFamily(
        id="optimizer_no_tensors",
        says="An optimizer is given something that is no tensor.",
        means=(
            "An optimizer takes tensors, and is given a {given}",
            "An optimizer is given something that is no tensor",
        ),
        remedy=(
            Sentence(
                "Names come along: `named_parameters()` and a state_dict give them, "
                "`model.parameters()` gives the tensors alone",
                {"given": r"str|tuple"},
            ),
            Sentence(
                "Call it, with parentheses: `model.parameters()`",
                {"given": r"(?:builtin_function_or_)?method|Module\.\w+|function"},
            ),
            Sentence(
                "Join what several models have into one list: `[*a.parameters(), *b.parameters()]`",
                {"given": r"generator|list|Module\.parameters|itertools\.\w+"},
            ),
            Sentence(
                "Give it the parameters in place of the module: `model.parameters()`",
                {"given": r"torch\.nn\.modules\..*|__main__\..*"},
            ),
            "Give it `model.parameters()` or a list of tensors: `[x]`",
        ),
        suspects=(Suspect(r"SGD|Adam|AdamW|RMSprop|Adagrad|LBFGS"),),
        types=("TypeError",),
        today=(
            r"optimizer can only optimize (?:Tensors|Variables)(?:, but one of the params is "
            r"(?P<given>[\w.]+))?",
        ),
        values={"given": "type of one of the parameters"},
        sample="torch.optim.SGD([1.0], lr=0.1)",
    ),
    ErrorFamily(
        id="parameter_twice",
        says="A parameter stands twice in one group of an optimizer (a warning).",
        decides=True,
        means=(
            "A parameter stands twice in one group of the optimizer | two layers share it (tied "
            "weights), or one list was joined to another that holds it",
        ),
        remedy=(
            "`model.parameters()` of the whole model gives each once. Of lists that were joined "
            "leave the doubles out: `list(dict.fromkeys(params))`",
        ),
        suspects=(Suspect(r"SGD|Adam|AdamW|RMSprop|add_param_group"),),
        types=("UserWarning", "AssertionError"),
        today=(
            r"optimizer contains a parameter group with duplicate parameters",
            r"occurs multiple times in optimizer\.param_groups",
        ),
        sample=(
            "import warnings\n"
            "weight = nn.Parameter(torch.ones(1))\n"
            "with warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    torch.optim.SGD([weight, weight], lr=0.1)"
        ),
    ),
    ErrorFamily(
        id="scheduler_before_optimizer",
        says="A learning rate schedule steps before its optimizer does (a warning).",
        means=(
            *(
                Sentence(
                    "This is a warning and no error. `scaler.step(optimizer)` is what steps the "
                    "optimizer, and it leaves a step out whose gradients overflow, often the "
                    "first ones, where the scale is highest: then the schedule is a step ahead",
                    {where: _SCALED},
                )
                for where in ("code", "words")
            ),
            "This is a warning and no error: lr_scheduler.step() came before the first "
            "optimizer.step(), so the schedule's first learning rate is skipped",
        ),
        remedy=(
            *(
                Sentence(
                    "If it comes once, at the start, nothing has to be changed, and no "
                    "`optimizer.step()` is to be added: that would be a second update. To be "
                    "exact, step the schedule only if the step was made: `before = "
                    "scaler.get_scale()`, then `scaler.step(optimizer)`, `scaler.update()`, and "
                    "`if scaler.get_scale() >= before: scheduler.step()`. If it does so all the "
                    "time, the loss or the gradients are not finite",
                    {where: _SCALED},
                )
                for where in ("code", "words")
            ),
            "Call optimizer.step() first and scheduler.step() after it. With a GradScaler that "
            "order may be right already: it leaves out a step whose gradients overflow, often the "
            "first, and the warning is harmless then",
        ),
        types=("UserWarning",),
        today=(r"Detected call of `?lr_scheduler\.step\(\)`? before `?optimizer\.step\(\)",),
        sample=(
            "import warnings\n"
            "optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
            "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)\n"
            "with warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    scheduler.step()"
        ),
    ),
    ErrorFamily(
        id="scheduler_steps",
        says="A schedule of a fixed length is stepped more often than it was made for.",
        means=("The schedule is made for {total} steps, and step {step} is taken",),
        remedy=(
            "If it is stepped after each batch: `total_steps=epochs * len(loader)` (or `epochs` "
            "and `steps_per_epoch=len(loader)`); if once for each epoch: `total_steps=epochs`. If "
            "training goes on from a checkpoint, the steps before it count too",
        ),
        types=("ValueError",),
        today=(
            r"Tried to step (?P<step>\d+) times\. The specified number of total steps is "
            r"(?P<total>\d+)",
        ),
        older=(
            r"Tried to step (?P<step>\d+) times\. The specified number of (?:total )?steps is "
            r"(?P<total>\d+)",
        ),
        values={"step": "number of this step", "total": "steps that it was made for"},
        sample=(
            "optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
            "scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=2)\n"
            "for _ in range(3):\n"
            "    optimizer.step()\n"
            "    scheduler.step()"
        ),
    ),
    ErrorFamily(
        id="scheduler_resumed",
        says="A scheduler is to go on from an epoch with an optimizer that is new.",
        means=(
            "The scheduler is made with a last_epoch, as one that goes on, and the optimizer's "
            "groups hold no `initial_lr`: it is a new one whose saved state was not loaded",
        ),
        remedy=(
            "A start from scratch has last_epoch=-1, and not 0. To go on, load the optimizer's "
            "state before the scheduler is made, "
            "`optimizer.load_state_dict(checkpoint['optimizer'])`, which brings `initial_lr` back; "
            "or make both as in the first run, without last_epoch, and load the scheduler's state "
            "too: `scheduler.load_state_dict(checkpoint['scheduler'])`",
        ),
        types=("KeyError",),
        today=(r"param 'initial_lr' is not specified in param_groups\[\d+\] when resuming",),
        sample=(
            "optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
            "torch.optim.lr_scheduler.StepLR(optimizer, 2, last_epoch=3)"
        ),
    ),
    ErrorFamily(
        id="sparse_gradients",
        says="An optimizer is given sparse gradients, which it does not take.",
        means=("A parameter has a sparse gradient, and {optimizer} does not take one",),
        remedy=(
            "An Embedding with `sparse=True` has such a gradient. Give its parameters to an "
            "optimizer that takes it (`torch.optim.SparseAdam`, SGD, Adagrad), and those of the "
            "other layers to one of their own; or leave `sparse=True` out, which costs a gradient "
            "as large as the table",
        ),
        suspects=(Suspect(r"Embedding|EmbeddingBag", arguments={"sparse": ""}),),
        types=("RuntimeError",),
        today=(r"(?P<optimizer>\w{1,40}) does not support sparse gradients",),
        values={"optimizer": "class of the optimizer"},
        sample=(
            "table = nn.Embedding(4, 2, sparse=True)\n"
            "optimizer = torch.optim.Adam(table.parameters())\n"
            "table(torch.tensor([1])).sum().backward()\n"
            "optimizer.step()"
        ),
    ),
    ErrorFamily(
        id="settings_per_group",
        says="A scheduler was given a list of another length than there are parameter groups.",
        means=(
            "The optimizer has {groups} parameter groups, and {scheduler} was made when it had "
            "{given}: a group was added since, and `{name}` was given as a list with a number for "
            "each",
            "The optimizer has {groups} parameter groups, and the scheduler was given {given} "
            "`{name}`",
        ),
        remedy=(
            Sentence(
                "Give a single `{name}`, which holds for all groups; or right after "
                "`add_param_group` append that of the new one, `scheduler.{name}s.append(1e-5)`; "
                "or put all groups into the optimizer from the start",
                {"scheduler": r".+"},
            ),
            "One setting without a list holds for all groups; a list needs one for each group, in "
            "their order (`optimizer.param_groups`)",
        ),
        types=("ValueError",),
        today=(
            r"[Ee]xpected (?P<groups>\d+) (?P<name>lr_lambda|min_lr)s, (?:but )?got (?P<given>\d+)",
            r"(?P<name>\w+) must have the same length as optimizer\.param_groups\. \w+ has "
            r"(?P<given>\d+) values, param_groups has (?P<groups>\d+)",
            r"number of param groups in the `optimizer` \((?P<groups>\d+)\) differs from when "
            r"`(?P<scheduler>\w+)` was initialized \((?P<given>\d+)\)[^`]{1,120}`(?P<name>\w+)s`",
        ),
        values={
            "groups": "the optimizer's parameter groups",
            "given": "how many settings the list has",
            "name": "the argument",
            "scheduler": "its class, where groups were added after it was made",
        },
        sample=(
            "o = torch.optim.SGD([{'params': [torch.ones(1)]}, {'params': [torch.ones(2)]}], lr=1.)"
            "\ntorch.optim.lr_scheduler.LambdaLR(o, [lambda step: 1.0])"
        ),
        examples=(
            "ValueError: expected 2 min_lrs, got 1",
            "RuntimeError: The number of param groups in the `optimizer` (3) differs from when "
            "`ReduceLROnPlateau` was initialized (2), usually due to a new param group being added "
            "to the optimizer. Please modify the `min_lrs` field to match the length of the "
            "`optimizer` param groups.",
        ),
    ),
    ErrorFamily(
        id="restart_periods",
        says="Warm restarts are to come after periods that are no whole numbers.",
        decides=True,
        means=(
            Sentence(
                "Each period of CosineAnnealingWarmRestarts is `T_mult` times as long as the one "
                "before, and it takes whole numbers from 1 on: periods stay or grow, and {given} "
                "would shrink them",
                {"name": r"T_mult", "given": r"0?\.\d+"},
            ),
            "CosineAnnealingWarmRestarts takes a whole number, 1 or more, for `{name}`, and is "
            "given {given}",
        ),
        remedy=(
            Sentence(
                "For periods that get shorter, chain one schedule for each: "
                "`SequentialLR(optimizer, [CosineAnnealingLR(optimizer, n) for n in (160, 80, "
                "40)], milestones=[160, 240])`; T_mult=1 keeps all of one length",
                {"name": r"T_mult", "given": r"0?\.\d+"},
            ),
            "Make it a whole number: `int(n)`, or `//` for the `/` that it comes from",
        ),
        suspects=(Suspect(r"CosineAnnealingWarmRestarts"),),
        types=("ValueError",),
        today=(
            rf"Expected integer (?P<name>T_mult) >= 1, but got {_GIVEN}",
            rf"Expected positive integer (?P<name>T_0), but got {_GIVEN}",
        ),
        values={"name": "the argument", "given": "what it is given"},
        sample=(
            "optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
            "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 4, 0.5)"
        ),
    ),
    ErrorFamily(
        id="schedule_without_steps",
        says="A schedule of a fixed length is made for no steps, or for a part of one.",
        means=(
            Sentence(
                "OneCycleLR is to be made for no steps at all | `len(loader)` is 0: no data were "
                "found (a path, a split, data that have to be prepared first), or `drop_last=True` "
                "with fewer samples than one batch",
                {"given": r"0(?:\.0)?"},
            ),
            "OneCycleLR takes a whole number above 0 for `{name}`, and is given {given}",
        ),
        remedy=(
            Sentence(
                "Print `len(dataset)` and `len(loader)` before it, and mend what finds no data: no "
                "number that is written there by hand does. If both are above 0, `//` made 0 of a "
                "number of steps below 1",
                {"given": r"0(?:\.0)?"},
            ),
            "Make it a whole number: `int(n)`, or `//` for the `/` that it comes from",
        ),
        suspects=(Suspect(r"OneCycleLR"),),
        types=("ValueError",),
        today=(
            r"(?i)expected positive integer (?P<name>total_steps|epochs|steps_per_epoch), but got "
            + _GIVEN,
        ),
        values={"name": "the argument", "given": "what it is given"},
        sample=(
            "optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
            "torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=0)"
        ),
    ),
)

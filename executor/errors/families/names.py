"""Names that are not there: in modules, in objects, in the program, among what is installed."""

from executor.errors.family import ErrorFamily

_PLAIN = (
    r"tuple|list|dict|generator|str|int|float|bool|set|function|builtin_function_or_method|method"
    r"|numpy\.\w+|map|filter|zip|range"
)

FAMILIES = (
    ErrorFamily(
        id="module_attribute",
        says="A module has no such name: it was renamed or removed, or never was there.",
        types=("AttributeError",),
        today=(r"module '(?P<module>(?P<package>\w+)[\w.]*)' has no attribute '(?P<name>\w+)'",),
        values={
            "module": "that is asked",
            "package": "the first part of its name",
            "name": "that it has not",
        },
        subject=("package",),
        sample="torch.gesv",
    ),
    ErrorFamily(
        id="import_name",
        says="A module has no such name to import.",
        types=("ImportError",),
        today=(r"cannot import name '(?P<name>\w+)' from '(?P<module>(?P<package>\w+)[\w.]*)'",),
        older=(r"cannot import name '?(?P<name>\w+)'?$",),
        values={
            "name": "that is imported",
            "module": "it is imported from",
            "package": "the first part of its name",
        },
        subject=("package",),
        sample="from torch.optim import NoSuchOptimizer",
        examples=("ImportError: cannot import name 'zero_gradients'",),
    ),
    ErrorFamily(
        id="none_attribute",
        says="Something is asked of None.",
        types=("AttributeError",),
        today=(r"'NoneType' object has no attribute '(?P<name>\w+)'",),
        values={"name": "that is asked for"},
        sample="torch.ones(2).grad.zero_()",
    ),
    ErrorFamily(
        id="tensor_attribute",
        says="A tensor has no such attribute.",
        types=("AttributeError",),
        today=(r"'(?P<type>Tensor|Parameter)' object has no attribute '(?P<name>\w+)'",),
        older=(
            r"'(?P<type>Variable|torch\.(?:cuda\.)?\w+Tensor)' object has no attribute "
            r"'(?P<name>\w+)'",
        ),
        values={"type": "Tensor or Parameter", "name": "that is asked for"},
        sample="torch.ones(2).reshape_(1, 2)",
        examples=("AttributeError: 'Variable' object has no attribute 'item'",),
    ),
    ErrorFamily(
        id="plain_attribute",
        says="A list, an array or another plain value is used as if it were something else.",
        types=("AttributeError",),
        today=(rf"'(?P<type>{_PLAIN})' object has no attribute '(?P<name>\w+)'",),
        values={"type": "of the value", "name": "that is asked for"},
        subject=("type", "name"),
        sample="[1, 2].shape",
        typed=True,
    ),
    ErrorFamily(
        id="wrapper_attribute",
        says="A layer or method of a model is asked of the wrapper around it.",
        types=("AttributeError", "ModuleAttributeError"),
        today=(
            r"'(?P<of_class>DataParallel|DistributedDataParallel|FullyShardedDataParallel)' object "
            r"has no attribute '(?P<name>\w+)'",
        ),
        values={"of_class": "class of the wrapper", "name": "what is asked of it"},
        sample="nn.DataParallel(nn.Linear(2, 2)).in_features",
        breadth=-6,  # otherwise `object_attribute`
    ),
    ErrorFamily(
        id="object_attribute",
        says="An object has no such attribute.",
        types=("AttributeError",),
        today=(
            r"(?P<of_class>type object )?(?<!module )'(?P<type>\w[\w.]*)'(?: object)? has no "
            r"attribute '(?P<name>\w*)'",
        ),
        values={
            "of_class": "`type object ` where it is a class that is asked",
            "type": "of the object, or the class",
            "name": "that is asked for",
        },
        subject=("of_class", "name"),
        sample="nn.Linear(2, 2).width",
        breadth=10,
    ),
    ErrorFamily(
        id="name_undefined",
        says="A name is used that nothing defines.",
        types=("NameError",),
        today=(r"name '(?P<name>\w+)' is not defined",),
        values={"name": "that is used"},
        sample="model",
    ),
    ErrorFamily(
        id="unbound_local",
        says="A variable of a function is read before it has a value.",
        types=("UnboundLocalError", "NameError"),
        today=(r"cannot access (?P<kind>local|free) variable '(?P<name>\w+)'",),
        older=(r"(?P<kind>local|free) variable '(?P<name>\w+)' referenced before assignment",),
        values={"kind": "local, or free for a function within a function", "name": "of it"},
        sample="def f():\n    x += 1\n\nf()",
        examples=("UnboundLocalError: local variable 'x' referenced before assignment",),
    ),
    ErrorFamily(
        id="module_not_installed",
        says="A module is not installed.",
        types=("ModuleNotFoundError", "ImportError"),
        today=(r"No module named '?(?P<module>[\w.]+)'?",),
        values={"module": "that is imported"},
        sample="import no_such_module",
    ),
    ErrorFamily(
        id="module_required",
        says="A library needs another one that is not installed.",
        types=("ImportError",),
        today=(r"requires `?(?P<module>[\w.]+)[\s\S]{0,400}?pip install",),
        values={"module": "that it needs"},
        needs="a library that asks for another one",
        examples=(
            "ImportError: This modeling file requires `einops` that was not found. Run `pip "
            "install einops`",
        ),
        typed=True,
    ),
)

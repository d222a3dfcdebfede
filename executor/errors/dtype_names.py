"""The names that messages have for dtypes: C++ says `double`, a dispatcher says `Double`."""

from __future__ import annotations

_DTYPES = {
    "bool": ("Bool", "bool"),
    "uint8": ("Byte", "unsigned char"),
    "int8": ("Char", "signed char"),
    "int16": ("Short", "short"),
    "int32": ("Int", "int"),
    "int64": ("Long", "long", "long int", "long long"),
    "float16": ("Half", "c10::Half"),
    "bfloat16": ("BFloat16", "c10::BFloat16"),
    "float32": ("Float", "float"),
    "float64": ("Double", "double"),
    "complex64": ("ComplexFloat", "c10::complex<float>"),
    "complex128": ("ComplexDouble", "c10::complex<double>"),
}
_NAMES = {name: dtype for dtype, names in _DTYPES.items() for name in names}


def dtype_named(name: str) -> str:
    """The dtype that a message calls so, such as "float64" for "Double"; empty if it is none."""
    return _NAMES.get(name, "")

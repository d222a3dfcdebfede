"""Subjects that no function of PyTorch is about, to recognise questions about them.

A question that is nearer to one of these than to any function is left alone. Words that name
another tool (`FOREIGN`) say so more surely than nearness does.
"""

import re

OFF_FIELD = (
    "sorting, reversing or searching a list in Python",
    "strings in Python: splitting, replacing, formatting",
    "dictionaries, tuples and sets in Python",
    "decorators, classes and generators in Python",
    "reading and writing files, JSON, CSV and XML",
    "installing packages with pip or conda, virtual environments",
    "pandas data frames: columns, rows, groupby, merge, missing values",
    "plotting with matplotlib: axes, legends, colours",
    "Keras and TensorFlow models, layers, callbacks and datasets",
    "scikit-learn classifiers, pipelines and cross-validation",
    "which machine learning method or model to choose",
    "how neural networks work in general",
    "large language models, prompts, fine-tuning and Hugging Face",
    "data collection, labelling and evaluation of models",
    "installing CUDA, cuDNN and drivers",
    "choosing a graphics card or computer, power supplies and fans",
    "hanging workers, crashes and timeouts",
    "deployment, serving, Docker and Kubernetes",
    "mobile phones, Android, C++ and libtorch",
    "JavaScript, TypeScript, React and web pages",
    "HTML, CSS and page layout",
    "SQL queries, tables, joins and databases",
    "git, commits and branches",
    "shell commands, files, find, sed and grep",
    "editors, notebooks and IDEs",
    "spreadsheets and Excel",
    "R, Java, Rust, Go, Swift and C",
    "salaries, careers, interviews and degrees",
    "cooking, baking and recipes",
    "household, cleaning, furniture and repairs",
    "gardening, lawns, plants and pets",
    "sport, training for a race and health",
    "travel, weather, books and films",
    "history, law, politics and news",
    "mathematical proofs and school mathematics",
    "physics, electricity and engineering",
    "greetings, thanks and small talk",
    "the loss does not go down, the accuracy is bad",
    "an error message or exception",
)

# Names of other tools. With one of _OURS beside it the question may be about both.
_OTHERS = re.compile(
    r"\b(?:pandas|data ?frames?|tensorflow|tf\.\w+|tf|keras|tflite|jax|flax|mxnet|numpy|scipy|"
    r"scikit-learn|sklearn|xgboost|matplotlib|seaborn|opencv|lightning|hugging ?face|"
    r"torch_geometric|"
    r"javascript|typescript|react|node\.?js|angular|vue|html|css|php|java|kotlin|swift|rust|golang|"
    r"matlab|julia|c\+\+|c#|sql|mysql|postgres\w*|mongodb|excel|spreadsheets?|git|bash|shell|sed|"
    r"awk|vim|(?-i:R)|docker|kubernetes|kubectl|nginx|django|flask|python)\b",
    re.IGNORECASE,
)
# Names of libraries that are built on PyTorch: a title that names one asks for what that one has,
# also where the post says "PyTorch" further down.
_BUILT_ON_OURS = re.compile(
    r"\b(?:hugging ?face|transformers library|tokeniz\w+|gpt-?\d\w*|roberta|llama\S*"
    r"|from_pretrained|diffusers|allennlp|fairseq"
    r"|fast\.?ai|detectron2?|mm(?:cv|engine|det\w*|seg\w*)|lightning|torch_geometric"
    r"|pytorch geometric|monai|yolo\w*|ultralytics|stable[- ]?baselines\d?|vllm|deepspeed)\b",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"\b(?:py)?torch\b|\btensors?\b|\bnn\.|\bautograd\b|\b(?-i:DataLoaders?|Dataset|state_dict)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\b(?:torch|nn)\.\w")


def is_foreign(text: str) -> bool:
    """Whether a question names another tool and nothing of PyTorch.

    Or its title names a library that is built on PyTorch, and no function of PyTorch's own.
    """
    title = next((line for line in text.splitlines() if line.strip()), "")
    if _BUILT_ON_OURS.search(title) and not _CALLED.search(title):
        return True
    return _OTHERS.search(text) is not None and not names_ours(text)


def names_ours(text: str) -> bool:
    """Whether a question names something of PyTorch."""
    return _OURS.search(text) is not None

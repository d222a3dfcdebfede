"""pandas and scikit-learn: columns, values that are no numbers, sizes that do not fit."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

_SKLEARN = "scikit-learn"

FAMILIES = (
    ErrorFamily(
        id="numba_types",
        says="Numba compiles a function that is given something that it has no type for.",
        means=(
            "Numba knows NumPy arrays and numbers, and gets {type}, which it has no type for",
            "Numba compiles only for NumPy arrays and numbers, and meets something else, such as "
            "a tensor or a Python object",
        ),
        remedy=(
            "Give it arrays: `f(x.detach().cpu().numpy())`, and `torch.from_numpy(result)` after "
            "it. No gradient goes through such a function: what has to be trained is written with "
            "torch, or in a `torch.autograd.Function` that has its own backward",
        ),
        suspects=(Suspect(r"njit|jit|vectorize|guvectorize"),),
        types=("TypingError", "TypeError"),
        today=(
            r"Cannot determine Numba type of <class '(?P<type>[\w.]{1,80})'>",
            r"Failed in (?:nopython|cuda) mode pipeline",
        ),
        values={"type": "of the argument"},
        needs="numba",
        examples=(
            "TypingError: Failed in nopython mode pipeline (step: nopython frontend)\nnon-precise "
            "type pyobject",
            "TypeError: Cannot determine Numba type of <class 'torch.Tensor'>",
        ),
    ),
    ErrorFamily(
        id="columns_missing",
        says="Columns are asked for that the table does not have.",
        means=("The table has no such columns: {columns}",),
        remedy=(
            "Print `list(table.columns)`: a blank at the end of a name, a file without a header "
            "(`header=None`), or another separator (`sep=';'`) gives other names",
        ),
        types=("KeyError",),
        today=(
            r"None of \[Index\((?P<columns>\[[^\n]{1,200}?\])",
            r"\"?(?P<columns>\[[^\n]{1,200}\]) not (?:in index|found in axis)",
        ),
        values={"columns": "their names"},
        needs="pandas",
        examples=(
            "KeyError: \"None of [Index(['a', 'b'], dtype='object')] are in the [columns]\"",
            "KeyError: \"['price'] not in index\"",
        ),
        breadth=-10,  # otherwise `key_missing`
    ),
    ErrorFamily(
        id="text_where_numbers_are_needed",
        says="Text is turned into numbers.",
        means=("The text {text} stands where a number is needed",),
        remedy=(
            Sentence(
                "It is a number with something around it: read it so (`pd.read_csv(path, "
                "thousands=',')`, `decimal=','`), or take the rest away, `column.str.strip('%')`, "
                "before it is converted",
                {"text": r"['\"][\s$€£+-]*\d[\d.,\s]*[%$€£]?['\"]"},
            ),
            Sentence(
                "An empty text is a value that is missing: make it NaN, `table.replace('', "
                "np.nan)`, and then leave its row out or fill it",
                {"text": r"(['\"])\s*\1"},
            ),
            "If it is the name of a column, the first line was read as data (`header=0`). If a "
            "column holds text, leave it out (`table.select_dtypes('number')`) or give its words "
            "numbers (`pd.get_dummies`, `LabelEncoder`). If it is dirt among numbers, "
            "`pd.to_numeric(column, errors='coerce')` makes NaN of it: count them",
        ),
        suspects=(Suspect(r"astype|float|fit\w*|transform|tensor|asarray|array"),),
        types=("ValueError",),
        today=(r"could not convert string to float: (?P<text>[^\n]{1,80})",),
        values={"text": "the first such text"},
        sample='np.array(["1.5", "abc"]).astype(float)',
    ),
    ErrorFamily(
        id="inconsistent_samples",
        says="Two arrays that belong together have different numbers of samples.",
        means=("The arrays have {counts} samples, and each sample needs its partner",),
        remedy=(
            Sentence(
                "One of them counts as a single sample: a row instead of a column, or a list "
                "around it. `x.reshape(-1, 1)` makes a column of it; print both shapes",
                {"counts": r"\[1, \d+\]|\[\d+, 1\]"},
            ),
            "Look where one of them lost or gained rows: a `dropna` of one of them alone, a part "
            "of the predictions, targets of another split",
        ),
        suspects=(Suspect(r"fit\w*|train_test_split|\w*score|\w*matrix|\w*report|\w*error"),),
        types=("ValueError",),
        today=(r"inconsistent numbers of samples: (?P<counts>\[[\d, ]{1,80}\])",),
        values={"counts": "the numbers"},
        needs=_SKLEARN,
        examples=(
            "ValueError: Found input variables with inconsistent numbers of samples: [4, 3]",
        ),
    ),
    ErrorFamily(
        id="one_dimension_where_two_are_needed",
        says="scikit-learn gets an array of one dimension where it takes samples by features.",
        means=("It takes [samples, features] and gets one dimension",),
        remedy=(
            "One feature is a column: `x.reshape(-1, 1)`, or `table[['a']]` with two brackets; one "
            "sample is a row: `x.reshape(1, -1)`",
        ),
        suspects=(Suspect(r"fit\w*|transform|predict\w*"),),
        types=("ValueError",),
        today=(r"Expected 2D array, got (?P<given>1D|scalar) array instead",),
        values={"given": "1D or scalar"},
        needs=_SKLEARN,
        examples=("ValueError: Expected 2D array, got 1D array instead:",),
    ),
    ErrorFamily(
        id="nan_among_the_features",
        says="scikit-learn gets values that are NaN or infinite.",
        means=("There are values among the input that are NaN or infinite",),
        remedy=(
            "Find them: `np.isnan(x).any(axis=0)`; drop the rows (`dropna`), fill them "
            "(`SimpleImputer`), or look why they came about (a loss that is NaN, a division by 0)",
        ),
        suspects=(Suspect(r"fit\w*|transform|predict\w*|\w*score"),),
        types=("ValueError",),
        today=(r"Input (?P<name>\w{1,20} )?contains (?:NaN|infinity)",),
        values={"name": "X or y"},
        needs=_SKLEARN,
        examples=(
            "ValueError: Input X contains NaN.",
            "ValueError: Input contains NaN, infinity or a value too large for dtype('float32').",
        ),
    ),
    ErrorFamily(
        id="classes_and_scores",
        says="A classification metric gets scores where it takes classes.",
        means=("The targets are {one}, the predictions {other}; the metric takes classes of both",),
        remedy=(
            Sentence(
                "The targets are real numbers. If they are to be predicted as such, the metric is "
                "one of regression (`mean_squared_error`, `r2_score`); if they are classes, they "
                "were read or scaled as floats: `y.astype(int)` before the split",
                {"one": r"continuous.*"},
            ),
            *(
                Sentence(
                    "One side has a column for each class, the other class numbers: "
                    "`argmax(axis=1)` of the columns, if one alone is right for each sample",
                    {side: r"multilabel.*"},
                )
                for side in ("one", "other")
            ),
            "Make classes of the scores first: `argmax(1)` of several, `(score > 0.5).astype(int)` "
            "of one; `roc_auc_score` is the one that takes scores",
        ),
        suspects=(Suspect(r"\w*score|confusion_matrix|classification_report"),),
        types=("ValueError",),
        today=(r"can't handle a mix of (?P<one>[\w-]{1,40}) and (?P<other>[\w-]{1,40}) targets",),
        values={"one": "kind of the first", "other": "kind of the second"},
        needs=_SKLEARN,
        examples=(
            "ValueError: Classification metrics can't handle a mix of multiclass and "
            "continuous-multioutput targets",
        ),
    ),
    ErrorFamily(
        id="average_of_classes",
        says="A score of two classes is asked for where there are more.",
        decides=True,
        means=("The targets are {kind}, and `average='binary'` is for two classes, 0 and 1",),
        remedy=(
            "Say how the classes are averaged: `average='macro'` counts each class alike, "
            "`'weighted'` by how often it comes, `'micro'` each sample, None gives one number for "
            "each class",
        ),
        suspects=(Suspect(r"(?:precision|recall|f1|fbeta|jaccard)_score"),),
        types=("ValueError",),
        today=(r"Target is (?P<kind>[\w-]{1,40}) but average='binary'",),
        values={"kind": "of the targets"},
        needs=_SKLEARN,
        examples=(
            "ValueError: Target is multiclass but average='binary'. Please choose another average "
            "setting, one of [None, 'micro', 'macro', 'weighted'].",
        ),
    ),
    ErrorFamily(
        id="other_number_of_features",
        says="scikit-learn gets another number of features than it was fitted with.",
        means=("{given} features arrive, and the {type} was fitted with {wanted}",),
        remedy=(
            "Fit once, on the training data, and give the same columns in the same order later; a "
            "scaler of the features cannot undo that of the target",
        ),
        suspects=(Suspect(r"transform|inverse_transform|predict\w*"),),
        types=("ValueError",),
        today=(
            r"X has (?P<given>\d+) features, but (?P<type>\w+) is expecting (?P<wanted>\d+) feat",
        ),
        values={
            "given": "number of features",
            "type": "class of the estimator",
            "wanted": "what it was fitted with",
        },
        needs=_SKLEARN,
        examples=(
            "ValueError: X has 3 features, but StandardScaler is expecting 4 features as input.",
        ),
    ),
    ErrorFamily(
        id="not_fitted",
        says="Something of scikit-learn is used before it was fitted.",
        means=("This {type} was not fitted yet",),
        remedy=(
            "`fit` (or `fit_transform`) it on the training data first, and keep that very object: "
            "a new one knows nothing",
        ),
        suspects=(Suspect(r"transform|inverse_transform|predict\w*"),),
        types=("NotFittedError",),
        today=(r"This (?P<type>\w+) instance is not fitted yet",),
        values={"type": "class of the estimator"},
        needs=_SKLEARN,
        examples=(
            "NotFittedError: This StandardScaler instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator.",
        ),
    ),
    ErrorFamily(
        id="unseen_labels",
        says="A label encoder meets a label that it was not fitted with.",
        means=("The encoder was fitted without these labels: {labels}",),
        remedy=(
            "Fit it on all labels there are, or map the unknown ones to one of their own; "
            "`OrdinalEncoder(handle_unknown='use_encoded_value', unknown_value=-1)` does that",
        ),
        suspects=(Suspect(r"transform"),),
        types=("ValueError",),
        today=(r"y contains previously unseen labels: (?P<labels>[^\n]{1,120})",),
        values={"labels": "the first ones"},
        needs=_SKLEARN,
        examples=("ValueError: y contains previously unseen labels: 'c'",),
    ),
    ErrorFamily(
        id="split_of_nothing",
        says="Too few samples are split into two parts, or learned from.",
        means=("There are {count} samples, and more are needed",),
        remedy=(
            "Print how many there are before the line: a filter, a `dropna` or a path without "
            "files may have left none",
        ),
        suspects=(Suspect(r"train_test_split"),),
        types=("ValueError",),
        today=(
            r"With n_samples=(?P<count>\d+), [^\n]{1,100} train set will be empty",
            r"Found array with (?P<count>0) sample\(s\)",
        ),
        values={"count": "of samples"},
        needs=_SKLEARN,
        examples=(
            "ValueError: With n_samples=0, test_size=0.2 and train_size=None, the resulting train "
            "set will be empty. Adjust any of the aforementioned parameters.",
        ),
    ),
    ErrorFamily(
        id="plot_lengths",
        says="Points are drawn whose x and y differ in number.",
        means=("x has the shape {x}, y has {y}",),
        remedy=(
            "Let the x follow from y: `plt.plot(losses)` alone, or `range(len(losses))`; one of "
            "them is perhaps added to once for each batch, the other once for each epoch",
        ),
        suspects=(Suspect(r"plot|scatter|errorbar"),),
        types=("ValueError",),
        today=(
            r"x and y must have same first dimension, but have shapes (?P<x>\([\d, ]*\)) and "
            r"(?P<y>\([\d, ]*\))",
        ),
        values={"x": "its shape", "y": "its shape"},
        sample="import matplotlib.pyplot as plt\nplt.plot([1, 2, 3], [1, 2])",
    ),
)

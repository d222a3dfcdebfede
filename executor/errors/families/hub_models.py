"""Hugging Face's transformers and datasets: tokenizers, models and the Trainer."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

_NEEDS = "transformers"

FAMILIES = (
    ErrorFamily(
        id="no_input_ids",
        says="A transformers model is called without its token ids.",
        means=("The model is called without {what}; it needs one of the two",),
        remedy=(
            Sentence(
                "The model has a decoder, which begins from something: give `labels=` in training, "
                "from which it is made, or `decoder_input_ids`; to write a text, "
                "`model.generate(**inputs)`",
                {"what": r"decoder_.*"},
            ),
            "Unpack what the tokenizer gives: `model(**inputs)`; a model with a decoder wants "
            "`labels` or `decoder_input_ids` too",
        ),
        suspects=(Suspect(r"model|net|bert|gpt2|encoder|decoder"),),
        types=("ValueError",),
        today=(
            r"You (?:have to|must) specify (?:either |exactly one of )?"
            r"(?P<what>(?:decoder_)?input_ids (?:or|and) (?:decoder_)?inputs_embeds)",
            r"You have to specify either (?P<what>\w+ or \w+)",
        ),
        values={"what": "the arguments of which one is wanted"},
        needs=_NEEDS,
        examples=("ValueError: You have to specify either input_ids or inputs_embeds",),
    ),
    ErrorFamily(
        id="tokenizer_input",
        says="A tokenizer gets something that is no text.",
        means=("The tokenizer takes a text, a list of texts, or a list of lists of words",),
        remedy=(
            "Look at what comes in: `None` or a number (an empty cell of a table is a float: "
            "`.fillna('').astype(str)`), a Series or an array (`.tolist()`), or token ids",
        ),
        suspects=(Suspect(r"tokenizer|tok|from_pretrained"),),
        types=("ValueError", "TypeError"),
        today=(
            r"text input must be of type `?str`? \(single example\)",
            r"TextEncodeInput must be Union",
        ),
        older=(r"is not valid\. Should be a string, a list/tuple of strings",),
        needs=_NEEDS,
        examples=(
            "ValueError: text input must be of type `str` (single example), `list[str]` (batch or "
            "single pretokenized example) or `list[list[str]]` (batch of pretokenized examples).",
            "TypeError: TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, "
            "InputSequence]]",
        ),
    ),
    ErrorFamily(
        id="no_padding_token",
        says="Texts are padded by a tokenizer that has no token for padding.",
        decides=True,
        means=("This tokenizer has no padding token, as those of GPT models have none",),
        remedy=(
            "`tokenizer.pad_token = tokenizer.eos_token`, and for a classifier also "
            "`model.config.pad_token_id = tokenizer.pad_token_id`",
        ),
        suspects=(Suspect(r"tokenizer|tok|from_pretrained"),),
        types=("ValueError",),
        today=(
            r"Asking to pad but the tokenizer does not have a padding token",
            r"Cannot handle batch sizes > 1 if no padding token is defined",
        ),
        needs=_NEEDS,
        examples=(
            "ValueError: Asking to pad but the tokenizer does not have a padding token. Please "
            "select a token to use as `pad_token`",
            "ValueError: Cannot handle batch sizes > 1 if no padding token is defined.",
        ),
    ),
    ErrorFamily(
        id="trainer_without_loss",
        says="A Trainer's model gives no loss, since it gets no labels.",
        means=(
            Sentence(
                "The model returned no loss: it got {inputs}, and no `labels`",
                {"inputs": r"(?!.*\blabels?\b).+"},
            ),
            Sentence(
                "The model returned no loss, though it got {inputs} | it has no head, or it is a "
                "class of one's own that gives none",
                {"inputs": r".+"},
            ),
            "The model returned no loss | no `labels` reach it, it has no head, or it is a class "
            "of one's own that gives none",
        ),
        remedy=(
            Sentence(
                "Print `trainer.train_dataset` and one batch of `trainer.get_train_dataloader()`. "
                "If no `labels` are there: a language model takes them from "
                "`DataCollatorForLanguageModeling(tokenizer, mlm=False)`, a classifier from a "
                "column of that name (`rename_column('label', 'labels')`). If they are in the data "
                "and not in the batch: the collator leaves them out, or the Trainer drops columns "
                "that it does not find in the model's forward (a wrapped model hides them: "
                "`remove_unused_columns=False`, `label_names=['labels']`)",
                {"inputs": r"(?!.*\blabels?\b).+", "keys": r".*\b(?:logits|prediction)\w*.*"},
            ),
            Sentence(
                "The data set needs a column named `labels` (`rename_column('label', 'labels')`, "
                "or a collator that makes it, such as `DataCollatorForLanguageModeling`); if the "
                "model gives no logits either, it has no head: load it as "
                "`AutoModelForSequenceClassification` (or the one of your task), not `AutoModel`",
                {"inputs": r"(?!.*\blabels?\b).+"},
            ),
            "If `labels` are missing, the data set needs a column of that name. If they are there: "
            "the model needs a head (`AutoModelForSequenceClassification`, not `AutoModel`); a "
            "class of your own gives `{{'loss': loss, 'logits': logits}}`",
        ),
        suspects=(Suspect(r"train|Trainer"),),
        types=("ValueError", "KeyError"),
        today=(r"The model did not return a loss from the inputs",),
        details=(
            r"inputs it received are (?P<inputs>\w+(?:, ?\w+){0,30})",
            r"only the following keys: (?P<keys>\w+(?:, ?\w+){0,30})",
        ),
        values={"inputs": "what the model got", "keys": "what it returned"},
        needs=_NEEDS,
        examples=(
            "ValueError: The model did not return a loss from the inputs, only the following "
            "keys: logits. For reference, the inputs it received are input_ids,attention_mask.",
        ),
    ),
    ErrorFamily(
        id="trainer_without_columns",
        says="No column of a Trainer's data has the name of an argument of the model.",
        means=("No column of the data is an argument of the model's forward, so all are dropped",),
        remedy=(
            "Tokenize first, so that there are `input_ids` and `attention_mask`; where a data "
            "collator does that, say `remove_unused_columns=False`",
        ),
        suspects=(Suspect(r"train|Trainer"),),
        types=("ValueError",),
        today=(r"No columns in the dataset match the model's forward method signature",),
        needs=_NEEDS,
        examples=(
            "ValueError: No columns in the dataset match the model's forward method signature: "
            "(input_ids, labels). The following columns have been ignored: [text].",
        ),
    ),
    ErrorFamily(
        id="trainer_without_evaluation_data",
        says="A Trainer is to evaluate and has no data for it.",
        means=("Evaluation is asked for, and no `eval_dataset` is given",),
        remedy=('Give the Trainer `eval_dataset=…`, or say `eval_strategy="no"`',),
        suspects=(Suspect(r"evaluate|train|Trainer"),),
        types=("ValueError",),
        today=(
            r"evaluation requires an eval_dataset",
            r"but you didn't pass an `eval_dataset` to `Trainer`",
        ),
        needs=_NEEDS,
        examples=(
            "ValueError: Trainer: evaluation requires an eval_dataset.",
            "ValueError: You have set `args.eval_strategy` to IntervalStrategy.EPOCH but you "
            "didn't pass an `eval_dataset` to `Trainer`.",
        ),
    ),
    ErrorFamily(
        id="trainer_strategies_differ",
        says="The best model is wanted at the end, and saving and evaluating go by other steps.",
        decides=True,
        means=("`load_best_model_at_end` needs saving and evaluating at the same moments",),
        remedy=("Give `eval_strategy` and `save_strategy` the same value, and the same steps",),
        suspects=(Suspect(r"TrainingArguments|Seq2SeqTrainingArguments"),),
        types=("ValueError",),
        today=(r"load_best_model_at_end requires the sav(?:e|ing)",),
        needs=_NEEDS,
        examples=(
            "ValueError: --load_best_model_at_end requires the save and eval strategy to match, "
            "but found",
        ),
    ),
    ErrorFamily(
        id="no_head_for_architecture",
        says="A model of this architecture has no such head.",
        means=("There is no {head} for the architecture of {config}",),
        remedy=(
            "Take the class for what the architecture does: a T5 or BART generates with "
            "`AutoModelForSeq2SeqLM`, a GPT with `AutoModelForCausalLM`, a BERT fills masks with "
            "`AutoModelForMaskedLM`",
        ),
        suspects=(Suspect(r"from_pretrained|from_config|pipeline"),),
        types=("ValueError",),
        today=(
            r"Unrecognized configuration class <class '(?:[\w.]{1,200}\.)?(?P<config>\w+)'> for "
            r"this kind of AutoModel: (?P<head>\w+)",
        ),
        values={"config": "class of the configuration", "head": "that was asked for"},
        needs=_NEEDS,
        examples=(
            "ValueError: Unrecognized configuration class <class "
            "'transformers.models.t5.configuration_t5.T5Config'> for this kind of AutoModel: "
            "AutoModelForCausalLM.",
        ),
    ),
    ErrorFamily(
        id="pipeline_task",
        says="A pipeline is asked for a task that there is none of.",
        decides=True,
        means=("There is no pipeline for the task `{task}`",),
        remedy=("The message lists the tasks there are: `sentiment-analysis` is one of them",),
        suspects=(Suspect(r"pipeline"),),
        types=("KeyError",),
        today=(r"Unknown task (?P<task>[\w-]{1,60}), available tasks are",),
        values={"task": "that was asked for"},
        needs=_NEEDS,
        examples=("KeyError: \"Unknown task sentiment, available tasks are ['fill-mask']\"",),
        breadth=-8,  # otherwise `key_missing`
    ),
    ErrorFamily(
        id="hub_name_unknown",
        says="A model is asked for by a name that the hub does not have.",
        means=("`{name}` is neither a folder here nor a model of the hub",),
        remedy=(
            "If it is a model of the hub: look its name up (`google-bert/bert-base-uncased` has "
            "its owner before it); a private or gated one needs `token=` of somebody who may read "
            "it. If it is a folder: print `os.path.abspath(path)`, which has to hold `config.json`",
        ),
        suspects=(Suspect(r"from_pretrained|pipeline"),),
        types=("OSError", "EnvironmentError"),
        today=(r"(?P<name>\S{1,200}) is not a local folder and is not a valid model identifier",),
        values={"name": "that was asked for"},
        needs="a network",
        examples=(
            "OSError: bert-bas is not a local folder and is not a valid model identifier listed "
            "on 'https://huggingface.co/models'",
        ),
    ),
    ErrorFamily(
        id="tokenizer_class_unknown",
        says="A tokenizer is of a class that the installed transformers does not have.",
        means=("The tokenizer class `{name}` is not in the installed transformers",),
        remedy=("Upgrade transformers, or name another class in the model's own configuration",),
        types=("ValueError",),
        today=(r"Tokenizer class (?P<name>\w+) does not exist or is not currently imported",),
        values={"name": "of the class"},
        needs=_NEEDS,
        examples=(
            "ValueError: Tokenizer class LlamaTokenizerX does not exist or is not currently "
            "imported.",
        ),
    ),
    ErrorFamily(
        id="meta_tensor_moved",
        says="A model whose weights were not loaded is moved to a device.",
        means=("The weights are on the meta device: they have shapes and no values",),
        remedy=(
            Sentence(
                "Do not call `.to(device)` on a model that accelerate has placed with "
                "`device_map`; leave the line out, or `device_map`",
                {"words": r"device_map"},
            ),
            "Load the weights, or make the model with `model.to_empty(device=…)` and then load "
            "them; what `device_map` has placed is not moved again",
        ),
        suspects=(Suspect(r"to|cuda|cpu"),),
        types=("NotImplementedError",),
        today=(r"Cannot copy out of meta tensor; no data!",),
        sample='nn.Linear(2, 2, device="meta").to("cpu")',
    ),
)

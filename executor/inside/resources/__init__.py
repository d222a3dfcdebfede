"""Supply data sets, files and weights that a snippet asks for and that are not here.

A resource is noticed where it is asked for: an `open` that finds nothing, a data set that would be
downloaded, weights that a hub would send. There a thing of its form takes its place.

run_resources.py   all of it, for one run
supplied.py        what was supplied; which errors and findings say nothing then
paths.py           functions that take a path: what is missing is made, other folders are moved
files.py           a file by its suffix: image, table, JSON, text, array, audio
folders.py         a folder by how its content is used
uses.py            what the snippet's text says of a file: columns, keys, suffixes
datasets.py        torchvision's data sets, from their own classes; forms.py: their facts
sounds.py          torchaudio's data sets; graphs.py: those of torch_geometric
loaders.py         a few batches of an epoch
downloads.py       files that are fetched from an address
fetchers.py        scikit-learn's data sets; records.py: those of `load_dataset`
hub.py             transformers' models; hub_forms.py: their sizes; vocabularies.py: tokenizers
checkpoints.py     weights and checkpoints: what the module that loads them has
pictures.py        synthetic images that a network can learn to tell apart
"""

"""executor/inside/rebuild/stubs.py: what stands for a table, a recurrent model, a reader."""

from __future__ import annotations

import torch

from executor.inside.rebuild.stubs import Model, Recurrent, Rows, in_turn, loss


def test_a_table_gives_file_names_and_labels():
    """By number or by the name of a column."""
    rows = Rows()
    assert len(rows) == 4
    assert rows.iloc[1, 0] == "file_1.png"
    assert rows.iloc[1, 1] == rows.loc[1, "class_id"] == 1
    assert rows.iloc[2] == ["file_2.png", 0]
    assert rows.iloc[3]["label"] == rows.iloc[3][1] == 1
    assert rows.iloc[3, 1:] == [1]
    assert rows["name"][0] == "file_0.png"
    assert [n for n, _ in rows.iterrows()] == [0, 1, 2, 3]


def test_a_recurrent_model_gives_a_state_that_hangs_on_the_one_before():
    """So a loop that keeps it keeps its graph."""
    model = Recurrent(10)
    state = model.init_hidden(8)
    first, state = model(torch.rand(8, 20), state)
    second, state = model(torch.rand(8, 20), state)
    assert (first.shape, state.shape) == ((8, 10), (8,))
    (grad,) = torch.autograd.grad(second.sum(), first, allow_unused=True)
    assert grad is None
    assert state.grad_fn is not None
    assert isinstance(model(torch.rand(8, 20), (state, state))[1], tuple)


def test_a_model_ends_in_the_last_layer_that_it_is_given():
    """Behind its own, which stands for all that was there before."""
    model = Model(10)
    width = model.fc.in_features
    assert model(torch.rand(8, 3, 4, 4)).shape == (8, 10)
    model.requires_grad_(False)
    model.head = torch.nn.Sequential(torch.nn.Linear(width, 5), torch.nn.Linear(5, 2))
    assert model(torch.rand(8, 3, 4, 4)).shape == (8, 2)
    assert model(torch.rand(8, 20)).requires_grad
    model.head.requires_grad_(False)
    assert not model(torch.rand(8, 20)).requires_grad


def test_a_reader_gives_the_posted_shapes_in_turn():
    """One after the other, and again."""
    read = in_turn((3, 4), (3, 5))
    assert [tuple(read("a").shape) for _ in range(3)] == [(3, 4), (3, 5), (3, 4)]


def test_a_loss_takes_all_that_it_is_given():
    """And nothing but tensors counts."""
    weight = torch.ones(3, requires_grad=True)
    loss(weight, None, torch.ones(2), scale=2).backward()
    assert weight.grad is not None

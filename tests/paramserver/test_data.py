"""Rows as workers see them, and what regularisation each batch carries."""

import numpy as np
import pytest
from scipy import sparse

from tunewise.errors import ExecutionError
from tunewise.paramserver.data import Dataset, dense, url_like
from tunewise.paramserver.linear import Logistic, Svm

SPARSE = Dataset(
    sparse.csr_matrix(np.array([[1.0, 0, 0, 2], [0, 0, 0, 3], [0, 4, 0, 5], [6, 0, 0, 0]])),
    np.array([1.0, -1, 1, -1]),
)


def test_a_sparse_batch_holds_the_touched_features_only() -> None:
    batch = SPARSE.batch(np.array([0, 1]))
    assert batch.keys is not None and batch.keys.tolist() == [0, 3]
    assert batch.x.toarray().tolist() == [[1, 2], [0, 3]]
    assert (batch.rows, batch.entries) == (2, 3)


def test_rare_features_carry_more_regularisation_when_they_come() -> None:
    batch = SPARSE.batch(np.array([0, 2]))
    assert batch.keys is not None and batch.keys.tolist() == [0, 1, 3]
    # A batch of two rows touches a feature of a share p of the rows with probability 1 - (1-p)^2.
    shares = np.array([0.5, 0.25, 0.75])
    np.testing.assert_allclose(batch.weight, 1 / (1 - (1 - shares) ** 2))


def test_a_dense_batch_touches_all_and_counts_every_number() -> None:
    batch = dense(6, 3).batch(np.array([0, 5]))
    assert (batch.keys, batch.weight, batch.rows, batch.entries) == (None, 1.0, 2, 6)


def test_moving_data_means_twelve_bytes_an_entry_or_eight_a_number_and_the_labels() -> None:
    assert SPARSE.bytes == 6 * 12 + 4 * 8
    assert dense(6, 3).bytes == 18 * 8 + 6 * 8


def test_an_epoch_goes_through_whole_batches_of_a_workers_own_rows() -> None:
    data = Dataset(np.arange(11.0)[:, None], np.ones(11))
    seen = []
    for worker in range(2):
        batches = data.batches(2, "hash", 2, worker, seed=0)
        seen.append([batch.x.ravel().tolist() for batch in batches])
        assert all(row % 2 == worker for each in seen[-1] for row in each)
        assert all(each == sorted(each) for each in seen[-1])
    # Six rows make three batches; five make two, and the odd one out waits.
    assert [len(each) for each in seen] == [3, 2]
    again = [b.x.ravel().tolist() for b in data.batches(2, "hash", 2, 0, seed=0)]
    assert again == seen[0]
    other = [b.x.ravel().tolist() for b in data.batches(2, "hash", 2, 0, seed=1)]
    assert other != seen[0]


def test_a_worker_with_fewer_rows_than_a_batch_takes_them_all() -> None:
    [batch] = Dataset(np.arange(3.0)[:, None], np.ones(3)).batches(5, "range", 1, 0, seed=0)
    assert batch.x.ravel().tolist() == [0, 1, 2]


def test_rows_without_labels_are_refused() -> None:
    with pytest.raises(ExecutionError, match="3 rows with 2 labels: expected one label a row"):
        Dataset(np.ones((3, 1)), np.ones(2))
    with pytest.raises(ExecutionError, match="0 rows with 0 labels"):
        Dataset(np.ones((0, 1)), np.ones(0))


def test_made_data_has_two_classes_that_a_line_mostly_separates() -> None:
    data = dense(2000, 5, seed=1, noise=0.1)
    assert set(data.y.tolist()) == {-1.0, 1.0}
    assert 0.2 < (data.y > 0).mean() < 0.8
    truth, *_ = np.linalg.lstsq(data.x, data.y, rcond=None)
    assert ((data.x @ truth > 0) == (data.y > 0)).mean() > 0.9


def test_rows_like_addresses_have_unit_length_and_few_popular_features() -> None:
    data = url_like(500, 1000, per_row=20, seed=1)
    lengths = np.sqrt(np.asarray(data.x.multiply(data.x).sum(axis=1)).ravel())
    np.testing.assert_allclose(lengths, 1.0)
    # Popularity falls as one over the rank, and no row has a feature twice.
    ranks = np.array([1, 2, 5, 10, 50])
    drawn = np.log(1 + 1 / ranks) / np.log(1001)
    shares = data.x.getnnz(axis=0)[ranks - 1] / 500
    np.testing.assert_allclose(shares, 1 - np.exp(-20 * drawn), atol=0.07)
    assert data.x.shape == (500, 1000) and set(data.y.tolist()) == {-1.0, 1.0}


@pytest.mark.parametrize("kind", [Logistic, Svm])
def test_the_gradient_of_a_linear_model_is_that_of_its_loss(kind: type[Logistic]) -> None:
    data, model = dense(30, 4), kind(4, l2=0.1)
    batch, values = data.batch(np.arange(30)), np.array([0.3, -0.2, 0.5, 0.1])
    loss, gradient = model.gradient(values, batch)
    assert loss == pytest.approx(model.loss(values, batch))
    for place, slope in enumerate(gradient):
        step = np.zeros(4)
        step[place] = 1e-6
        rise = model.loss(values + step, batch) - model.loss(values - step, batch)
        assert rise / 2e-6 == pytest.approx(slope, abs=1e-5)


def test_losses_of_linear_models_by_hand() -> None:
    data = Dataset(np.array([[2.0], [-800.0]]), np.array([1.0, 1.0]))
    batch = data.batch(np.arange(2))
    # Margins of 2 and -800: log(1 + exp(-2)) and 800 without an overflow; hinges of 0 and 801.
    logistic = (np.log1p(np.exp(-2.0)) + 800) / 2
    assert Logistic(1, l2=0.2).loss(np.ones(1), batch) == pytest.approx(logistic + 0.1)
    assert Svm(1, l2=0.2).loss(np.ones(1), batch) == pytest.approx(801 / 2 + 0.1)
    _, slope = Svm(1, l2=0.0).gradient(np.ones(1), data.batch(np.array([0])))
    assert slope.tolist() == [0.0]


def test_a_gradient_takes_four_multiplications_an_entry() -> None:
    assert Logistic(4).work(SPARSE.batch(np.array([0, 1]))) == 12.0


def test_the_loss_of_sparse_rows_reads_the_parameters_they_touch() -> None:
    values = np.array([1.0, 1.0, 9.0, -1.0])
    whole = Dataset(SPARSE.x.toarray(), SPARSE.y)
    rows = np.array([1, 2])
    model = Logistic(4, l2=0.01)
    loss = model.loss(values, SPARSE.batch(rows))
    assert loss == pytest.approx(model.loss(values, whole.batch(rows)))


def test_every_row_has_a_feature_and_as_many_as_told_on_average() -> None:
    assert url_like(50, 100, per_row=1).x.getnnz(axis=1).tolist() == [1] * 50
    assert (url_like(50, 3, per_row=3).x.getnnz(axis=0) > 0).all()
    # Among very many features hardly any comes twice, but for the popular ones.
    counts = url_like(400, 10**6, per_row=4).x.getnnz(axis=1)
    assert counts.min() >= 1 and counts.mean() == pytest.approx(3.9, abs=0.25)

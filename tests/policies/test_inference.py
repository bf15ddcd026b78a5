"""The compiled layer of a network, against NumPy."""

import numpy as np
import pytest

from emberdeck.policies.inference import linear, linear_batch


def layer(inputs: int, units: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(inputs)
    weight = rng.normal(size=(inputs, units)).astype(np.float32)
    return weight, rng.normal(size=units).astype(np.float32)


@pytest.mark.parametrize("used", range(10))
def test_inputs_that_are_not_0_count_wherever_they_stand(used):
    weight, bias = layer(9, 5)
    rng = np.random.default_rng(used)
    for _ in range(20):
        x = np.zeros(9, np.float32)
        x[rng.permutation(9)[:used]] = rng.normal(size=used)
        out = np.full(5, np.nan, np.float32)
        linear(x, weight.ravel(), bias, out)
        np.testing.assert_allclose(out, x @ weight + bias, rtol=1e-5, atol=1e-5)


def test_a_batch_is_its_rows():
    weight, bias = layer(30, 17)
    rng = np.random.default_rng(1)
    x = (rng.normal(size=(50, 30)) * (rng.random((50, 30)) < 0.5)).astype(np.float32)
    out = np.empty((50, 17), np.float32)
    linear_batch(x, weight, bias, out)
    np.testing.assert_allclose(out, x @ weight + bias, rtol=1e-5, atol=1e-5)


def test_what_is_no_number_is_not_taken_for_0():
    weight, bias = layer(6, 3)
    out = np.empty(3, np.float32)
    linear(np.array([0, 0, np.nan, 0, 1, 0], np.float32), weight.ravel(), bias, out)
    assert np.isnan(out).all()

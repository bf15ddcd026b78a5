from pathlib import Path

import cloudpickle
import numpy as np
import pytest
import torch as th
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from emberdeck.envs import GAMES
from emberdeck.envs.vector import VectorGame
from emberdeck.policies.checkpoint import load_checkpoint
from emberdeck.training.network import (
    SelfPlayPolicy,
    export_weights,
    load_weights,
    policy_kwargs,
)

from ..contract_helpers import games
from ..policies.policy_helpers import standings
from .selfplay_helpers import GAME, make_checkpoint, make_policy


@pytest.fixture
def batch() -> VectorGame:
    """64 games, 20 random decisions on."""
    rng = np.random.default_rng(0)
    vector = VectorGame(GAME, 64, 3, seed=1)
    for _ in range(20):
        vector.step((rng.random(vector.mask.shape) * vector.mask).argmax(axis=1))
    return vector


def spread(policy: SelfPlayPolicy) -> SelfPlayPolicy:
    """Random weights that make some actions much likelier than others."""
    with th.no_grad():
        policy.action_net.weight.normal_()
        policy.value_net.weight.normal_()
    return policy


def test_policy_kwargs__one_trunk_for_both_heads() -> None:
    policy = make_policy((32, 16), "tanh")
    trunk = policy.features_extractor
    assert policy.pi_features_extractor is trunk
    assert policy.vf_features_extractor is trunk
    assert [type(layer) for layer in trunk.layers] == 2 * [th.nn.Linear, th.nn.Tanh]
    shapes = {name: weight.shape for name, weight in export_weights(policy).items()}
    game = GAMES[GAME]
    assert shapes == {
        "trunk.0.weight": (32, game.observation_size),
        "trunk.0.bias": (32,),
        "trunk.1.weight": (16, 32),
        "trunk.1.bias": (16,),
        "action.weight": (game.num_actions, 16),
        "action.bias": (game.num_actions,),
        "value.weight": (1, 16),
        "value.bias": (1,),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(((), "relu"), "hidden"), (((8, 0), "relu"), "hidden"), (((8,), "selu"), "relu, tanh")],
)
def test_policy_kwargs__refuses(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        policy_kwargs(*arguments)


def test_weights__round_trip_and_refusal() -> None:
    policy, other = spread(make_policy()), make_policy()
    weights = export_weights(policy)
    assert all(array.dtype == np.float32 for array in weights.values())
    load_weights(other, weights)
    for mine, theirs in zip(policy.parameters(), other.parameters(), strict=True):
        assert th.equal(mine, theirs)
    weights["value.bias"][:] = 7  # a copy: the policy keeps its own
    assert policy.value_net.bias.item() == 0
    del weights["value.bias"]
    with pytest.raises(ValueError, match=r"value\.bias"):
        load_weights(other, weights)


@pytest.mark.parametrize("masked", [True, False])
def test_policy__is_sb3_contribs_distribution(batch: VectorGame, masked: bool) -> None:
    ours = spread(make_policy((24,)))
    theirs = MaskableActorCriticPolicy(
        ours.observation_space, ours.action_space, lambda _: 1e-3, **policy_kwargs((24,))
    )
    theirs.load_state_dict(ours.state_dict())
    observation = th.from_numpy(batch.observation.copy())
    mask = batch.mask.astype(np.bool_) if masked else None
    actions, values, log_probs = ours(observation, deterministic=True, action_masks=mask)
    expected = theirs(observation, deterministic=True, action_masks=mask)
    assert th.equal(actions, expected[0])
    th.testing.assert_close((values, log_probs), expected[1:], atol=1e-5, rtol=1e-5)
    th.testing.assert_close(
        ours.evaluate_actions(observation, actions, action_masks=mask),
        theirs.evaluate_actions(observation, actions, action_masks=mask),
        atol=1e-5,
        rtol=1e-5,
    )


def test_policy__samples_legal_actions_with_their_probabilities(batch: VectorGame) -> None:
    policy = spread(make_policy())
    row = int(batch.mask.sum(axis=1).argmax())
    count = 4000
    observation = th.from_numpy(batch.observation[[row] * count])
    mask = batch.mask[[row] * count]
    with th.no_grad():
        actions, _, log_probs = policy(observation, action_masks=mask)
    assert mask[np.arange(count), actions].all()
    drawn, frequency = np.unique(actions, return_counts=True)
    for action, times in zip(drawn, frequency, strict=True):
        probability = log_probs[actions == action][0].exp().item()
        assert times / count == pytest.approx(probability, abs=0.04)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_policy__plays_as_the_checkpoint_policy_does(
    batch: VectorGame, tmp_path: Path, activation: str
) -> None:
    policy = spread(make_policy((24, 16), activation))
    saved = load_checkpoint(make_checkpoint(tmp_path / "bot", policy, (24, 16), activation))
    observation = th.from_numpy(batch.observation.copy())
    legal = batch.mask.astype(np.bool_)
    distribution = policy.get_distribution(observation, action_masks=legal)
    with th.no_grad():
        probabilities = distribution.distribution.probs.numpy()
        values = policy.predict_values(observation).numpy()
    np.testing.assert_allclose(saved.probabilities(batch), probabilities, atol=1e-5)
    expected = values[:, 0] + standings(batch)
    np.testing.assert_allclose(saved.values(batch), expected, atol=1e-4)


def test_policy__cloudpickle() -> None:
    policy = spread(make_policy())
    copy = cloudpickle.loads(cloudpickle.dumps(policy))
    for mine, theirs in zip(policy.parameters(), copy.parameters(), strict=True):
        assert th.equal(mine, theirs)


def test_o1__large_tables_and_logits() -> None:
    largest = max(GAMES.values(), key=lambda game: game.num_actions)
    size = largest.num_actions
    policy = make_policy(name=largest.name)
    rng = np.random.default_rng(0)
    generator = th.Generator().manual_seed(0)
    for _ in range(games(300, 10_000)):
        logits = 30 * th.randn(4, size, generator=generator)
        masks = rng.random((2, 4, size)) < 0.1
        masks[:, :, 0] = True
        theirs = MaskableCategorical(logits=logits, masks=masks[0])
        theirs.mode  # noqa: B018 - fills the cache that once went stale
        assert theirs.probs is not None
        theirs.apply_masking(masks[1])
        ours = policy.action_dist.proba_distribution(action_logits=logits)
        ours.apply_masking(masks[1])
        for distribution in (theirs, ours.distribution):
            actions = distribution.sample()
            assert masks[1][np.arange(4), actions].all()
            assert th.isfinite(distribution.entropy()).all()
            assert th.isfinite(distribution.log_prob(actions)).all()
            assert distribution.probs[~th.from_numpy(masks[1])].max() < 1e-12

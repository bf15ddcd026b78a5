"""Emberdeck: tabletop games as reinforcement-learning environments, trained by self-play.

Importing the package registers every game, without loading Numba, as `emberdeck/NAME-v0` with
PettingZoo (`pettingzoo.make("aec", "emberdeck/pumafiosi-v0")`) and with Gymnasium
(`gymnasium.make("emberdeck/pumafiosi-v0")`, `gymnasium.make_vec(...)`). The games themselves are in
`emberdeck.envs.GAMES`.
"""

import gymnasium
import pettingzoo

__version__ = "0.1.0"

# One line a game: its name (the folder in `envs`) and the version of its actions, observations and
# rewards.
GAME_VERSIONS = {
    "pumafiosi": 0,
    "pompiers": 0,
    "pompeji": 0,
    "fire_bulls": 0,
}

for _name, _version in GAME_VERSIONS.items():
    _id = f"emberdeck/{_name}-v{_version}"
    pettingzoo.register("aec", _id, entry_point=f"emberdeck.envs.{_name}:env")
    gymnasium.register(
        _id,
        entry_point="emberdeck.policies.seat_env:SeatEnv",
        vector_entry_point="emberdeck.policies.seat_env:SeatVectorEnv",
        kwargs={"game": _name},
        disable_env_checker=True,
    )

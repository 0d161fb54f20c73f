"""A gymnasium environment of a scenario, with actions and observations by name.

>>> from veracity.gym import ScenarioEnv
>>> env = ScenarioEnv("simple_pendulum", actions={"efforts/hinge": (-20.0, 20.0)}, period_s=0.01)
>>> observation, info = env.reset(seed=0)
"""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Sequence, Union

import gymnasium
import numpy as np
import numpy.typing as npt

from . import Controller, Error, Scenario, Session

Array = npt.NDArray[np.float64]
Reward = Callable[[Session, Array], float]


class ScenarioEnv(gymnasium.Env[Array, Array]):
    """One trial of a scenario is one episode.

    `actions` maps command channels (`efforts/JOINT`, `actuators/NAME`, `drives/JOINT/target` ...) to their least and
    greatest value; each action acts for `period_s`. `observations` are names of `session.position_names` (`q/...`), of
    `session.velocity_names` (`v/...`) and of signals; by default every position and velocity. `reward(session, action)`
    is called after each step. The episode is truncated at the duration of the scenario, and terminated when `terminated`
    says so or the motion breaks down.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scenario: Union[Scenario, str, "os.PathLike[str]"],
        *,
        actions: Mapping[str, tuple[float, float]],
        observations: Sequence[str] | None = None,
        reward: Reward | None = None,
        terminated: Callable[[Session], bool] | None = None,
        engine: str = "native",
        step_s: float | None = None,
        period_s: float | None = None,
    ) -> None:
        if not isinstance(scenario, Scenario):
            name = os.fspath(scenario)
            scenario = Scenario.load(name) if os.path.exists(name) else Scenario.built_in(name)
        self.scenario = scenario
        self._engine = engine
        self._step_s = step_s
        self._period_s = period_s if period_s is not None else (step_s or scenario.step_s)
        self._reward = reward
        self._terminated = terminated
        self._outputs = list(actions)
        self._action: Array = np.zeros(len(actions))
        self._seed = 0
        self._started = False
        self._ticks = 0
        self._session = self._open()
        if observations is None:
            observations = [f"q/{name}" for name in scenario.position_names]
            observations += [f"v/{name}" for name in scenario.velocity_names]
        self._observe = [self._reader(name) for name in observations]
        self.observation_names = list(observations)
        self.action_space = gymnasium.spaces.Box(
            np.array([low for low, _ in actions.values()], dtype=np.float64),
            np.array([high for _, high in actions.values()], dtype=np.float64),
            dtype=np.float64,
        )
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(self._observe),), dtype=np.float64)

    @property
    def session(self) -> Session:
        """The episode in progress."""
        return self._session

    def _open(self) -> Session:
        held = Controller(
            lambda _time, _seen: self._action, outputs=self._outputs, inputs=[], period_s=self._period_s
        )
        controllers = {"actions": held} if self._outputs else None
        return Session(self.scenario, self._engine, step_s=self._step_s, seed=self._seed, controllers=controllers)

    def _reader(self, name: str) -> Callable[[Session], float]:
        kind, _, rest = name.partition("/")
        if kind == "q" and rest in self.scenario.position_names:
            at = self.scenario.position_names.index(rest)
            return lambda session: float(session.q[at])
        if kind == "v" and rest in self.scenario.velocity_names:
            of = self.scenario.velocity_names.index(rest)
            return lambda session: float(session.v[of])
        signals = list(self._session.signals)
        if name in signals:
            return lambda session: session.signals[name]
        raise Error(
            f"there is no observation '{name}'; there are q/{', q/'.join(self.scenario.position_names)}, "
            f"v/{', v/'.join(self.scenario.velocity_names)}, {', '.join(signals)}"
        )

    def _observation(self) -> Array:
        return np.array([read(self._session) for read in self._observe], dtype=np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Starts an episode. A seed is that of the scenario's random streams."""
        super().reset(seed=seed)
        self._seed = 0 if seed is None else seed
        self._action = np.zeros(len(self._outputs))
        self._session = self._open()
        self._started = False
        self._ticks = 0
        return self._observation(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Applies an action for one period."""
        given = np.asarray(action, dtype=np.float64)
        if given.shape != (len(self._outputs),):
            raise Error(f"the action has shape {given.shape}; give {len(self._outputs)} numbers: {self._outputs}")
        self._action = given.copy()
        if not self._started:
            # The command of time 0 was given when the session was opened, before the first action was known.
            self._session = self._open()
            self._started = True
        self._ticks += 1
        until = min(self._ticks * self._period_s, self._session.duration_s)
        broke_down: str | None = None
        try:
            self._session.advance(until)
        except Error as error:
            if self._session.outcome is None:
                raise
            broke_down = str(error)
        terminated = broke_down is not None or (self._terminated is not None and bool(self._terminated(self._session)))
        truncated = self._session.time >= self._session.duration_s - 0.5e-9
        reward = 0.0 if self._reward is None else float(self._reward(self._session, self._action))
        info: dict[str, Any] = {} if broke_down is None else {"outcome": broke_down}
        return self._observation(), reward, terminated, truncated and not terminated, info

"""Running, judging, dynamics and the environment, on the installed wheel."""

import os
import signal
import threading

import gymnasium
import numpy as np
import pytest
import veracity as vc
from gymnasium.utils.env_checker import check_env
from veracity.gym import ScenarioEnv


def test_verdicts_numbers_and_digest_do_not_depend_on_threads():
    one = vc.run("pendulum_with_ball", ["native", "rapier"], threads=1)
    two = vc.run("pendulum_with_ball", ["native", "rapier"], threads=2)
    assert [row.verdict for row in one.rows] == ["accepted", "rejected"]
    assert one.digest == two.digest
    angle = one.rows[1]["angle"]
    # README.md shows the number of the command: 8.270e-2.
    assert f"{angle.value:.3e}" == "8.270e-02" and angle.bound == 1e-3 and "beyond" in angle.reason


def test_stored_trials_are_not_run_again(tmp_path):
    done = []
    vc.run("simple_pendulum", ["native"], out=tmp_path, progress=lambda n, total: done.append((n, total)))
    stored = {file: file.stat().st_mtime_ns for file in (tmp_path / "segments").iterdir()}
    assert stored
    again = vc.run("simple_pendulum", ["native"], out=tmp_path)
    assert done == [(1, 1)] and again.complete
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "segments").iterdir()} == stored


def test_ctrl_c_stops_a_run():
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        vc.run(vc.Scenario.built_in("simple_pendulum").with_({"duration_s": 20000.0}), ["native"])


def test_a_motion_of_an_engine_is_judged_as_its_trial():
    scenario = vc.Scenario.built_in("simple_pendulum")
    result = vc.run(scenario, ["native"])
    record = result.record(0)
    row = vc.judge(scenario, record.time, record.q, record.v, name="mine")
    assert row.verdict == result.rows[0].verdict == "accepted"
    for check in row.checks:
        # Poses follow from q by other operations than in the engine: rounding of lengths of 1 m.
        assert abs(check.value - result.rows[0][check.name].value) < 1e-12, check
    wrong = vc.judge(scenario, record.time, record.q * 1.01, name="wrong")
    assert wrong.verdict == "rejected" and any("differences" in text for text in wrong.warnings)


def test_a_motion_with_contacts_cannot_tell_what_needs_them():
    scenario = vc.Scenario.built_in("pinch")
    record = vc.Session(scenario).run()
    row = vc.judge(scenario, record.time, record.q, record.v)
    told = {check.name: check for check in row.checks}
    assert row.verdict != "rejected", row
    assert any("reads contacts" in c.reason for c in told.values()) or all(c.value is not None for c in told.values())


@pytest.mark.parametrize(
    "times, q, text",
    [
        (np.linspace(0, 10, 11), np.zeros((11, 2)), r"shape \(11, 2\); give float64 of shape \(11, 1\)"),
        (np.linspace(0, 10, 11), np.zeros((11, 1), dtype=np.float32), "float32"),
        (np.linspace(0, 10, 11), np.full((11, 1), np.nan), r"q\[0\]|q\[0, 0\]"),
        (np.linspace(0, 5, 11), np.zeros((11, 1)), "lasts from 0 to 10 s"),
        (np.zeros(11), np.zeros((11, 1)), "time of row 1"),
        ("times", np.zeros((11, 1)), "times is a str"),
    ],
)
def test_wrong_arrays_are_refused(times, q, text):
    with pytest.raises(vc.Error, match=text):
        vc.judge(vc.Scenario.built_in("simple_pendulum"), times, q)


def test_mujoco_s_own_pendulum_is_judged():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option timestep="0.001" integrator="RK4"><flag contact="disable"/></option><worldbody><body>
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <inertial pos="1 0 0" mass="1" diaginertia="1e-9 1e-9 1e-9"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    times, q, v = [0.0], [data.qpos.copy()], [data.qvel.copy()]
    for step in range(1, 10001):
        mujoco.mj_step(model, data)
        if step % 10 == 0:
            times.append(step * 1e-3)
            q.append(data.qpos.copy())
            v.append(data.qvel.copy())
    row = vc.judge(vc.Scenario.built_in("simple_pendulum"), np.array(times), np.array(q), np.array(v), name="mujoco")
    assert row.verdict == "accepted", row
    # RK4 at 1 ms on a smooth motion: far inside the bound of 1e-3 m.
    assert row["position"].value < 1e-6, row["position"]


def test_dynamics_satisfy_their_own_equation():
    dynamics = vc.Dynamics(vc.Scenario.built_in("double_pendulum").model)
    rng = np.random.default_rng(1)
    q, v, a = (rng.normal(size=n) for n in (dynamics.nq, dynamics.nv, dynamics.nv))
    tau = dynamics.inverse(q, v, a)
    # Sums of a few terms of order 10: rounding.
    assert np.allclose(dynamics.mass_matrix(q) @ a + dynamics.bias(q, v), tau, atol=1e-12)
    assert np.allclose(dynamics.forward(q, v, tau), a, atol=1e-10)
    with pytest.raises(vc.Error, match="q has 3 numbers"):
        dynamics.mass_matrix([0.0, 0.0, 0.0])
    with pytest.raises(vc.Error, match="unknown body 'x'"):
        dynamics.jacobian("x", q)


def test_a_jacobian_is_the_derivative_of_the_pose():
    scenario = vc.Scenario.built_in("double_pendulum")
    dynamics, session = vc.Dynamics(scenario.model), vc.Session(scenario)
    session.advance(0.5)
    for at, body in enumerate(session.bodies):
        # The same twist from the engine, in the same order: angular, then linear.
        assert np.allclose(dynamics.jacobian(body, session.q) @ session.v, session.twists[at], atol=1e-12)


def environment(**options):
    return ScenarioEnv("simple_pendulum", actions={"efforts/hinge": (-20.0, 20.0)}, period_s=0.01, **options)


def test_the_environment_passes_gymnasium_s_checker():
    check_env(environment(reward=lambda session, action: -float(session.q[0] ** 2)), skip_render_check=True)


def test_an_episode_without_actions_has_the_bits_of_the_trial():
    trial = vc.run("simple_pendulum", ["native"]).record(0)
    env = environment()
    observation, _ = env.reset(seed=0)
    q, truncated = [observation[0]], False
    while not truncated:
        observation, _, terminated, truncated, _ = env.step(np.zeros(1))
        assert not terminated
        q.append(observation[0])
    assert np.array(q).tobytes() == trial.q[:, 0].tobytes()


def test_the_first_action_acts_from_time_zero():
    env = environment()
    env.reset(seed=0)
    after, *_ = env.step(np.array([20.0]))
    env.reset(seed=0)
    without, *_ = env.step(np.zeros(1))
    # 20 N m on 1 kg m2 for 0.01 s: 0.2 rad/s, with gravity the same in both to second order.
    assert abs(after[1] - without[1] - 0.2) < 1e-4


def test_models_by_path(tmp_path):
    file = tmp_path / "pendulum.urdf"
    file.write_text(
        """<robot name="pendulum"><link name="base"/><link name="bob"><inertial><origin xyz="1 0 0"/><mass value="MASS"/>
<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>""".replace(
            "MASS", "2"
        )
    )
    model = vc.load(file)
    assert model.mass == 2.0 and "bodies/bob/mass" in model and model["bodies/bob/mass"] == 2.0
    assert model.with_({"bodies/bob/mass": 3.0}).mass == 3.0 and model.mass == 2.0
    with pytest.raises(KeyError, match="bodies/bob/mass"):
        model["bodies/bob/masss"]
    assert vc.check(file).verdict == "accepted"
    file.write_text(file.read_text().replace('mass value="2"', 'mass value="-2"'))
    inspection = vc.check(file)
    assert inspection.verdict == "rejected" and any(f.code == "mass-not-positive" and f.line for f in inspection.findings)

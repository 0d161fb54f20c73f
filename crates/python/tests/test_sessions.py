"""Sessions, controllers, records and bad input, on the installed wheel."""

import multiprocessing
import threading

import numpy as np
import pytest
import veracity as vc


def pendulum() -> vc.Scenario:
    return vc.Scenario.built_in("simple_pendulum")


def test_stepping_gives_the_bits_of_the_trial():
    scenario = pendulum().with_({"duration_s": 1.0})
    result = vc.run(scenario, ["native"])
    whole = result.record(0)
    session = vc.Session(scenario)
    for _ in range(1000):
        session.step()
    assert np.array_equal(session.q, whole.q[-1]) and np.array_equal(session.v, whole.v[-1])
    record = session.finish()
    assert record.q.tobytes() == whole.q.tobytes() and record.outcome == "finished"
    at_once = vc.Session(scenario)
    at_once.step(1000)
    assert np.array_equal(at_once.q, whole.q[-1])


def test_q_is_one_read_only_array_that_follows_the_session():
    session = vc.Session(pendulum())
    q = session.q
    before = q.copy()
    session.step(100)
    assert session.q is q and not np.array_equal(q, before)
    with pytest.raises(ValueError):
        q[0] = 1.0


def test_a_snapshot_continues_with_the_same_bits():
    session = vc.Session(pendulum())
    session.advance(0.5)
    saved = session.snapshot()
    session.advance(1.0)
    end = session.q.copy()
    other = vc.Session(pendulum())
    other.restore(saved)
    assert other.time == 0.5
    other.advance(1.0)
    assert np.array_equal(other.q, end)
    with pytest.raises(vc.Error, match="snapshot"):
        other.restore(saved[:20])


def hold(_time, seen):
    return [200.0 * (0.5 - seen[0]) - 40.0 * seen[1]]


def test_a_python_controller_acts_at_its_own_rate():
    calls = []

    def counted(time, seen):
        calls.append(time)
        return hold(time, seen)

    names = ["pendulum/hinge/position", "pendulum/hinge/velocity"]
    law = vc.Controller(counted, outputs=["efforts/hinge"], inputs=names, period_s=0.002, latency_s=0.002)
    session = vc.Session(pendulum(), controllers={"hold": law})
    session.advance(5.0)
    # At rest kp (target - q) = m g L cos q: the offset of a PD law without integral.
    q = session.q[0]
    # The closed loop decays with kp/kd = 5 per second, over 5 s: e^-25.
    assert abs(200.0 * (0.5 - q) + 9.81 * np.cos(q)) < 1e-6
    assert calls[:3] == [0.0, 0.002, 0.004] and len(calls) == 2500
    assert "commands/hold/efforts/pendulum/hinge" in session.signals


def test_a_controller_that_raises_ends_its_own_trial_only():
    def bad(time, _seen):
        if time >= 0.1:
            raise RuntimeError("cable broke")
        return [0.0]

    records = {}

    def one(name, call):
        law = vc.Controller(call, outputs=["efforts/hinge"], period_s=0.01)
        scenario = pendulum().with_({"duration_s": 1.0})
        records[name] = vc.Session(scenario, controllers={"law": law}).run()

    threads = [threading.Thread(target=one, args=pair) for pair in [("bad", bad), ("good", lambda t, s: [0.0])]]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert records["good"].outcome == "finished" and records["good"].time[-1] == 1.0
    assert records["bad"].outcome == "failed"
    assert "cable broke" in records["bad"].reason and "line" in records["bad"].reason
    session = vc.Session(pendulum(), controllers={"law": vc.Controller(bad, outputs=["efforts/hinge"], period_s=0.01)})
    with pytest.raises(vc.Error, match="cable broke") as caught:
        session.advance(1.0)
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(vc.Error, match="has ended"):
        session.step()


@pytest.mark.parametrize("answer, text", [([1.0, 2.0], "2 numbers"), ([float("nan")], "NaN"), ("x", "'x'")])
def test_a_wrong_command_says_so(answer, text):
    law = vc.Controller(lambda t, s: answer, outputs=["efforts/hinge"])
    with pytest.raises(vc.Error, match=text):
        vc.Session(pendulum(), controllers={"law": law}).advance(0.01)


def test_wrong_use_is_an_exception_that_says_what_and_where():
    with pytest.raises(vc.Error, match="there is no built-in scenario 'pendulumm'"):
        vc.Scenario.built_in("pendulumm")
    with pytest.raises(vc.Error, match="/nowhere.urdf"):
        vc.load("/nowhere.urdf")
    with pytest.raises(vc.Error, match="nonsense"):
        vc.Session(pendulum(), "nonsense")
    with pytest.raises(vc.Error, match="no number 'world/gravity/zz'"):
        pendulum().with_({"world/gravity/zz": 1.0})
    session = vc.Session(pendulum())
    with pytest.raises(vc.Error, match="time_s is NaN"):
        session.advance(float("nan"))
    session.step()
    with pytest.raises(vc.Error, match="cannot go back"):
        session.advance(0.0)
    session.finish()
    for use in (session.step, session.finish, session.snapshot, lambda: session.time):
        with pytest.raises(vc.Error, match="closed"):
            use()


def test_a_controller_cannot_step_its_own_session():
    held = {}

    def reenter(_time, _seen):
        if "session" in held:
            held["session"].step()
        return [0.0]

    session = vc.Session(pendulum(), controllers={"law": vc.Controller(reenter, outputs=["efforts/hinge"])})
    held["session"] = session
    with pytest.raises(vc.Error, match="in use"):
        session.step(2)


def forked(queue):
    session = vc.Session(pendulum())
    session.step(10)
    try:
        session.advance(float("inf"))
    except vc.Error as error:
        queue.put((session.q.tolist(), str(error)))


def test_a_forked_child_computes_the_same_and_raises_the_same():
    here = vc.Session(pendulum())
    here.step(10)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=forked, args=(queue,))
    child.start()
    q, text = queue.get(timeout=60)
    child.join()
    assert q == here.q.tolist() and "time_s is inf" in text and child.exitcode == 0


def test_records_as_columns_and_files(tmp_path):
    record = vc.Session(pendulum().with_({"duration_s": 1.0})).run()
    columns = record.columns()
    assert np.array_equal(columns["q/pendulum/hinge"], record.q[:, 0]) and record.units()["q/pendulum/hinge"] == "rad"
    record.to_mcap(tmp_path / "a.mcap")
    assert vc.Record.read_mcap(tmp_path / "a.mcap").digest == record.digest
    record.to_parquet(tmp_path / "a.parquet")
    record.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("time_s")
    with pytest.raises(vc.Error, match="nowhere"):
        record.to_csv(tmp_path / "nowhere" / "a.csv")

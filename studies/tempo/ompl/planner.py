"""Plans again and again with OMPL's RRT*, 0.1 s each, as a robot does while it moves: prints what each plan took."""
import time

from ompl import base, geometric, util

util.setLogLevel(util.LogLevel.LOG_ERROR)
space = base.RealVectorStateSpace(2)
bounds = base.RealVectorBounds(2)
bounds.setLow(-1)
bounds.setHigh(1)
space.setBounds(bounds)


def plan(seconds, start_at):
    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(lambda s: s[0] ** 2 + s[1] ** 2 > 0.04)
    start, goal = space.allocState(), space.allocState()
    start[0], start[1], goal[0], goal[1] = start_at, -0.9, 0.9, 0.9
    setup.setStartAndGoalStates(start, goal)
    setup.setPlanner(geometric.RRTstar(setup.getSpaceInformation()))
    setup.solve(seconds)
    return setup.haveExactSolutionPath()


for k in range(20):
    begun, used = time.monotonic(), time.process_time()
    solved = plan(0.1, -0.9 + 0.05 * k)
    print(k, f"{time.monotonic() - begun:.6f}", f"{time.process_time() - used:.6f}", int(solved), flush=True)
    time.sleep(0.02)

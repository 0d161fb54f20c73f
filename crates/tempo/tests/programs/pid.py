"""A boiler held at 60 degrees by the package simple-pid, which measures its time step itself."""
import time
from simple_pid import PID

pid = PID(5.0, 0.01, 0.1, setpoint=60.0, sample_time=None)
pid.output_limits = (0.0, 100.0)
water, slept = 20.0, 0.0
begun, used = time.monotonic(), time.process_time()
last = time.monotonic()
for _ in range(100):
    power = pid(water)
    now = time.monotonic()
    water += (power - 0.2 * (water - 20.0)) * (now - last)
    last = now
    time.sleep(0.01)
    slept += 0.01
print(time.monotonic() - begun, time.process_time() - used + slept)

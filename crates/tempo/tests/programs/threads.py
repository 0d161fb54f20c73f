"""A sampling thread at 100 Hz and a consumer behind a queue with a time limit."""
import queue, threading, time

samples, stop = queue.Queue(maxsize=4), threading.Event()


def sample(begun):
    for k in range(1, 101):
        stop.wait(begun + 0.01 * k - time.monotonic())
        samples.put(k)
    samples.put(None)


begun = time.monotonic()
threading.Thread(target=sample, args=(begun,)).start()
while True:
    try:
        one = samples.get(timeout=0.25)
    except queue.Empty:
        continue
    if one is None:
        break
    sum(i * i for i in range(5000))
print(time.monotonic() - begun, 1.0)

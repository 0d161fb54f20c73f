"""A pool of two worker processes; the time that passes is the CPU time of all."""
import concurrent.futures, multiprocessing, resource, time


def work(n):
    return sum(i * i for i in range(n))


def used():
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in both)


if __name__ == "__main__":
    before, begun = used(), time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        list(pool.map(work, [2_000_000] * 6))
    print(time.monotonic() - begun, used() - before)

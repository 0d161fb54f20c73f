"""Two periodic tasks of an event loop, at 100 and 40 Hz, by the loop's clock."""
import asyncio, math, time


async def periodic(period, count, work):
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for k in range(1, count + 1):
        work(k)
        await asyncio.sleep(begun + k * period - loop.time())


def work(k):
    sum(math.sin(i * k) for i in range(3000))


async def main():
    await asyncio.gather(periodic(0.01, 100, work), periodic(0.025, 40, work))


begun = time.monotonic()
asyncio.run(main())
print(time.monotonic() - begun, 1.0)

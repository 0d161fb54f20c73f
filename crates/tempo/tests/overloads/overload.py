"""A controller that computes longer than its period allows: overload.py KIND VARIANT EVERY AMOUNT FOLDER.

Every EVERY-th activation is overloaded by AMOUNT seconds: of CPU time, or, where it waits for a disk, of the machine's time.
"""
import mmap, os, socket, subprocess, sys, time
import veracity_client

kind, variant, every, amount, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]


def burn(seconds):
    begun = time.process_time()
    while time.process_time() < begun + seconds:
        pass


def written():
    """The machine's time as the file system sees it, to a few milliseconds: not one of the program's clocks."""
    os.utime(stamp)
    return os.fstat(stamp).st_mtime_ns * 1e-9


def for_the_disk(operation):
    begun = written()
    # 4 ms: how coarse the time of a file may be.
    while written() < begun + amount + 0.004:
        operation()


stamp = os.open(os.path.join(folder, "stamp"), os.O_CREAT | os.O_RDWR)

if kind == "pair":
    # Another program of the run computes for it.
    if variant == "udp":
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.connect(("127.0.0.1", int(open(os.path.join(folder, "port")).read())))

        def overload():
            server.send(str(amount).encode())
            server.recv(64)
    else:
        ask = os.open(os.path.join(folder, "ask"), os.O_RDWR)
        answer = os.open(os.path.join(folder, "answer"), os.O_RDWR)

        def overload():
            os.write(ask, str(amount).encode())
            os.read(answer, 64)
elif kind == "affinity":
    # It moves to whichever core it likes, once or in every activation.
    cores = set(range(os.cpu_count()))
    os.sched_setaffinity(0, cores)

    def overload():
        if variant == "always":
            os.sched_setaffinity(0, cores)
        burn(amount)
elif kind == "child":

    def overload():
        if variant == "fork":
            child = os.fork()
            if child == 0:
                burn(amount)
                os._exit(0)
            os.waitpid(child, 0)
        else:
            code = "import time\nwhile time.process_time() < %r: pass" % amount
            subprocess.run([sys.executable, "-S", "-c", code], check=True)
elif kind == "fsync":
    log = os.open(os.path.join(folder, "log"), os.O_CREAT | os.O_WRONLY)

    def write():
        os.write(log, b"x" * 4096)
        os.fsync(log) if variant == "fsync" else os.fdatasync(log)

    def overload():
        for_the_disk(write)
elif kind == "device":
    # Reads that pass the cache sleep uninterruptibly.
    size = 1 << 20
    data, buffer = os.open(os.path.join(folder, "data"), os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, size)

    def read():
        if variant == "preadv":
            os.preadv(data, [buffer], 0)
        else:
            os.lseek(data, 0, os.SEEK_SET)
            os.readv(data, [buffer])

    def overload():
        for_the_disk(read)


robot, count = veracity_client.Client(), 0
while robot.wait():
    count += 1
    # The other program of a pair needs some time to start.
    if count % every == 0 and (kind != "pair" or count > 12):
        overload()
    robot.command([0.0])

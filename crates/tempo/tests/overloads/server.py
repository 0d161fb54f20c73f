"""A server that computes as many seconds as it is asked to: server.py VARIANT FOLDER."""
import os, socket, sys, time

variant, folder = sys.argv[1:]


def burn(seconds):
    begun = time.process_time()
    while time.process_time() < begun + seconds:
        pass


if variant == "udp":
    socket_ = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    socket_.bind(("127.0.0.1", int(open(os.path.join(folder, "port")).read())))
    while True:
        asked, who = socket_.recvfrom(64)
        burn(float(asked))
        socket_.sendto(b"done", who)
else:
    ask = os.open(os.path.join(folder, "ask"), os.O_RDWR)
    answer = os.open(os.path.join(folder, "answer"), os.O_RDWR)
    while True:
        burn(float(os.read(ask, 64)))
        os.write(answer, b"done")

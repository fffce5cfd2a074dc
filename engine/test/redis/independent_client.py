#!/usr/bin/env python3
"""A worker of another make: the lease protocol over a raw socket, from its description alone.

It shares nothing with the C++ engine, not even the text of the script, and is written to be read:
README.md, "The protocol", names the rules by number. Standard library only.

  independent_client.py SOCKET KEY INTERVAL_MS register    one registration, its four values
  independent_client.py SOCKET KEY INTERVAL_MS work        registers until killed; a line per change
"""
import random
import socket
import sys
import time

GAP = 0.15

SCRIPT = """
local t = redis.call('TIME')
local ms = t[1] * 1000 + math.floor(t[2] / 1000)
local open = math.floor(ms / ARGV[1])
local here = string.format('%s:%d', KEYS[1], open)
local raw = redis.call('INCR', here)
redis.call('PEXPIRE', here, 3 * ARGV[1])
return {open, raw, redis.call('GET', string.format('%s:%d', KEYS[1], open - 1)), ms}
"""


class Server:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def ask(self, *words):
        message = b"*%d\r\n" % len(words)
        for word in words:
            data = str(word).encode()
            message += b"$%d\r\n%s\r\n" % (len(data), data)
        self.socket.sendall(message)
        return self.read()

    def read(self):
        line = self.file.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"+":
            return rest.decode()
        if kind == b"$":
            if rest == b"-1":
                return None
            return self.file.read(int(rest) + 2)[:-2].decode()
        return [self.read() for _ in range(int(rest))]


def register(server, key, interval):
    number, raw, previous, now_ms = server.ask("EVAL", SCRIPT, 1, key, interval)
    return number, raw - 1, None if previous is None else int(previous), now_ms


def work(server, key, interval):
    seconds = interval / 1000
    held = remembered = handed = None
    kept_offset = random.uniform(GAP, 1 - GAP)
    time.sleep(random.uniform(0, seconds))
    while True:
        sent = time.monotonic()
        number, index, previous, now_ms = register(server, key, interval)
        received = time.monotonic()
        implied = None  # rule 2
        if held and held[0] == number - 1 and previous is not None and held[1] < previous:
            implied = (held[1], previous)
        granted = implied if remembered == (number - 1, implied) else None  # rule 3
        held, remembered = (number, index), (number, implied)
        members = max(previous or 0, index + 1)  # rule 4
        offset = kept_offset
        if previous is not None:
            offset = GAP + (index + 0.5) / members * (1 - 2 * GAP)
        until_slot = ((number + 1 + offset) * interval - now_ms) / 1000
        expires = sent + until_slot + GAP * seconds - 0.001  # rule 5, by the upper estimate
        if granted and time.monotonic() >= expires:
            granted = None
        if granted != handed:
            print("idle" if granted is None else "%d/%d" % granted, flush=True)
            handed = granted
        time.sleep(max(0.0, received + until_slot - time.monotonic()))
        if time.monotonic() >= expires:
            held = remembered = None


def main():
    path, key, interval, what = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    server = Server(path)
    if what == "register":
        print(*register(server, key, interval))
    else:
        work(server, key, interval)


main()

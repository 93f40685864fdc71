"""Engines for tests: a small program that speaks a protocol well, or badly in a chosen way.

It plays by the plain twins of the rules, so it starts in an instant and judges our side independently.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = f"""
import random, sys, time
sys.path.insert(0, {str(ROOT)!r})
""" + r"""
from tests.reference import othello

protocol, size, fault, at = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
asked, rng = 0, random.Random(1)
discs, stones = othello.start(size), set()


def say(text):
    print(text, flush=True)


def answer(good, bad):
    # what `fault` makes of the move asked for as number `at`
    global asked
    asked += 1
    if asked != at:
        return good
    if fault == "die":
        sys.exit(3)
    if fault == "hang":
        time.sleep(3600)
    if fault == "flood":
        while True:
            say("MESSAGE x")
    return {"illegal": bad, "garbage": "\x00?!", "resign": "resign"}.get(fault, good)


def gtp(line):
    global discs
    name, *words = line.split()
    side = {"black": "X", "white": "O"}.get(words[0]) if words else None
    if name == "clear_board":
        discs = othello.start(size)
    elif name == "boardsize" and int(words[0]) != size:
        return "? unacceptable size"
    elif name == "play":
        if words[1] == "pass":
            return "? syntax error"
        point = int(words[1][1:]) - 1, ord(words[1][0].lower()) - ord("a")
        if point not in othello.placements(discs, side, size):
            return "? illegal move"
        discs = othello.play(discs, side, point)
    elif name == "genmove":
        point = rng.choice(sorted(othello.placements(discs, side, size)))
        discs = othello.play(discs, side, point)
        corner_of_the_start = f"{chr(ord('A') + size // 2)}{size // 2}"
        return "= " + answer(f"{chr(ord('A') + point[1])}{point[0] + 1}", corner_of_the_start)
    return "= "


def gomocup(line):
    name, *words = line.split()
    if name in ("START", "RESTART"):
        stones.clear()
        return "OK"
    if name not in ("TURN", "BEGIN", "BOARD"):
        return None
    if name == "TURN":
        stones.add(tuple(map(int, words[0].split(","))))
    if name == "BOARD":
        for text in iter(sys.stdin.readline, "DONE\n"):
            stones.add(tuple(map(int, text.split(",")[:2])))
    say("MESSAGE thinking")
    point = rng.choice(sorted({(x, y) for x in range(size) for y in range(size)} - stones))
    taken = min(stones, default=(size, 0))
    stones.add(point)
    return answer("{},{}".format(*point), "{},{}".format(*taken))


for line in sys.stdin:
    reply = gtp(line) if protocol == "gtp" else gomocup(line)
    if reply is not None:
        say(reply + ("\n" if protocol == "gtp" else ""))
""".replace("\\\\", "\\")


def command(folder: Path, *words: object) -> str:
    """The command line of an engine; `words`: protocol, size, fault (or none), at which move."""
    program = folder / "engine.py"
    program.write_text(PROGRAM)
    return " ".join([sys.executable, str(program), *(str(word) for word in words)])

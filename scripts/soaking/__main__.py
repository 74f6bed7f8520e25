"""Drives 100,000 events over 100 sessions through a sidecar that is killed, cut off and sent nonsense, and whose
disk fails.

The exit code is 1 if something answered is lost, if a request is not answered or a process does not end, or if
memory grows.

    scripts/soak                     some minutes
    scripts/soak --events 5000 --sessions 10 --seed 7
    scripts/soak --sessions 20 --life 40 --hostile-every 1      1,000 kills and 100,000 hostile lines
"""

import argparse

from scripts.soaking import Plan, soak
from scripts.soaking.life import Hung


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--life", type=int, default=2_000, help="events of one life of the sidecar")
    parser.add_argument("--hostile-every", type=int, default=50, help="events, one hostile line on average")
    parser.add_argument("--seed", type=int, default=1)
    parsed = parser.parse_args()
    plan = Plan(parsed.events, parsed.sessions, parsed.life, parsed.seed, parsed.hostile_every)
    try:
        done = soak(plan, lambda line: print(line, flush=True))
    except Hung as fault:
        print(f"hung: {fault}")
        return 1
    for text in done.lost[:20]:
        print(f"lost: {text}")
    print(
        f"{done.answered:,} answered, {done.refused} with an error, {done.lives} lives, {done.kills} kills, "
        f"{done.hostile:,} hostile lines, {done.unsaved} sessions that said they were not saved, "
        f"{len(done.lost)} lost, memory x {done.growth:.2f} in the last third, x {done.left:.2f} at the end"
    )
    return 0 if done.well else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""Checks what a deployment's director left: books, clocks, exit code.

    check_run.py SUMMARY [--like SUMMARY] [--code N]...

--like: the clocks of each failover are those of the other run, give or take what processes on a busy machine may
add. --code: the exit codes that are right; 0 when left out.
"""

import argparse
import json
import sys

CLOCKS = ["detect", "aggregate", "propagate", "route", "capacity"]
# In the scenario's time. Processes follow the machine's clock and wait for each other, so a step may come later than
# in virtual time, or be drawn differently where order decides; a clock that is off by more measures something else.
SLACK_NS = {"detect": 2e9, "aggregate": 2e9, "propagate": 2e9, "route": 2e9, "capacity": 40e9}


def books(summary):
    for book in summary["books"]:
        ended = sum(book["ended"].values())
        if book["taken"] != ended + book["in_flight"]:
            yield f"{book['account']} of {book['entity']}: {book['taken']} taken, {ended} ended"
    for text in summary["imbalances"]:
        yield f"imbalance: {text}"
    if not summary["books"] or not summary["requests"]["started"]:
        yield "no books, or nothing in them"


def clocks(summary, other):
    if len(summary["failovers"]) != len(other["failovers"]):
        yield f"{len(summary['failovers'])} failovers instead of {len(other['failovers'])}"
    for mine, theirs in zip(summary["failovers"], other["failovers"]):
        for name in CLOCKS:
            ours, expected = mine["clocks"][name]["ns"], theirs["clocks"][name]["ns"]
            print(f"  {name:<10} {mine['clocks'][name]['text']:>10}   in one process {theirs['clocks'][name]['text']}")
            if ours is None or abs(ours - expected) > SLACK_NS[name]:
                yield f"{name} from {mine['from']}: {ours} ns instead of {expected}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("summary")
    parser.add_argument("--like")
    parser.add_argument("--code", type=int, action="append")
    options = parser.parse_args()
    with open(options.summary, encoding="utf-8") as file:
        summary = json.load(file)
    problems = list(books(summary))
    if options.like:
        with open(options.like, encoding="utf-8") as file:
            problems += clocks(summary, json.load(file))
    if summary["exit_code"] not in (options.code or [0]):
        problems.append(f"exit code {summary['exit_code']}")
        problems += [f"  {x['what']}: {x['measured']}" for x in summary["judgements"] if not x["met"]]
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    print(f"  {summary['requests']['started']} requests, {len(summary['books'])} accounts balance"
          if not problems else "  not as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

"""Starts the processes of a deployment, ends them in every way, and looks at what they leave.

A machine that is busy with other things makes a deployment slow, and may spoil its clocks. So tests wait for what the
director says instead of for a time, and end the run themselves; a run whose clocks are spoiled is no failure, but
something that was not tried.
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import sys
import time
import unittest

PROGRAM = os.environ.get("SPILLOVER", "build/release/spillover")

# How a script ends whose tests could not be carried out here; scripts/test.sh knows it.
NOT_RUN = 77


def too_busy(what):
    """Ends a test that this machine is too busy for."""
    raise unittest.SkipTest("this machine is too busy: " + what)


def run_tests():
    """The tests of the script, which ends with 1 when one failed, and with 77 when one was skipped."""
    result = unittest.main(module="__main__", exit=False, verbosity=2).result
    sys.exit(1 if not result.wasSuccessful() else NOT_RUN if result.skipped else 0)


def spoiled(folder):
    """Whether the run there is no result only because the machine was too busy for its clocks."""
    try:
        flaws = json.loads((folder / "summary.json").read_text())["imbalances"]
    except FileNotFoundError:
        return False
    return bool(flaws) and all("is spoiled" in x for x in flaws)


def free_ports(count):
    """A first port of several in a row that nobody listens at."""
    for first in range(20000 + os.getpid() % 9000, 60000, count):
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.create_server(("127.0.0.1", port)))
            return first
        except OSError:
            continue
        finally:
            for x in sockets:
                x.close()
    raise RuntimeError("no free ports")


def sites_of(scenario):
    """Names of the sites, by asking for one that does not exist."""
    answer = subprocess.run(
        [PROGRAM, "site", "nobody", scenario, "--insecure", "--director", "127.0.0.1:1",
         "--state", tempfile.gettempdir()],
        capture_output=True, text=True, check=False)
    return answer.stderr.split("its sites are ")[1].strip().split(", ")


class Deployment:
    """The processes of a scenario's sites, each to be started and ended alone."""

    def __init__(self, scenario, speed, folder, seed=None, keys=True, lost_after=1):
        self.scenario, self.speed, self.folder = str(scenario), speed, pathlib.Path(folder)
        self.seed, self.lost_after = seed, lost_after
        self.sites = sites_of(self.scenario)
        self.port = free_ports(5)
        self.out = self.folder / "run"
        self.state = self.folder / "state"
        self.keys = self.folder / "keys" if keys else None
        self.processes = {}
        self.logs = {}
        if keys:
            subprocess.run([PROGRAM, "keys", self.keys, "--sites", ",".join(self.sites)],
                           check=True, stdout=subprocess.DEVNULL)

    def start(self, site):
        words = [PROGRAM, "site", site, self.scenario, "--state", str(self.state),
                 "--lost-after", str(self.lost_after), "--patience", "60"]
        words += ["--keys", str(self.keys)] if self.keys else ["--insecure"]
        words += ["--seed", str(self.seed)] if self.seed is not None else []
        if site == "director":
            words += ["--port", str(self.port), "--speed", str(self.speed), "--out", str(self.out),
                      "--json"]
        else:
            words += ["--director", f"127.0.0.1:{self.port}"]
        log = open(self.folder / f"{site}.log", "a", encoding="utf-8")  # closed with the process
        output = open(self.folder / "verdict.json", "w", encoding="utf-8") \
            if site == "director" else log
        self.processes[site] = subprocess.Popen(words, stdout=output, stderr=log,
                                                stdin=subprocess.DEVNULL)
        log.close()
        if site == "director":
            output.close()

    def start_all(self):
        for site in self.sites:
            self.start(site)

    def kill(self, site, how=signal.SIGKILL):
        self.processes[site].send_signal(how)

    def kill_and_wait(self, site):
        self.kill(site)
        self.processes[site].wait()

    def wait_for_start(self, seconds=60):
        """Until the journal says that the run has begun."""
        journal = self.state / "director.journal"
        self.wait_until(lambda: journal.exists()
                        and any(x.startswith("started ") for x in read_lines(journal)),
                        seconds, "the run did not begin")

    def wait_until(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(what + "\n" + self.all_logs())
            time.sleep(0.05)

    def finish(self, seconds):
        """The exit code of the director, once it ended by itself; then those of the others."""
        try:
            code = self.processes["director"].wait(seconds)
        except subprocess.TimeoutExpired as e:
            raise AssertionError("the director does not end\n" + self.all_logs()) from e
        codes = {}
        for site, process in self.processes.items():
            if site == "director":
                continue
            try:
                codes[site] = process.wait(30)
            except subprocess.TimeoutExpired as e:
                raise AssertionError(f"{site} does not end\n" + self.all_logs()) from e
        return code, codes

    def all_logs(self):
        return "\n".join(f"== {x.name}\n{x.read_text()[-2000:]}" for x in self.folder.glob("*.log"))

    def events(self):
        lines = read_lines(self.out / "events.jsonl")
        return json.loads(lines[0])["sites"], [json.loads(x) for x in lines[1:]]

    def summary(self):
        return json.loads((self.out / "summary.json").read_text())

    def ask(self, *words, keys=None):
        """What an operator asks the director, as a finished process."""
        return subprocess.run(
            [PROGRAM, *words, "--director", f"127.0.0.1:{self.port}", "--keys", str(keys or self.keys)],
            capture_output=True, text=True, timeout=60, check=False)

    def status(self):
        """What the director says; nothing while it does not answer."""
        answer = self.ask("status")
        return json.loads(answer.stdout) if answer.returncode == 0 else {}

    def seen(self, site):
        """How the director sees a site, and the number of its process."""
        found = [(x["state"], x["process"]) for x in self.status().get("sites", []) if x["site"] == site]
        return found[0] if found else ("unknown", 0)

    def wait_for_state(self, site, state, process=None, seconds=60):
        def reached():
            now, number = self.seen(site)
            return now == state and process in (None, number)
        self.wait_until(reached, seconds, f"{site} is not {state}")

    def wait_for_all(self, seconds=60):
        """Until the director says that every site takes part."""
        def all_up():
            sites = self.status().get("sites", [])
            return bool(sites) and all(x["state"] == "up" for x in sites)
        self.wait_until(all_up, seconds, "not all sites take part")

    def stop(self):
        """Ends the run; asks again when the answer is lost."""
        self.wait_until(lambda: self.ask("stop").returncode == 0
                        or self.processes["director"].poll() is not None, 60, "the run cannot be ended")

    def is_result(self, code):
        """Whether a run ended with a verdict, or is none only because the machine was too busy for its clocks."""
        return code in (0, 1) or (code == 3 and spoiled(self.out))

    def end(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


def read_lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def descendants(pid):
    """Processes that a process started, and still run."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def runs(pid):
    """Whether a process is there and is no zombie."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False

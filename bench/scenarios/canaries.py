"""One look at 1,000 canaries, but for what is asked of others: by the default policy, and by one in Jsonnet. CPU time alone."""
import os
import subprocess

from harness import build

CANARIES = 1000
TARGET_MS = 1000


def run(bench):
    for policy, program in (("built-in", ""), ("Jsonnet", bench.kubist)):
        environment = {key: value for key, value in os.environ.items() if key != "KUBIST_BIN"}
        if program:
            environment["KUBIST_BIN"] = program
        times = sorted(float(subprocess.check_output([build.CASES, "canaries", str(CANARIES), "1"],
                                                     env=environment)) for _ in range(bench.rounds))
        milliseconds = times[len(times) // 2]
        figures = {"cpu_s": round(milliseconds / 1000, 4), "all_cpu_s": [time / 1000 for time in times]}
        bench.results.add(f"a look at {CANARIES} canaries, {policy} policy", {"kubist": figures},
                          [("milliseconds of CPU", milliseconds, TARGET_MS)])

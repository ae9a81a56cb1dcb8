"""A tree of 10,000 nodes, planned in memory: graph, order of work, every node ended. CPU time alone."""
import subprocess

from harness import build

TARGET_MS = 100


def run(bench):
    times = [float(subprocess.check_output([build.CASES, "plan", str(bench.nodes), "1"]))
             for _ in range(bench.rounds)]
    sample = bench.runner.run([build.CASES, "plan", str(bench.nodes), "1"])
    milliseconds = sorted(times)[len(times) // 2]
    figures = {"wall_s": round(milliseconds / 1000, 4), "cpu_s": round(sample.cpu, 4),
               "peak_mb": round(sample.peak, 1), "all_wall_s": [time / 1000 for time in times]}
    bench.results.add(f"plan of {bench.nodes} nodes", {"kubist": figures},
                      [("milliseconds of CPU", milliseconds, TARGET_MS)])

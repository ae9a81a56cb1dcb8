"""Whole processes: what they take, and several of them by turns."""
import dataclasses, os, statistics, subprocess


@dataclasses.dataclass
class Sample:
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: float  # MB, largest resident set


class Runner:
    """Runs commands through bench_measure, which is small enough not to show in their memory."""

    def __init__(self, measure):
        self.measure = measure

    def run(self, command, environment=None):
        read_end, write_end = os.pipe()
        try:
            child = subprocess.run([self.measure, str(write_end)] + command, pass_fds=[write_end],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, **(environment or {})})
            os.close(write_end)
            write_end = -1
            fields = os.read(read_end, 200).split()
        finally:
            os.close(read_end)
            if write_end >= 0:
                os.close(write_end)
        if child.returncode != 0 or len(fields) != 5 or int(fields[4]) != 0:
            raise RuntimeError(f"{' '.join(command)} failed: {child.stderr.decode()[-2000:]}")
        wall, user, system = (float(field) for field in fields[:3])
        return Sample(wall, user + system, int(fields[3]) / 1024)


def by_turns(contenders, rounds, warm_up=0):
    """Calls each contender in turn (A B, B A, A B, ...); their values by name, in order."""
    values = {name: [] for name in contenders}
    for number in range(-warm_up, rounds):
        names = list(contenders)
        if number % 2:
            names.reverse()
        for name in names:
            value = contenders[name]()
            if number >= 0:
                values[name].append(value)
    return values


def median(samples, field="wall"):
    return statistics.median(getattr(sample, field) for sample in samples)


def ratio(ours, theirs, field="wall"):
    """The median of the ratios of the pairs: each pair saw the same load."""
    return statistics.median(getattr(own, field) / getattr(other, field)
                             for own, other in zip(ours, theirs))


def summary(samples):
    return {"wall_s": round(median(samples), 4), "cpu_s": round(median(samples, "cpu"), 4),
            "peak_mb": round(max(sample.peak for sample in samples), 1),
            "all_wall_s": [round(sample.wall, 4) for sample in samples]}

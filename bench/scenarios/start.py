"""Starting and ending: what every call pays."""
from harness import process


def run(bench):
    commands = {"kubist": [bench.kubist, "version", "--client"], "curl": ["curl", "--version"]}
    if bench.kubectl:
        commands["kubectl"] = [bench.kubectl, "version", "--client"]
    samples = process.by_turns(
        {name: lambda command=command: bench.runner.run(command) for name, command in commands.items()},
        rounds=bench.rounds * 6, warm_up=2)
    ours, curl = samples["kubist"], samples["curl"]
    bench.results.add("start", {name: process.summary(values) for name, values in samples.items()},
                      [("wall over curl", process.ratio(ours, curl), 0.5),
                       ("peak memory over curl", process.ratio(ours, curl, "peak"), 0.8)])

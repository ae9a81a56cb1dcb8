"""Each module here is one scenario: run(bench), which adds rows to bench.results."""

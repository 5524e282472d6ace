"""The workloads of the performance table: `python -m benchmarks`. Ratios of one run, never limits of a test."""

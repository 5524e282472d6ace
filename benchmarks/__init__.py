"""What the engine costs, beside other libraries and NumPy by hand: `python -m benchmarks`. Ratios of one run, never limits of a test."""

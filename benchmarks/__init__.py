"""Benchmarks of the engine beside other libraries and NumPy by hand, as ratios of one run: `python -m benchmarks`."""

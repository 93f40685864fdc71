"""The replay window: an index over records files, its audit, and loading it for training."""

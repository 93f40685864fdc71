"""What stages say of their work: named figures by step."""

Metric = tuple[str, int, float]
"""Key (`train/loss`), step, value."""

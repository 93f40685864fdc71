"""What goes wrong in training, named: measures of a run's records, each with a threshold and advice."""

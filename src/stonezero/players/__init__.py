"""Whatever picks a move: search, network and rules joined; baselines; players named by text."""

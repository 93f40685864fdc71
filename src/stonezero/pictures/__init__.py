"""Positions and games as pictures and films, with what a net's search thinks of them."""

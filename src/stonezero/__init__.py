"""AlphaZero for stone games: Gomoku and Othello learnt from zero."""

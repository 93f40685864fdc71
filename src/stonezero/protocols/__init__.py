"""What engine protocols write on a line: moves in GTP, Gomocup and NBoard. Used by both ends.

Adapters for outside engines are in `stonezero.players`, our own engines in `stonezero.app.engines`.
"""

"""Our engines for other programs: a checkpoint that speaks Gomocup, GTP or NBoard on stdin and stdout.

`thinker.py` searches within limits, `session.py` moves lines between a program and an engine, and each
protocol has a module whose class answers one line at a time. A line that an engine can't make sense of gets
the protocol's own error and changes nothing.
"""

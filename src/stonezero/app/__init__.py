"""People and programs meet the players here: the HTTP service and its web page.

A request becomes a `Board` (positions), goes to an engine of its model and game (engines), shares the waves
of a search thread with the others (searching), and what the search found becomes an answer (findings).
"""

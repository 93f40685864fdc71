"""The Elo report: what the history of a run says, as tables, figures and one page. Nothing is played here."""

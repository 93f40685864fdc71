"""`python -m stonezero`: the command line."""

from stonezero.cli import main

if __name__ == "__main__":
    main()

"""`python -m tunewise` is the command `tunewise`."""

from tunewise.cli import main

main()

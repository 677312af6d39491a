"""For users' own tests: checks that hold for every trace, random models, a table of what becomes of a folder of files.

``invariants`` needs nothing more, ``strategies`` needs hypothesis, ``corpus`` is also a command.
"""

"""The only home of iteration: standard loops and multi-instance, as executors around the bare activity."""

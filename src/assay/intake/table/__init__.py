"""Tables that users bring: how a file is written, what each column holds, and what it is taken for."""

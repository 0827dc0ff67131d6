"""Tables that users bring: how a file is written, what each column holds, and how it is read."""

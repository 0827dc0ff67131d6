"""Documents: text out of files, dates, words, and an index of a corpus."""

"""What a subject gets and gives, in words, in excerpts and in hints for who mistypes a name."""

"""What problems say: how hard and telling each is, how many are needed, and whether they were memorised."""

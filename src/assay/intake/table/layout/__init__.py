"""Files as tables of texts: encoding, separator, what stands before and after the table, its header and rows."""

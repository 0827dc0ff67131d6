"""Forms that are found at once: power laws, quotients, products, symmetries, and problems made smaller."""

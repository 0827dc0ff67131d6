"""Results as parts of a paper: LaTeX tables, figures, and a paragraph about what was run."""

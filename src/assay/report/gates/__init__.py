"""Gates: what a result must reach, judged subject by subject, for continuous integration."""

"""Problems: what a subject sees, the hidden truth, and both as folders on disk."""

"""Trial and job directories: atomic writes, the journal, reading back."""

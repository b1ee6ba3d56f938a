"""Result files: their schema, how they are read and written, and which runs count."""

"""Data sets: prepared files, stand-ins, downloads and photographs."""

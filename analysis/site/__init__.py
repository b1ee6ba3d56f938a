"""The generated part of the website: pages, figures and data files."""

"""The generated part of the website: pages, figures, data of the explorer."""

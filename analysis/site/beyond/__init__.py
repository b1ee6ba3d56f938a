"""What lets others cite, follow and embed the site: single figures, a feed, social cards, data for programs."""

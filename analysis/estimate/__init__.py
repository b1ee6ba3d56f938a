"""What runs say: times with intervals, pairs and claims, ranks, contrasts, training, means."""

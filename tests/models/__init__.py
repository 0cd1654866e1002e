"""Models review safely: framed work goes out, checked answers come in, every limit is kept."""

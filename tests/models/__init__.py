"""Do models review safely: framed work out, checked answers in, every limit kept?"""

"""Does a benchmark measure what it says?"""

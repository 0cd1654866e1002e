"""What holds for every review, whatever anybody does?"""

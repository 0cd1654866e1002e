"""What did earlier versions write, and is it still read as it was meant?"""

"""Do the critics see what they should, and nothing else?"""

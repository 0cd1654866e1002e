"""Is a policy file read as it says, and is everything refused that it must not say?"""

"""What survives when the power goes, the process is killed, or the disk says no?"""

"""What survives a power cut, a killed process or a failing disk."""

"""What can a program find? One critic a file; each judges, none can edit."""

"""Who starts the reviewers that this installation hosts, keeps them alive and ends them?"""

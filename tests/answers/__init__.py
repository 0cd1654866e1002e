"""The prompts of agents and models, and the parts of their answers that count."""

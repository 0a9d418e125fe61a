"""Settings, declared once: models whose fields are keys of du-eval.yaml, variables and options at once."""

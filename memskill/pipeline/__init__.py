"""The verbs: all that the CLI, the web app and notebooks call. Models load when first needed."""

"""Models: an encoder that turns texts into vectors, a reranker that scores pairs.

`registry.load_encoder` and `registry.load_reranker` give what the settings name; `protocols`
says what each can do. Nothing heavy is imported before a model is asked for.
"""

"""The read-only verbs over the Model Context Protocol, for agents that call tools.

`verbs` says what each tool takes and gives, and knows nothing of the protocol; `server` is the
one module that imports the SDK (extra `mcp`); `http` puts it behind a socket.
"""

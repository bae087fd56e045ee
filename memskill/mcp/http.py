"""The MCP server behind a socket: streamable HTTP under uvicorn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memskill.config import Settings

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.lowlevel import Server

PATH = "/mcp"
# Calls that are under way at a stop have this long to end.
_GRACE_SECONDS = 30


def http_server(server: Server[Any], settings: Settings) -> uvicorn.Server:
    """Return what answers at `PATH`: `run(sockets=[...])` does, until its `should_exit` is set.

    It ends what was begun. No session is kept, as every tool only reads. Host and Origin headers
    must name this machine, the host that is listened on or one of `allowed_hosts`: else a web page
    could reach the server under a name of its own that it lets point here (DNS rebinding).
    """
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    from memskill.web.guard import allowed_hosts

    names = sorted(f"[{n}]" if ":" in n else n for n in allowed_hosts(settings))
    hosts = [host for name in names for host in (name, f"{name}:*")]
    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=settings.max_body_bytes,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
    )
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)

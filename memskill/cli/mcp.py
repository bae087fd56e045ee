"""`mem mcp`."""

from __future__ import annotations

import click

from memskill.cli.boundary import with_settings
from memskill.config import Settings

# Beside `mem serve`, which has 8765.
PORT = 8766


@click.command("mcp")
@click.option("--http", is_flag=True, help="Answer over streamable HTTP in the place of stdio.")
@click.option("--host", help="With --http: where to listen (default 127.0.0.1).")
@click.option("--port", type=int, help=f"With --http: which port (default {PORT}; 0: any).")
@click.option("--threads", type=int, help="Calls that are answered at once (default 8).")
@with_settings
def mcp_command(
    settings: Settings, http: bool, host: str | None, port: int | None, threads: int | None
) -> None:
    """Serve the read-only verbs to agents over the Model Context Protocol.

    Tools: match_skills, get_skill, query_notes, get_context. stdout carries the protocol and
    nothing else; a promoted skill is seen by the next call. `mem help mcp` tells how to add it to
    an agent. Needs the extra mcp.
    """
    import contextlib
    import signal
    import sys

    from memskill.cli.output import say
    from memskill.config import load_settings
    from memskill.errors import UsageError
    from memskill.mcp.server import make_server, require_sdk, serve_stdio
    from memskill.mcp.verbs import Verbs
    from memskill.pipeline.context import Contexts
    from memskill.pipeline.matching import Matching

    if not http and (host is not None or port is not None):
        raise UsageError("--host and --port go with --http", hint="Add --http, or leave them out.")
    require_sdk()
    flags = {"host": host, "port": PORT if port is None else port, "server_threads": threads}
    settings = load_settings({"vault": settings.vault, **flags})
    # Models may print while they load.
    with contextlib.redirect_stdout(sys.stderr):
        matching = Matching(settings)
        verbs = Verbs(settings, Contexts(matching))
        server = make_server(verbs, threads=settings.server_threads)
    with matching.serving():
        if not http:
            # A thread waits for stdin and would hold a tidy end up; there is nothing to save.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            say(f"memskill serves {settings.vault} over MCP on stdin and stdout")
            serve_stdio(server)
            return
        from memskill.mcp.http import PATH, http_server
        from memskill.web.server import listen, url_of

        with listen(settings.host, settings.port) as listening:
            running = http_server(server, settings)

            def end(number: int, frame: object) -> None:
                """End in order, also before uvicorn takes signals itself or once it is done."""
                running.should_exit = True

            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, end)
            say(f"memskill serves {settings.vault} over MCP at {url_of(listening)}{PATH}")
            running.run(sockets=[listening])
        say("memskill has stopped")

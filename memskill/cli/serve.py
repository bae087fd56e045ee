"""`mem serve`."""

from __future__ import annotations

import click

from memskill.cli.boundary import with_settings
from memskill.config import Settings


@click.command("serve")
@click.option("--host", help="Where to listen (default 127.0.0.1).")
@click.option("--port", type=int, help="Which port (default 8765); 0 takes a free one.")
@click.option("--threads", type=int, help="Requests that are answered at once (default 8).")
@with_settings
def serve_command(
    settings: Settings, host: str | None, port: int | None, threads: int | None
) -> None:
    """Answer over HTTP; on SIGTERM finish what is in flight.

    Prints one line to stderr when it listens. A model that cannot load, or a missing floor,
    stops the start.
    """
    import logging
    import signal

    from memskill.cli.output import say
    from memskill.config import load_settings
    from memskill.pipeline.matching import Matching
    from memskill.web import create_app
    from memskill.web.server import Server

    flags = {"vault": settings.vault, "host": host, "port": port, "server_threads": threads}
    settings = load_settings(flags)
    matching = Matching(settings)
    server = Server(create_app(settings, matching), settings)
    # A full queue is told by the latency in /metrics, not by a line a request.
    logging.getLogger("waitress").setLevel(logging.ERROR)

    def stop(number: int, _: object) -> None:
        server.stop()
        signal.signal(number, signal.SIG_DFL)  # a second one ends it at once

    with matching.serving():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        say(f"memskill serves {settings.vault} at {server.url}")
        server.run()
    say("memskill has stopped")

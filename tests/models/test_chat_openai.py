"""The OpenAI chat protocol against a real HTTP server on loopback."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from memskill.errors import ChatTimeout, ModelError, UsageError
from memskill.models.chat import MAX_REPLY_BYTES, Usage, chat_model
from memskill.models.chat_openai import MAX_TRIES, OpenAiModel


def event(text: str = "", **more: object) -> bytes:
    choice = {"delta": {"content": text}} | more
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
USED = (
    b'data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2, "cost": 0.5}}\n\n'
)


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `acts`, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.acts, self.asked, self.stop = [], [], threading.Event()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, json.loads(body)))
        acts = self.server.acts
        (acts.pop(0) if len(acts) > 1 else acts[0])(self)

    def log_message(self, *args: object) -> None:
        pass

    def answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


def stream(*parts: bytes):
    return lambda handler: handler.answer(200, b"".join(parts), "text/event-stream")


def whole(body: object, status: int = 200, **headers: str):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda handler: handler.answer(status, data, "application/json", **headers)


def drip(handler: Handler) -> None:
    handler.answer(200, b"", "text/event-stream")
    while not handler.server.stop.wait(0.05):
        try:
            handler.wfile.write(b":")
            handler.wfile.flush()
        except OSError:
            return


def hang(handler: Handler) -> None:
    handler.server.stop.wait(30)


def hang_up(handler: Handler) -> None:
    handler.close_connection = True


@pytest.fixture
def server():
    made = Server()
    thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield made
    made.stop.set()
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def pauses():
    return []


def ask(server, pauses, timeout: float = 20.0):
    model = OpenAiModel(f"m:1@{server.base}", timeout_seconds=timeout, sleep=pauses.append)
    return model.complete("be brief", "say it", {"type": "object"})


def test_a_stream_is_joined_with_its_usage(server, pauses):
    server.acts = [stream(event("a"), b": comment\n\n", event("b"), USED, DONE)]
    reply = ask(server, pauses)
    assert reply.text == "ab"
    assert reply.usage == Usage(input_tokens=7, output_tokens=2, cost=0.5)


def test_the_request_names_model_messages_and_schema(server, pauses):
    server.acts = [stream(event("a"), DONE)]
    ask(server, pauses)
    ((path, body),) = server.asked
    assert path == "/v1/chat/completions"
    assert body["model"] == "m:1"
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert body["stream"] is True


def test_a_server_that_does_not_stream_is_understood(server, pauses):
    server.acts = [whole({"choices": [{"message": {"content": "x"}}], "usage": None})]
    assert ask(server, pauses).text == "x"


def test_a_stream_that_ends_with_a_reason_needs_no_done_line(server, pauses):
    server.acts = [stream(event("x", finish_reason="stop"))]
    assert ask(server, pauses).text == "x"


def test_a_stream_cut_half_way_is_asked_again(server, pauses):
    server.acts = [stream(event("half")), stream(event("all"), DONE)]
    assert ask(server, pauses).text == "all"
    assert len(pauses) == 1


def test_a_stream_that_is_always_cut_ends_in_an_error(server, pauses):
    server.acts = [stream(event("half"))]
    with pytest.raises(ModelError, match="cut off"):
        ask(server, pauses)
    assert len(server.asked) == MAX_TRIES


def test_429_is_asked_again_after_the_time_that_the_server_names(server, pauses):
    server.acts = [
        whole({}, 429, Retry_After="3"),
        whole({}, 503),
        stream(event("ok"), DONE),
    ]
    assert ask(server, pauses).text == "ok"
    assert pauses == [3.0, 1.0]


def test_a_wait_beyond_the_deadline_is_not_begun(server, pauses):
    server.acts = [whole({}, 429, Retry_After="19")]
    with pytest.raises(ModelError, match="HTTP 429"):
        ask(server, pauses, timeout=5)
    assert pauses == []


def test_a_closed_connection_is_asked_again(server, pauses):
    server.acts = [hang_up, stream(event("ok"), DONE)]
    assert ask(server, pauses).text == "ok"


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[1]", b'{"choices": []}', b"\xff\xfe", b"[" * 100_000, b'{"error": "no model"}'],
    ids=["html", "list", "empty", "bytes", "deep", "error"],
)
def test_garbage_is_an_error_and_not_asked_again(server, pauses, body):
    server.acts = [whole(body)]
    with pytest.raises(ModelError):
        ask(server, pauses)
    assert len(server.asked) == 1


def test_garbage_inside_a_stream_is_an_error(server, pauses):
    server.acts = [stream(event("a"), b"data: {nonsense\n\n")]
    with pytest.raises(ModelError, match="not JSON"):
        ask(server, pauses)


@pytest.mark.parametrize(
    "act",
    [
        stream(*[event("x" * 10_000)] * 200, DONE),
        stream(b"data: " + b"x" * 2_000_000 + b"\n\n"),
        whole({"choices": [{"message": {"content": "x" * 2_000_000}}]}),
    ],
    ids=["many events", "one line", "whole"],
)
def test_a_reply_of_two_megabytes_is_refused(server, pauses, act):
    server.acts = [act]
    with pytest.raises(ModelError, match=f"larger than {MAX_REPLY_BYTES} bytes"):
        ask(server, pauses)
    assert len(server.asked) == 1


@pytest.mark.parametrize("act", [hang, drip])
def test_a_hang_and_a_drip_end_at_the_deadline(server, pauses, act):
    server.acts = [act]
    started = time.monotonic()
    with pytest.raises(ChatTimeout, match="1 s"):
        ask(server, pauses, timeout=1)
    assert time.monotonic() - started < 15


# llama.cpp's Python server says 500.
@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_server_that_knows_no_schema_is_asked_without_one(server, pauses, status):
    server.acts = [whole({"error": "response_format"}, status), stream(event("ok"), DONE)]
    assert ask(server, pauses).text == "ok"
    assert pauses == []
    assert "response_format" not in server.asked[1][1]


def test_a_redirect_is_not_followed(server, pauses):
    server.acts = [whole({}, 302, Location="http://127.0.0.1:1/")]
    with pytest.raises(ModelError, match="HTTP 302"):
        ask(server, pauses)


def test_no_server_at_all_is_an_error_after_a_few_tries(pauses):
    model = OpenAiModel("m@http://127.0.0.1:9", timeout_seconds=20, sleep=pauses.append)
    with pytest.raises(ModelError, match="tried again"):
        model.complete("s", "p", {})
    assert len(pauses) == MAX_TRIES - 1


@pytest.mark.parametrize(
    "spec",
    [
        "m",
        "@http://x",
        "m@ftp://x",
        "m@http://",
        "m@http://a b",
        "m@http://u:p@x",
        "m@http://x:99999",
    ],
)
def test_a_spec_without_model_and_server_is_refused(spec):
    with pytest.raises(UsageError):
        chat_model(f"openai:{spec}")

"""The http backend against a real server on the loopback, in the shapes that servers speak."""

from __future__ import annotations

import json
import math
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from memskill.errors import ConfigError, ModelError
from memskill.models.fakes import HashEncoder, OverlapReranker
from memskill.models.http_json import Server
from memskill.models.protocols import Encoder, Reranker
from memskill.models.remote import RemoteEncoder, RemoteReranker
from memskill.models.spec import parse_spec

TEXTS = [f"restart worker {i} of the deploy" for i in range(70)]
TASK = "restart worker 7"
NONE = np.empty((len(TEXTS), 0), dtype=np.float32)


def logits_of(task, texts):
    return OverlapReranker().rerank(task, texts, np.empty((len(texts), 0), np.float32))


class ModelServer:
    """A loopback server; `routes` maps (method, path) to a function of the request's JSON."""

    def __init__(self, routes):
        self.routes, self.seen = routes, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer("GET")

            def do_POST(self):
                self.answer("POST")

            def answer(self, method):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = json.loads(body) if body else None
                outer.seen.append((method, self.path, request))
                route = outer.routes.get((method, self.path))
                status, headers, data = (404, {}, b"") if route is None else route(request)
                if callable(data):
                    data(self)
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.httpd.daemon_threads = True
        # A client that hangs up on a misbehaving answer is what some tests are about.
        self.httpd.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"
        threading.Thread(target=self.httpd.serve_forever, args=(0.01,), daemon=True).start()

    def posts(self):
        return [(path, body) for method, path, body in self.seen if method == "POST"]


@pytest.fixture
def serve():
    servers = []

    def start(**routes):
        server = ModelServer({tuple(k.split("_", 1)): v for k, v in routes.items()})
        server.routes = {(m.upper(), "/" + p): f for (m, p), f in server.routes.items()}
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.httpd.shutdown()
        server.httpd.server_close()


def ok(value):
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


def tei_info(_):
    return ok({"model_id": "BAAI/bge-reranker-base", "model_sha": "2cfc", "version": "1.8"})


def tei_embed(request):
    # Not of length one: memskill normalises for itself.
    return ok((HashEncoder().encode(request["inputs"]) * 3).tolist())


def tei_rerank(request):
    logits = logits_of(request["query"], request["texts"])
    items = [{"index": i, "score": float(x)} for i, x in enumerate(logits)]
    return ok(sorted(items, key=lambda item: -item["score"]))


def infinity_models(_):
    return ok({"data": [{"id": "some/model", "object": "model"}], "object": "list"})


def infinity_embed(request):
    rows = HashEncoder().encode(request["input"]).tolist()
    data = [{"index": i, "embedding": row, "object": "embedding"} for i, row in enumerate(rows)]
    return ok({"data": data[::-1], "model": request["model"]})


def cohere_rerank(request):
    logits = logits_of(request["query"], request["documents"])
    items = [{"index": i, "relevance_score": 1 / (1 + math.exp(-x))} for i, x in enumerate(logits)]
    return ok({"id": "x", "results": sorted(items, key=lambda item: -item["relevance_score"])})


def cohere_embed(request):
    return ok({"embeddings": {"float": HashEncoder().encode(request["texts"]).tolist()}})


def encoder(server, query="", **limits):
    spec = parse_spec("encoder", f"http:{server.url}{query}")
    return RemoteEncoder(spec, Server(url=server.url, pause_seconds=0.01, **limits))


def reranker(server, query="", **limits):
    spec = parse_spec("reranker", f"http:{server.url}{query}")
    return RemoteReranker(spec, Server(url=server.url, pause_seconds=0.01, **limits))


def test_tei_embeds_in_batches_and_in_order(serve):
    server = serve(get_info=tei_info, post_embed=tei_embed)
    model = encoder(server)
    assert isinstance(model, Encoder)
    np.testing.assert_allclose(model.encode(TEXTS), HashEncoder().encode(TEXTS), atol=1e-6)
    sizes = [len(body["inputs"]) for _, body in server.posts()]
    assert sizes == [32, 32, 6]
    assert all(body["truncate"] and body["normalize"] for _, body in server.posts())
    assert model.encode([]).shape == (0, 384)


def test_tei_reranks_with_raw_scores_in_order(serve):
    server = serve(get_info=tei_info, post_rerank=tei_rerank)
    model = reranker(server)
    assert isinstance(model, Reranker)
    logits = model.rerank(TASK, TEXTS, NONE)
    assert logits.dtype == np.float64
    assert logits.tolist() == logits_of(TASK, TEXTS).tolist()
    assert all(body["raw_scores"] and body["truncate"] for _, body in server.posts())


def test_tei_without_raw_scores_is_turned_back_into_logits(serve):
    def normalised(request):
        assert request["raw_scores"] is False
        items = json.loads(tei_rerank(request)[2])
        return ok([{**i, "score": 1 / (1 + math.exp(-i["score"]))} for i in items])

    server = serve(get_info=tei_info, post_rerank=normalised)
    logits = reranker(server, "?scores=probability").rerank(TASK, TEXTS, NONE)
    np.testing.assert_allclose(logits, logits_of(TASK, TEXTS), atol=1e-9)


def test_infinity_is_known_by_its_models_and_told_the_name(serve):
    server = serve(get_models=infinity_models, post_embeddings=infinity_embed,
                   post_rerank=cohere_rerank)  # fmt: skip
    np.testing.assert_allclose(
        encoder(server).encode(TEXTS), HashEncoder().encode(TEXTS), atol=1e-6
    )
    np.testing.assert_allclose(
        reranker(server).rerank(TASK, TEXTS, NONE), logits_of(TASK, TEXTS), atol=1e-9
    )
    assert {body["model"] for _, body in server.posts()} == {"some/model"}


def test_a_cohere_shaped_server_is_what_neither_shows(serve):
    server = serve(post_embed=cohere_embed, post_rerank=cohere_rerank)
    np.testing.assert_allclose(
        encoder(server, "?model=m").encode(TEXTS), HashEncoder().encode(TEXTS), atol=1e-6
    )
    np.testing.assert_allclose(
        reranker(server, "?model=m").rerank(TASK, TEXTS, NONE), logits_of(TASK, TEXTS), atol=1e-9
    )
    assert {body["model"] for _, body in server.posts()} == {"m"}


def test_a_stated_shape_asks_nothing_of_other_paths(serve):
    server = serve(post_rerank=cohere_rerank)
    reranker(server, "?shape=cohere").rerank(TASK, TEXTS[:2], NONE[:2])
    assert [path for _, path, _ in server.seen] == ["/rerank"]


def test_probabilities_rounded_to_0_or_1_get_finite_logits(serve):
    def rounded(request):
        return ok({"results": [{"index": i, "relevance_score": float(i)} for i in range(2)]})

    logits = reranker(serve(post_rerank=rounded)).rerank(TASK, TEXTS[:2], NONE[:2])
    assert logits.tolist() == pytest.approx([-27.63, 27.63], abs=0.01)


def test_raw_scores_that_were_not_announced_are_found_out(serve):
    def raw(request):
        return ok({"results": [{"index": 0, "relevance_score": 3.2}]})

    server = serve(post_rerank=raw)
    with pytest.raises(ModelError, match="outside") as caught:
        reranker(server).rerank(TASK, ["a"], NONE[:1])
    assert "scores=raw" in caught.value.hint
    assert reranker(server, "?scores=raw").rerank(TASK, ["a"], NONE[:1]).tolist() == [3.2]


def test_a_busy_server_is_asked_again(serve):
    answers = [(429, {}, b""), (503, {"Retry-After": "0"}, b"")]

    def busy(request):
        return answers.pop(0) if answers else tei_rerank(request)

    server = serve(get_info=tei_info, post_rerank=busy)
    logits = reranker(server).rerank(TASK, TEXTS[:3], NONE[:3])
    assert logits.tolist() == logits_of(TASK, TEXTS[:3]).tolist()
    assert len(server.posts()) == 3


def test_a_server_that_stays_busy_is_given_up(serve):
    server = serve(get_info=tei_info, post_rerank=lambda _: (429, {"Retry-After": "0"}, b"slow"))
    with pytest.raises(ModelError, match="answered 429"):
        reranker(server).rerank(TASK, ["a"], NONE[:1])
    assert len(server.posts()) == 4


def test_a_server_that_asks_for_an_hour_is_not_waited_for():
    from email.message import Message

    headers = Message()
    headers["Retry-After"] = "3600"
    assert Server(url="http://h")._pause(headers, 0) == 5.0


def _hang(handler):
    time.sleep(2)


def _drip(handler):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def _cut(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"[")


def _huge(handler):
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(200):
            handler.wfile.write(b"[" * 65536)
    except OSError:
        pass


def _noise(handler):
    handler.wfile.write(b"\x00\xff not http\r\n\r\n")


@pytest.mark.parametrize(
    ("behave", "says"),
    [
        (_hang, "no whole answer in 0.3 seconds"),
        (_drip, "no whole answer in 0.3 seconds"),
        (_cut, "no answer"),
        (_huge, "over 100000 bytes"),
        (_noise, "no answer"),
    ],
)
def test_a_server_that_misbehaves_is_cut_off(serve, behave, says):
    server = serve(post_rerank=lambda _: (200, {}, behave))
    model = reranker(server, "?shape=cohere", timeout_seconds=0.3, max_bytes=100_000)
    started = time.monotonic()
    with pytest.raises(ModelError, match=says):
        model.rerank(TASK, ["a"], NONE[:1])
    assert time.monotonic() - started < 1.5


def test_a_port_that_nobody_listens_on_is_a_clear_error():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    model = RemoteReranker(parse_spec("reranker", url + "?shape=tei"))
    with pytest.raises(ModelError, match="no answer") as caught:
        model.rerank(TASK, ["a"], NONE[:1])
    assert "running" in caught.value.hint


def test_a_redirect_is_not_followed(serve):
    target = serve(post_rerank=cohere_rerank)
    server = serve(post_rerank=lambda _: (307, {"Location": target.url + "/rerank"}, b""))
    with pytest.raises(ModelError, match="redirect"):
        reranker(server, "?shape=cohere").rerank(TASK, ["a"], NONE[:1])
    assert target.seen == []


def test_what_the_server_wrote_reaches_no_terminal_as_control_codes(serve):
    server = serve(post_rerank=lambda _: (500, {}, b"\x1b[31m" + b"x" * 5000))
    with pytest.raises(ModelError, match="answered 500") as caught:
        reranker(server, "?shape=cohere").rerank(TASK, ["a"], NONE[:1])
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 400


GOOD = {"index": 0, "score": 1.0}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        "text",
        [],
        [GOOD],
        [GOOD, GOOD],
        [GOOD, {"index": 2, "score": 1.0}],
        [GOOD, {"index": -1, "score": 1.0}],
        [GOOD, {"index": True, "score": 1.0}],
        [GOOD, {"index": "1", "score": 1.0}],
        [GOOD, {"index": 1}],
        [GOOD, {"index": 1, "score": "1.0"}],
        [GOOD, {"index": 1, "score": True}],
        [GOOD, {"index": 1, "score": math.nan}],
        [GOOD, {"index": 1, "score": math.inf}],
        [GOOD, {"index": 1, "score": 10**400}],
        [GOOD, {"index": 1, "score": 1.0}, {"index": 2, "score": 1.0}],
        [GOOD, 1],
    ],
)
def test_an_answer_that_is_no_score_for_each_text_is_refused(serve, answer):
    server = serve(get_info=tei_info, post_rerank=lambda _: ok(answer))
    with pytest.raises(ModelError, match="answered"):
        reranker(server).rerank(TASK, ["a", "b"], NONE[:2])


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\xfe", b"[" * 90_000])
def test_an_answer_that_is_not_json_is_refused(serve, body):
    server = serve(get_info=tei_info, post_rerank=lambda _: (200, {}, body))
    with pytest.raises(ModelError, match="not JSON"):
        reranker(server).rerank(TASK, ["a"], NONE[:1])


ROW = [1.0] + [0.0] * 383


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([ROW], "one vector for each"),
        ([ROW, ROW, ROW], "one vector for each"),
        ([ROW, ROW[:-1]], "unequal length"),
        ([[1.0] * 768] * 2, "768 numbers; the store keeps 384"),
        ([[0.0] * 384] * 2, "zeros"),
        ([ROW, [None] * 384], "not a number"),
        ([ROW, "x"], "not a number"),
        ({"error": "no"}, "one vector for each"),
    ],
)
def test_an_answer_that_is_no_vector_for_each_text_is_refused(serve, rows, says):
    server = serve(get_info=tei_info, post_embed=lambda _: ok(rows))
    with pytest.raises(ModelError, match=says):
        encoder(server).encode(["a", "b"])


def test_the_fingerprint_is_that_of_url_and_model(serve):
    server = serve(get_info=tei_info)
    first = reranker(server).fingerprint
    assert first == reranker(server).fingerprint
    assert first != encoder(server).fingerprint
    assert first != reranker(server, "?scores=probability").fingerprint
    server.routes["GET", "/info"] = lambda _: ok({"model_id": "BAAI/bge-reranker-large"})
    assert first != reranker(server).fingerprint


def test_lone_surrogates_are_sent_as_question_marks(serve):
    server = serve(get_info=tei_info, post_rerank=tei_rerank)
    reranker(server).rerank("\ud800", ["a\udfff"], NONE[:1])
    ((_, body),) = server.posts()
    assert (body["query"], body["texts"]) == ("?", ["a?"])


def test_a_path_in_the_url_is_kept(serve):
    server = serve(**{"post_v1/rerank": cohere_rerank})
    spec = parse_spec("reranker", f"{server.url}/v1/?shape=cohere")
    assert RemoteReranker(spec).rerank(TASK, ["a"], NONE[:1]).shape == (1,)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://h",
        "//h",
        "h",
        "http://",
        "http://u:secret@h",
        "http://h:99999",
        "http://[",
        "http://h\n",
    ],
)
def test_a_url_that_is_none_is_refused_and_a_password_not_repeated(url):
    with pytest.raises(ModelError, match="URL") as caught:
        Server(url=url)
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("query", ["?shape=soap", "?scores=stars"])
def test_an_option_with_no_such_value_is_refused(query):
    with pytest.raises(ConfigError, match="must be one of"):
        RemoteReranker(parse_spec("reranker", "http://h" + query))

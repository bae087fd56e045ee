"""A vault with 200 damaged files: every good file goes in, every bad one is told."""

from __future__ import annotations

import os
import random
import shutil
import socket

import pytest
from helpers.vaults import now, run_mem, write_note

from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest

SEED = 20261130
DAMAGED = 200

NOTE = (
    "---\nlevel: L1\nproject: {project}\nquery_id: {name}\nquery: Why does {name} fail?\n"
    "tags: [a, b]\n---\n# What was found\n\n" + "The pump of {name} stalls when it is cold.\n" * 8
)


def _truncated(rng, data):
    return data[: rng.randrange(len(data))]


def _flipped(rng, data):
    out = bytearray(data)
    for _ in range(rng.randint(1, 20)):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _binary(rng, data):
    return rng.randbytes(len(data))


def _bom(rng, data):
    return b"\xef\xbb\xbf" + data


def _crlf(rng, data):
    return data.replace(b"\n", b"\r\n")


def _broken_yaml(rng, data):
    bad = rng.choice(
        (
            b"query: it fails: always: so",
            b"tags: [a, b",
            b'query: "no end',
            b"\tlevel: L1",
            b"- a\nlevel: L1",
            b"level: L9",
            b"query_id: ../../etc/passwd",
            b"query_id: {a: b}",
            b"parents: &a [*a, *a]",
            b"query: !!python/object/apply:os.system [ls]",
        )
    )
    return data.replace(b"tags: [a, b]", bad)


def _unclosed(rng, data):
    return data.replace(b"\n---\n", b"\n", 1)


def _huge(rng, data):
    return data + b"x" * 4_100_000


def _latin(rng, data):
    return data + "Z\xfcrich caf\xe9\n".encode("latin-1")


def _nul(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + b"\0" + data[at:]


def _empty(rng, data):
    return rng.choice((b"", b"\n\n", b"---\n---\n", b"---\nlevel: L1\n---\n"))


def _utf16(rng, data):
    return data.decode().encode("utf-16")


DAMAGES = (
    _truncated,
    _flipped,
    _binary,
    _bom,
    _crlf,
    _broken_yaml,
    _unclosed,
    _latin,
    _nul,
    _empty,
    _utf16,
)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """A vault of 40 good and 200 damaged notes; returns (folder, good paths, damaged paths)."""
    rng = random.Random(SEED)
    vault = tmp_path_factory.mktemp("damaged") / "vault"
    good, bad = [], []
    for number in range(40 + DAMAGED):
        project = f"p{number % 5}"
        folder = vault / "notes" / project
        folder.mkdir(parents=True, exist_ok=True)
        name = f"q{number:03}"
        data = NOTE.format(project=project, name=name).encode()
        (good if number < 40 else bad).append(f"notes/{project}/{name}.md")
        if number >= 40:
            damage = _huge if number % 50 == 0 else DAMAGES[number % len(DAMAGES)]
            data = damage(rng, data)
        (folder / f"{name}.md").write_bytes(data)
    return vault, good, bad


def _ingest(settings):
    return ingest(settings, encoder=HashEncoder())


@pytest.fixture
def report_of(damaged, settings):
    vault, good, bad = damaged
    shutil.rmtree(settings.vault)
    shutil.copytree(vault, settings.vault)
    return _ingest(settings), good, bad


def test_every_good_file_goes_in_and_every_bad_one_is_told(report_of, settings):
    report, good, bad = report_of
    kept, skipped = set(now(settings)["sources"]), {skip.path for skip in report.skipped}
    assert set(good) <= kept
    assert kept.isdisjoint(skipped)
    # A file that is in neither has the content of another one, which a warning says.
    told = {warning.path for warning in report.warnings}
    assert {*good, *bad} - kept - skipped <= told
    assert len(skipped) > 20


def test_every_report_says_why_in_plain_words(report_of):
    for skip in (*report_of[0].skipped, *report_of[0].warnings):
        assert skip.reason.isprintable()
        assert len(skip.reason) > 5
        assert skip.line is None or skip.line > 0


def test_a_second_run_over_damage_changes_nothing(report_of, settings):
    before = now(settings)
    again = _ingest(settings)
    assert not again.changed
    assert again.skipped == report_of[0].skipped
    assert now(settings) == before


@pytest.mark.slow
def test_the_command_ends_well_and_names_each_bad_file_on_stderr(damaged, tmp_path):
    vault, _, _ = damaged
    shutil.copytree(vault, tmp_path / "vault")
    done = run_mem("ingest", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ingested: ")
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "notes/p0/q050.md: is larger than 4000000 bytes" in done.stderr


def test_links_never_lead_out_and_never_loop(settings, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("do not read")
    write_note(settings, "p/good", "one")
    notes = settings.vault / "notes"
    (notes / "out.md").symlink_to(outside / "secret.md")
    (notes / "folder").symlink_to(outside)
    (notes / "loop").symlink_to(notes)
    (notes / "self.md").symlink_to(notes / "self.md")
    (notes / "none.md").symlink_to(notes / "nothing.md")
    report = _ingest(settings)
    assert list(now(settings)["sources"]) == ["notes/p/good.md"]
    told = {skip.path for skip in report.skipped}
    assert {"notes/out.md", "notes/folder", "notes/none.md"} <= told


def test_what_is_no_regular_file_is_told_and_never_waited_for(settings):
    write_note(settings, "p/good", "one")
    notes = settings.vault / "notes"
    os.mkfifo(notes / "pipe.md")
    (notes / "folder.md").mkdir()
    with socket.socket(socket.AF_UNIX) as door:
        here = os.open(notes, os.O_RDONLY)
        door.bind(f"/proc/self/fd/{here}/door.md")
        os.close(here)
        report = _ingest(settings)
    assert list(now(settings)["sources"]) == ["notes/p/good.md"]
    assert {s.path for s in report.skipped} == {"notes/pipe.md", "notes/door.md"}


@pytest.mark.parametrize(
    "name",
    [
        b"caf\xe9.md",
        "caf\u00e9.md".encode(),
        b"new\nline.md",
        b"tab\there.md",
        b"quote'\".md",
        b"$x {{y}}.md",
        b"; rm -rf ~.md",
        b"-n.md",
        b"~.md",
        b"a" * 240 + b".md",
        "\u202ereversed.md".encode(),
        b"UPPER.MD",
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_a_strange_file_name_stops_nothing(settings, name, named):
    write_note(settings, "p/good", "one")
    head = b"---\nproject: p\nquery_id: q\n---\n" if named else b""
    folder = os.fsencode(settings.vault / "notes" / "p")
    with open(os.path.join(folder, name), "wb") as file:  # noqa: PTH118, PTH123 (raw bytes)
        file.write(head + b"The pump stalls.\n")
    report = _ingest(settings)
    assert "notes/p/good.md" in now(settings)["sources"]
    assert len(now(settings)["sources"]) + len(report.skipped) == 2
    assert not _ingest(settings).changed


@pytest.mark.parametrize(
    "body",
    [
        "lone \\ud800 surrogate",
        "\x1b[31mred\x1b[0m",
        "\u202etxet\u202c",
        "{{ 7 * 7 }} {% for x in y %}",
        "'; drop table memory_node; --",
        "$sha $1 ? %s",
        "x" * 200_000,
        "\n".join("-" * 20 for _ in range(5_000)),
        "\U0001f600" * 1_000,
        "a\u0301" * 500,
    ],
)
def test_a_strange_body_is_kept_as_text(settings, body):
    write_note(settings, "p/q", body, query='"\\ud800 \\u0007 q"')
    report = _ingest(settings)
    assert report.skipped == ()
    assert len(now(settings)["valid"]) == 1
    assert not _ingest(settings).changed


def test_a_folder_that_may_not_be_read_is_told(settings):
    if os.geteuid() == 0:
        # Root may read everything: a folder that vanishes under the walk's feet stands in.
        folder = settings.vault / "notes" / "p"
        folder.symlink_to(settings.vault / "notes" / "p")
        write_note(settings, "q/good", "one")
        _ingest(settings)
        assert list(now(settings)["sources"]) == ["notes/q/good.md"]
        return
    write_note(settings, "q/good", "one")
    shut = write_note(settings, "p/shut", "two").parent
    shut.chmod(0)
    try:
        report = _ingest(settings)
    finally:
        shut.chmod(0o755)
    assert list(now(settings)["sources"]) == ["notes/q/good.md"]
    assert any("notes/p" in skip.path for skip in report.skipped)

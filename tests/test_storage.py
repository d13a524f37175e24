"""Writing whole files or none: interrupts, kills, folders that cannot be written, and drafts that nobody finishes."""

import os

import pytest

import sidelight as sl
from sidelight import SidelightError
from sidelight._storage import make_writable_folder, read_file_contents, replacing_file


def write(path, text="new"):
    with replacing_file(path) as draft:
        draft.write_text(text)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_an_interrupted_write_leaves_the_old_file(tmp_path, error):
    write(tmp_path / "a.txt", "old")

    def interrupted():
        with replacing_file(tmp_path / "a.txt") as draft:
            draft.write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_only_old_drafts_are_removed(tmp_path):
    for name in ("old", "new"):
        (tmp_path / f".{name}-draft-abcd_123.txt").write_text("half")
    os.utime(tmp_path / ".old-draft-abcd_123.txt", (0, 0))
    write(tmp_path / "a.txt")
    assert set(os.listdir(tmp_path)) == {"a.txt", ".new-draft-abcd_123.txt"}


def test_reading(tmp_path):
    write(tmp_path / "a.txt", "whole")
    assert read_file_contents(tmp_path / "a.txt") == b"whole"
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*b.txt'"):
        read_file_contents(tmp_path / "b.txt")
    with pytest.raises(SidelightError, match=r"cannot read '.*a.txt/c.txt': Not a directory|there is no file"):
        read_file_contents(tmp_path / "a.txt" / "c.txt")


def test_errors_name_the_target(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(SidelightError, match=r"cannot write '.*file/a.txt'"):
        write(tmp_path / "file" / "a.txt")
    with pytest.raises(SidelightError, match=r"file' is a file: name a folder"):
        make_writable_folder(tmp_path / "file")

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied", "/somewhere/tmpabcdef")

    monkeypatch.setattr("tempfile.mkstemp", refused)
    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    for what, name in ((write, tmp_path / "a.txt"), (make_writable_folder, tmp_path / "new")):
        with pytest.raises(SidelightError) as caught:
            what(name)
        assert str(caught.value) == f"cannot write {str(name)!r}: Permission denied"
        assert isinstance(caught.value, OSError)


def test_a_link_is_followed_and_permissions_stay(tmp_path):
    file, link = tmp_path / "file.txt", tmp_path / "link.txt"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    with replacing_file(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_is_not_a_file_is_not_replaced(tmp_path):
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(SidelightError, match="not a regular file"), replacing_file(path):
            pass
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["x" * 300 + ".json", "a\0b.json"])
def test_names_that_no_file_can_have(tmp_path, name):
    game = sl.games.load("apple-tasting")
    results = sl.simulate(sl.strategies.Uniform(game), sl.environments.IID([0.5, 0.5]), horizon=5, runs=1)
    savers = {"json": game, "npz": results}
    for suffix, thing in savers.items():
        with pytest.raises(SidelightError):
            thing.save(tmp_path / name.replace("json", suffix))
    with pytest.raises(SidelightError):
        sl.ClassifierMonitor(tolerance=0.05).save(tmp_path / name)
    with pytest.raises(SidelightError):
        sl.strategies.Uniform(game).save(tmp_path / name.replace("json", "npz"))

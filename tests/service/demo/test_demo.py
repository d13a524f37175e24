"""The demonstration: everything that pages can show is there, and goes on."""

from __future__ import annotations

from service.api.conftest import SQLITE
from service.web.browsing import Browser
from sidelight.service.demo import NAME, Demo
from sidelight.service.server.app import make_app


@SQLITE
def test_every_page_is_alive(service):
    demo = Demo(service)
    demo.prepare()
    with service.read() as tx:
        monitors = dict(tx.all("SELECT name, id FROM monitors"))
        states = {row[0] for row in tx.all("SELECT DISTINCT state FROM verifications")}
    verdicts = {one.verdict for id in monitors.values() for one in service.report(id).classes}
    assert verdicts == {"above", "below", "unknown"}
    assert states >= {"open", "answered", "skipped", "overdue"}
    browser = Browser(make_app(service))
    assert browser.sign_in(NAME, demo.password).status_code == 200
    for name in monitors:
        dashboard = browser.get(f"/m/{name}").text
        assert 'class="spark"' in dashboard
        assert 'class="chart"' in dashboard
        page = browser.submit(f"/m/{name}/review", f"/m/{name}/review", answer="next")
        assert "This verification has no payload" not in page.text
        assert browser.get(f"/m/{name}/verifications").status_code == 200
    assert 'class="chip near">disagreement' in browser.get("/m/tickets/verifications").text
    browser.close()


@SQLITE
def test_time_goes_on_until_it_is_stopped(service, monkeypatch):
    monkeypatch.setattr("sidelight.service.demo._PAUSE", 0.01)
    monkeypatch.setattr("sidelight.service.demo._HOURS", 1)
    demo = Demo(service)
    demo.prepare()
    with service.read() as tx:
        before = tx.one("SELECT SUM(last) FROM monitors")[0]
    demo.start()
    for _ in range(3000):
        with service.read() as tx:
            if tx.one("SELECT SUM(last) FROM monitors")[0] > before + 100:
                break
        demo._stop.wait(0.02)
    demo.stop()
    with service.read() as tx:
        after = tx.one("SELECT SUM(last) FROM monitors")[0]
    assert after > before + 100
    assert not demo._thread.is_alive()

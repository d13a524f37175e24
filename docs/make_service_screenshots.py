"""Take the pictures of the service that the documentation shows: `make screenshots`.

It serves the demonstration on a free port, looks at it with Debian's Chromium, and keeps a digest of what the pages are
made of beside the pictures, so that a test notices when they are out of date.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PICTURES = Path(__file__).parent / "images" / "service"
DIGEST = PICTURES / "sources.sha256"
PAGES = ROOT / "src" / "sidelight" / "service" / "web"


def digest() -> str:
    """Return a digest of the templates, styles and scripts of the pages."""
    found = hashlib.sha256()
    for path in sorted([*(PAGES / "templates").rglob("*.html"), *(PAGES / "static").rglob("*.*")]):
        found.update(f"{path.relative_to(PAGES).as_posix()}\0".encode() + path.read_bytes())
    return found.hexdigest()


def main() -> None:
    """Serve the demonstration and look at its pages."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "sidelight", "serve", "--demo", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        url, password = _said(server)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            PICTURES.mkdir(parents=True, exist_ok=True)
            _look(browser, url, password)
            browser.close()
    finally:
        server.terminate()
        server.wait(60)
    DIGEST.write_text(digest() + "\n", encoding="ascii")


def _said(server: subprocess.Popen[str]) -> tuple[str, str]:
    """Return the address and the password that the server prints."""
    text = ""
    assert server.stdout is not None
    for line in server.stdout:
        text += line
        found = re.search(r"(http://\S+).*?password (\S+)", text, re.DOTALL)
        if found:
            return found[1], found[2]
    raise SystemExit(f"the demonstration did not start:\n{text}")


def _look(browser: Any, url: str, password: str) -> None:
    wide = browser.new_context(viewport={"width": 1200, "height": 800}, color_scheme="light")
    page = wide.new_page()
    page.goto(url)
    page.fill("input[name=name]", "demo")
    page.fill("input[type=password]", password)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{url}/")
    for name, path in (("overview", "/"), ("dashboard", "/m/digits"), ("errors", "/m/digits/insight")):
        page.goto(url + path)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=PICTURES / f"{name}.png")
    page.goto(f"{url}/m/digits/review")
    page.click("text=Start reviewing")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=PICTURES / "review.png")
    phone = browser.new_context(
        viewport={"width": 400, "height": 800}, color_scheme="dark", storage_state=wide.storage_state()
    )
    page = phone.new_page()
    page.goto(f"{url}/m/tickets/review")
    page.click("text=Start reviewing")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=PICTURES / "review-phone.png")


if __name__ == "__main__":
    main()

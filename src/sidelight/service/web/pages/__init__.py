"""The pages of the service, rendered on the server; they work without scripts."""

from __future__ import annotations

from fastapi import FastAPI

from sidelight.service.web.pages import admin, dashboard, entrance, files, insight, review, settings, verifications
from sidelight.service.web.visitors import session_caller_from_page


def install_pages(app: FastAPI) -> None:
    """Add all pages to an application, and let people who have signed in use its HTTP interface."""
    for one in (entrance, files, dashboard, insight, review, verifications, settings, admin):
        app.router.routes.extend(one.router.routes)
    app.state.session_caller = session_caller_from_page

"""Who may look: only browsers on this machine that know the token, and only pages of our own."""

from __future__ import annotations

import hmac
import secrets

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from msgspec import Struct, field

HOST = "127.0.0.1"
SECRET_HEADER = "X-Du-Eval-Page"  # noqa: S105 - the name of a header
_TOKEN = "token"  # noqa: S105 - the name of a parameter
_OWN_SITES = {"same-origin", "none"}
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Access(Struct, frozen=True):
    """What opens the door: a token in the address, then a cookie; pages that write send a secret, too."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    page_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def address(self) -> str:
        """The address to open."""
        return self.make_address("/")

    @property
    def socket_address(self) -> str:
        """Where pages listen for news."""
        return f"ws://{HOST}:{self.port}"

    def make_address(self, path: str) -> str:
        """Return the address of a page, with the token."""
        return f"http://{HOST}:{self.port}{path}?{_TOKEN}={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie: ports of a machine share their cookies."""
        return f"du_eval_{self.port}"

    def refuse(self, request: web.Request) -> str:
        """Return why a request is refused, whoever sent it; empty if it may go on."""
        if request.host not in {f"{HOST}:{self.port}", f"localhost:{self.port}"}:
            return "unknown host"
        if request.method not in {"GET", "HEAD", "POST"}:
            return "unknown method"
        if request.headers.get("Sec-Fetch-Site", "none") not in _OWN_SITES:
            return "requests from other sites are refused"
        is_strict = request.method == "POST" or "Upgrade" in request.headers
        origin = request.headers.get("Origin", "" if is_strict else None)
        if origin is not None and origin != f"http://{request.host}":
            return "requests from other origins are refused"
        return ""

    def has_token(self, request: web.Request) -> bool:
        """Tell whether the address holds the token."""
        return _is_equal(request.query.get(_TOKEN, ""), self.token)

    def has_cookie(self, request: web.Request) -> bool:
        """Tell whether the browser opened the address with the token before."""
        return _is_equal(request.cookies.get(self.cookie, ""), self.token)

    def may_write(self, request: web.Request) -> bool:
        """Tell whether a request that writes comes from a page of ours."""
        is_json = request.content_type == "application/json"
        return is_json and _is_equal(request.headers.get(SECRET_HEADER, ""), self.page_secret)


def _is_equal(given: str, wanted: str) -> bool:
    """Compare in a time that tells nothing."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def make_guard(access: Access) -> Middleware:
    """Return what stands before every handler."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        reason = access.refuse(request)
        if reason:
            return web.Response(status=403, text=reason)
        if request.method == "GET" and access.has_token(request):
            # The token leaves the address, so that nobody copies it by accident.
            response = web.Response(status=303, headers={"Location": request.path})
            response.set_cookie(access.cookie, access.token, httponly=True, samesite="Strict", path="/")
            return response
        if not access.has_cookie(request):
            return web.Response(status=403, text="Open the address that `du-eval view` printed.")
        if request.method == "POST" and not access.may_write(request):
            return web.Response(status=403, text="This page is out of date: load it again.")
        return await handler(request)

    return guard


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Say on every response what a browser may do with it."""
    response.headers.update(_HEADERS)

"""Requests that no browser would send."""

from __future__ import annotations

from dataclasses import dataclass
from http.client import HTTPConnection

from du_eval.viewer.access import Access


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str


def ask(access: Access, path: str = "/", method: str = "GET", body: str = "", **headers: str) -> Reply:
    """Send one request, with the cookie unless another one is given."""
    sent = {"Cookie": f"{access.cookie}={access.token}", "Host": f"127.0.0.1:{access.port}"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection("127.0.0.1", access.port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {**sent, "Content-Length": str(len(body.encode()))}.items():
            connection.putheader(name, value)
        connection.endheaders(body.encode())
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)
    finally:
        connection.close()


def write(access: Access, path: str, body: str, **headers: str) -> Reply:
    """Send what a page of the viewer would send."""
    own = {
        "Origin": f"http://127.0.0.1:{access.port}",
        "Content_Type": "application/json",
        "X_Du_Eval_Page": access.page_secret,
    }
    return ask(access, path, "POST", body, **{**own, **headers})

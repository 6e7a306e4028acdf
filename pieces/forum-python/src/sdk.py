"""What every piece needs and no platform has: failures that tell the host what to do, requests, the state of a question.

Copy it into a piece of your own.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from componentize_py_types import Err, Ok
from wit_world.imports import http
from wit_world.imports.types import (
    Failure,
    FailureKind,
    FailureKind_Gone,
    FailureKind_PerhapsSent,
    FailureKind_Refused,
    FailureKind_Retry,
)

BATCH_MAX = 32
"""How many requests the host sends at once."""
PARTS_MAX = 100
"""How many parts the host takes of one reply."""
DEPTH_MAX = 64
"""How deep JSON may be nested: the interpreter's stack ends before its parser does."""
NESTING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[\[{]|[\]}]', re.DOTALL)
"""A string, whose brackets do not count, or a bracket."""
WAIT_MS_END = 2**32
"""The contract has 32 bits for a wait: what does not fit says nothing."""


def failure(kind: FailureKind, reason: str) -> Err[Failure]:
    """What an acting hook raises. The reason is for the operator: no payload, no secret."""
    return Err(Failure(kind, reason))


def refused(reason: str) -> Err[Failure]:
    return failure(FailureKind_Refused(), reason)


def perhaps_sent(reason: str) -> Err[Failure]:
    return failure(FailureKind_PerhapsSent(), reason)


def retry(reason: str, wait_ms: int | None = None) -> Err[Failure]:
    return failure(FailureKind_Retry(wait_ms), reason)


def segment(text: str) -> str:
    """Text as one segment of a path: nothing in it can lead elsewhere."""
    return quote(text, safe="")


@dataclass(frozen=True)
class Call:
    """A request through a slot, with a JSON body or none."""

    method: str
    slot: str
    path: str
    body: Any = None
    priority: http.Priority = http.Priority.NORMAL

    def request(self) -> http.Request:
        body = b"" if self.body is None else json.dumps(self.body).encode()
        headers = [] if self.body is None else [("content-type", "application/json; charset=utf-8")]
        return http.Request(self.slot, self.method, self.path, headers, body, None, self.priority)


def send(call: Call) -> http.Response:
    """Sends one request; the response of a platform that did what it was asked, else raises the failure that fits."""
    try:
        response = http.send(call.request())
    except Err as error:
        raise unsent(error.value) from None
    return accepted(response)


def send_all(calls: Sequence[Call]) -> list[http.Response | Err[Failure]]:
    """Sends all of them at once; for each its response, or the failure that fits."""
    results: list[http.Response | Err[Failure]] = []
    for start in range(0, len(calls), BATCH_MAX):
        for result in http.send_all([call.request() for call in calls[start : start + BATCH_MAX]]):
            results.append(judged(result.value) if isinstance(result, Ok) else unsent(result.value))
    return results


def loads(text: str) -> Any:
    """JSON from somebody else. Raises `ValueError` when it is none, or nested too deeply."""
    depth = 0
    for found in NESTING.finditer(text):
        match found[0]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
        if depth > DEPTH_MAX:
            raise ValueError("nested too deeply")
    return json.loads(text)


def read_json(response: http.Response) -> Any:
    """The body of a response. It may have been done when it cannot be read: the platform has answered."""
    try:
        return loads(response.body.decode())
    except ValueError:
        raise perhaps_sent("the response is not JSON") from None


def split(text: str, chars_max: int) -> list[str]:
    """The agent's text as parts of at most so many characters, cut between paragraphs, else lines, words, or anywhere."""
    parts: list[str] = []
    rest = text.strip()
    while len(rest) > chars_max and len(parts) < PARTS_MAX - 1:
        breaks = (rest.rfind(separator, 0, chars_max) for separator in ("\n\n", "\n", " "))
        # A break further forward than half of the part would leave many small parts.
        at = next((at for at in breaks if at >= chars_max // 2), chars_max)
        parts.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    if len(rest) > chars_max:
        rest = rest[: chars_max - 1] + "…"
    return [*parts, rest] if rest else parts


def accepted(response: http.Response) -> http.Response:
    result = judged(response)
    if isinstance(result, Err):
        raise result
    return result


def judged(response: http.Response) -> http.Response | Err[Failure]:
    reason = f"the platform answered {response.status}"
    match response.status:
        case status if 200 <= status < 300:
            return response
        case status if status in (408, 429) or status >= 500:
            return retry(reason, retry_after_ms(response))
        case 404 | 410:
            return failure(FailureKind_Gone(), reason)
        case _:
            return refused(reason)


def retry_after_ms(response: http.Response) -> int | None:
    value = dict(response.headers).get("retry-after", "").strip()
    # `isdecimal` alone takes the digits of every script.
    wait_ms = int(value) * 1000 if value.isascii() and value.isdecimal() and len(value) <= 9 else WAIT_MS_END
    return wait_ms if wait_ms < WAIT_MS_END else None


def unsent(error: http.Error) -> Err[Failure]:
    match error:
        case http.Error_Refused(reason):
            return refused(reason)
        case http.Error_RateLimited(wait_ms):
            return retry("waiting out a rate limit", wait_ms)
        case http.Error_Unreachable():
            return retry("the platform cannot be reached")
        case http.Error_TooLate():
            return retry("the hook's deadline has passed")
        case http.Error_PerhapsSent(reason):
            return perhaps_sent(reason)

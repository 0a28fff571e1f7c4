"""The one error of the client: what the server answered, or that it did not; and whether trying again may help."""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import Any, Dict, List, Mapping, Optional

# A server that asks for more patience than this gets the failure told instead.
LONGEST_ASKED = 60.0
FIRST_WAIT = 0.25
LONGEST_WAIT = 30.0

_CODES = {
    401: "unauthenticated",
    403: "permission_denied",
    404: "not_found",
    429: "resource_exhausted",
    502: "unavailable",
    503: "unavailable",
    504: "deadline_exceeded",
}


class SluiceError(Exception):
    """`code` is a code of the HTTP interface, or `no_answer`; `status` is 0 without an answer."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: Optional[Dict[str, Any]] = None,
        retry_after: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.details: Dict[str, Any] = details or {}
        self.retry_after = retry_after
        self.request_id = request_id

    @property
    def issues(self) -> List[Dict[str, Any]]:
        """Everything that is wrong with a request that was refused as `invalid_argument`."""
        issues = self.details.get("issues")
        return issues if isinstance(issues, list) else []


def no_answer(url: str, reason: object) -> SluiceError:
    return SluiceError("no_answer", f"There is no answer from {url} ({reason}).")


def reason_of(error: BaseException) -> str:
    return str(error) or type(error).__name__


def error_of(status: int, headers: Mapping[str, str], text: bytes) -> SluiceError:
    """The error in an answer with a bad status, also when a proxy answered in place of Sluice. Headers are in lower case."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        body = {}
    code, message, details = body.get("code"), body.get("message"), body.get("details")
    fallback = _CODES.get(status, "invalid_argument" if 400 <= status < 500 else "internal")
    return SluiceError(
        code if isinstance(code, str) else fallback,
        message if isinstance(message, str) else f"The server answered with status {status}.",
        status=status,
        details=details if isinstance(details, dict) else {},
        retry_after=_retry_after(headers.get("retry-after")),
        request_id=headers.get("x-request-id"),
    )


def _retry_after(header: Optional[str]) -> Optional[float]:
    """Seconds, or a date: proxies send both."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def is_passing(error: SluiceError, repeatable: bool) -> bool:
    """Whether the same request may go better later. What must not be done twice is repeated after a refusal alone."""
    asked = error.retry_after
    if error.code == "resource_exhausted":
        # Without a time it is a limit of the account, and waiting does not help.
        return asked is not None and asked <= LONGEST_ASKED
    if error.code == "unavailable":
        return (repeatable or error.status == 503) and (asked or 0) <= LONGEST_ASKED
    return error.code in ("no_answer", "deadline_exceeded") and repeatable


def wait_after(failures: int, error: SluiceError, random: float, first: float = FIRST_WAIT) -> float:
    """Seconds; spread, so that many clients do not come back at once."""
    if error.retry_after is not None:
        return max(error.retry_after, 0.1) * (1 + random / 10)
    # A larger exponent would overflow in a stream that fails for days.
    return min(first * 2.0 ** min(failures - 1, 20), LONGEST_WAIT) * (0.5 + random / 2)

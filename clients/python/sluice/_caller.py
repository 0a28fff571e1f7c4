"""What the generated methods call, and the requests that they become."""

from __future__ import annotations

import json
import secrets
from enum import Enum
from typing import Any, AsyncIterator, Dict, Iterator, Mapping, NamedTuple, Optional
from urllib.parse import urlencode

from ._api import ONCE, ROUTES
from ._error import SluiceError, no_answer


class Unset(Enum):
    """A field that is left out. None is sent as null."""

    UNSET = "UNSET"


UNSET = Unset.UNSET


class Request(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: Optional[bytes]
    repeatable: bool


class Caller:
    """An operation by its name, and its answer."""

    def _call(self, name: str, given: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Any:
        raise NotImplementedError

    def _pages(self, name: str, given: Mapping[str, Any]) -> Iterator[Any]:
        cursor = given.get("cursor", UNSET)
        while True:
            page = self._call(name, {**given, "cursor": cursor})
            yield page
            cursor = page.get("next_cursor")
            if cursor is None:
                return


class AsyncCaller:
    """The same to await."""

    async def _call(self, name: str, given: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Any:
        raise NotImplementedError

    async def _pages(self, name: str, given: Mapping[str, Any]) -> AsyncIterator[Any]:
        cursor = given.get("cursor", UNSET)
        while True:
            page = await self._call(name, {**given, "cursor": cursor})
            yield page
            cursor = page.get("next_cursor")
            if cursor is None:
                return


def request_of(name: str, given: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Request:
    values = {field: value for field, value in given.items() if value is not UNSET}
    method, path = ROUTES[name].split(" ")
    repeatable = name not in ONCE
    if method == "GET":
        return Request(method, path + query_string(values), {}, None, repeatable)
    if name == "pushEvents":
        lines = values.pop("lines")
        headers = {"Content-Type": "application/x-ndjson"}
        return Request(method, path + query_string(values), headers, str(lines).encode(), repeatable)
    headers = {"Content-Type": "application/json"}
    if name == "createRule":
        # With it, a rule whose answer was lost on the way is not made a second time.
        headers["Idempotency-Key"] = idempotency_key or secrets.token_hex(16)
    return Request(method, path, headers, json.dumps(values).encode(), repeatable)


def query_string(values: Mapping[str, Any]) -> str:
    texts = {name: _text(value) for name, value in values.items() if value is not None}
    return f"?{urlencode(texts)}" if texts else ""


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_json(url: str, status: int, text: bytes, is_bounded: bool) -> Any:
    """`is_bounded`: the head said how long the body is, so that a part of an answer is not taken for the whole."""
    try:
        return json.loads(text)
    except ValueError:
        if not is_bounded:
            raise no_answer(url, "the answer broke off") from None
        raise SluiceError(
            "internal", f"What {url} answers is not JSON: is it a Sluice server?", status=status
        ) from None

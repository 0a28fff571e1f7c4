"""HTTP/1.1 over asyncio's streams: one request, one connection."""

from __future__ import annotations

import asyncio
import ssl
from typing import AsyncIterator, Dict, Optional
from urllib.parse import SplitResult, urlsplit

from ._caller import Request
from ._error import no_answer, reason_of

LONGEST_HEAD = 64 * 1024
FAILURES = (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError, ValueError)


class Answer:
    """The head of an answer, and its body as it comes. Each wait has the time limit of the request."""

    def __init__(self, url: str, timeout: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.status = 0
        self.headers: Dict[str, str] = {}
        self._url = url
        self._timeout = timeout
        self._reader = reader
        self._writer = writer

    async def read_head(self) -> None:
        head = await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), self._timeout)
        first, *lines = head.decode("latin-1").split("\r\n")
        self.status = int(first.split(" ")[1])
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()

    @property
    def is_bounded(self) -> bool:
        return "content-length" in self.headers or "transfer-encoding" in self.headers

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            if "chunked" in self.headers.get("transfer-encoding", "").lower():
                async for chunk in self._chunked():
                    yield chunk
                return
            length = self.headers.get("content-length")
            left = None if length is None else int(length)
            while left is None or left > 0:
                chunk = await self._some(65_536 if left is None else min(left, 65_536))
                if chunk == b"" and left is not None:
                    raise EOFError("the answer broke off")
                if chunk == b"":
                    return
                left = None if left is None else left - len(chunk)
                yield chunk
        except FAILURES as error:
            raise no_answer(self._url, reason_of(error)) from error

    async def _chunked(self) -> AsyncIterator[bytes]:
        while True:
            line = await asyncio.wait_for(self._reader.readuntil(b"\r\n"), self._timeout)
            left = int(line.split(b";")[0], 16)
            if left == 0:
                return
            while left > 0:
                chunk = await self._some(min(left, 65_536))
                if chunk == b"":
                    raise EOFError("the answer broke off")
                left -= len(chunk)
                yield chunk
            await asyncio.wait_for(self._reader.readexactly(2), self._timeout)

    async def _some(self, most: int) -> bytes:
        return await asyncio.wait_for(self._reader.read(most), self._timeout)

    async def body(self) -> bytes:
        return b"".join([chunk async for chunk in self.chunks()])

    def close(self) -> None:
        # Nothing is left to send, so there is nothing to wait for.
        self._writer.transport.abort()


async def open_answer(url: str, request: Request, headers: Dict[str, str], timeout: float) -> Answer:
    """The answer once its head is there; a `SluiceError` where there is none."""
    parts = urlsplit(url)
    head = _head_of(parts, request, headers)
    secure: Optional[ssl.SSLContext] = ssl.create_default_context() if parts.scheme == "https" else None
    port = parts.port or (443 if secure else 80)
    try:
        opening = asyncio.open_connection(parts.hostname, port, ssl=secure, limit=LONGEST_HEAD)
        reader, writer = await asyncio.wait_for(opening, timeout)
    except FAILURES as error:
        raise no_answer(url, reason_of(error)) from error
    answer = Answer(url, timeout, reader, writer)
    try:
        writer.write(head + (request.body or b""))
        await asyncio.wait_for(writer.drain(), timeout)
        await answer.read_head()
        return answer
    except FAILURES as error:
        answer.close()
        raise no_answer(url, reason_of(error)) from error
    except BaseException:
        # A task that was cancelled leaves no connection behind.
        answer.close()
        raise


def _head_of(parts: SplitResult, request: Request, headers: Dict[str, str]) -> bytes:
    given = {"Host": parts.netloc.rpartition("@")[2], "Connection": "close", **headers, **request.headers}
    if request.method != "GET":
        given["Content-Length"] = str(len(request.body or b""))
    fields = [f"{name}: {value}" for name, value in given.items()]
    lines = [f"{request.method} {parts.path}{request.path} HTTP/1.1", *fields]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("The key and the headers of a request have no line breaks.")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")

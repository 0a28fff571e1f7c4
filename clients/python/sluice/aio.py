"""The client for asyncio."""

from __future__ import annotations

import asyncio
import random
from typing import Any, AsyncGenerator, AsyncIterator, Dict, Literal, Mapping, Optional, Union
from urllib.parse import urlsplit

from ._api import Match
from ._caller import AsyncCaller, Request, read_json, request_of
from ._error import SluiceError, error_of, is_passing, wait_after
from ._http import Answer, open_answer
from ._stream import IDLE_TIMEOUT, OnEvent, StreamState
from ._async import (
    AccountsCalls,
    EventsCalls,
    FeedsCalls,
    GrantsCalls,
    KeysCalls,
    MatchesCalls,
    RehearsalsCalls,
    RootCalls,
    RulesCalls,
    SilencesCalls,
    SourcesCalls,
    SubscriptionsCalls,
    ViewsCalls,
    WakesCalls,
    WebhooksCalls,
)


class AsyncTransport:
    """One request and its answer, over a connection of its own. Redirects are not followed: they could carry the key away."""

    def __init__(self, url: str, key: str, timeout: float, retries: int) -> None:
        self.url = url.rstrip("/")
        self.retries = retries
        self._timeout = timeout
        self._headers = {"Authorization": f"Bearer {key}"}
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{url} is not the address of a server: it begins with http:// or https://.")

    async def open(self, request: Request, idle: Optional[float] = None) -> Answer:
        answer = await open_answer(self.url, request, self._headers, idle or self._timeout)
        if 200 <= answer.status < 300:
            return answer
        try:
            raise error_of(answer.status, answer.headers, await answer.body())
        finally:
            answer.close()

    async def call(self, name: str, given: Mapping[str, Any], idempotency_key: Optional[str]) -> Any:
        request = request_of(name, given, idempotency_key)
        failures = 0
        while True:
            try:
                answer = await self.open(request)
                try:
                    return read_json(self.url, answer.status, await answer.body(), answer.is_bounded)
                finally:
                    answer.close()
            except SluiceError as error:
                failures += 1
                if failures > self.retries or not is_passing(error, request.repeatable):
                    raise
                await asyncio.sleep(wait_after(failures, error, random.random()))


class _Calls(AsyncCaller):
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _call(self, name: str, given: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Any:
        return await self._transport.call(name, given, idempotency_key)


class _Rules(_Calls, RulesCalls): ...


class _Rehearsals(_Calls, RehearsalsCalls): ...


class _Events(_Calls, EventsCalls): ...


class _Keys(_Calls, KeysCalls): ...


class _Grants(_Calls, GrantsCalls): ...


class _Subscriptions(_Calls, SubscriptionsCalls): ...


class _Feeds(_Calls, FeedsCalls): ...


class _Webhooks(_Calls, WebhooksCalls): ...


class _Views(_Calls, ViewsCalls): ...


class _Sources(_Calls, SourcesCalls): ...


class _Accounts(_Calls, AccountsCalls): ...


class _Wakes(_Calls, WakesCalls): ...


class _Silences(_Calls, SilencesCalls): ...


class AsyncMatchStream(AsyncIterator[Match]):
    """Matches as they are stored. `cursor` is after the last one that was handed out: another stream goes on there."""

    def __init__(self, calls: _Calls, state: StreamState, filters: Mapping[str, Any], idle_timeout: float) -> None:
        self._calls = calls
        self._state = state
        self._filters = filters
        self._idle = idle_timeout
        self._matches = self._run()

    @property
    def cursor(self) -> Optional[str]:
        return self._state.cursor

    async def __anext__(self) -> Match:
        return await self._matches.__anext__()

    async def aclose(self) -> None:
        """Ends the connection. Leaving an `async with` block does the same."""
        await self._matches.aclose()

    async def __aenter__(self) -> AsyncMatchStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _run(self) -> AsyncGenerator[Match, None]:
        transport = self._calls._transport
        if self._state.cursor is None:
            # Where it begins is settled first, so that a cut before the first match loses nothing.
            page = await self._calls._call("listMatches", {**self._filters, "limit": 1})
            self._state.cursor = str(page["latest_cursor"])
        while True:
            error = None
            try:
                headers = {"Accept": "text/event-stream"}
                answer = await transport.open(Request("GET", self._state.begin(), headers, None, True), self._idle)
                try:
                    async for chunk in answer.chunks():
                        events = self._state.events_in(chunk)
                        for event in events:
                            match = self._state.take(event)
                            if match is not None:
                                yield match
                        self._state.end_of_chunk(events)
                finally:
                    answer.close()
            except SluiceError as failed:
                error = failed
            await asyncio.sleep(self._state.wait_before_next(error, transport.retries, random.random()))


class _Matches(_Calls, MatchesCalls):
    def stream(
        self,
        *,
        rule_id: Optional[str] = None,
        platform: Optional[Literal["x", "firehose"]] = None,
        source: Optional[str] = None,
        cursor: Optional[str] = None,
        wake: Optional[Literal["match", "story"]] = None,
        at_most: Optional[str] = None,
        min_relevance: Optional[float] = None,
        quiet: Optional[str] = None,
        on_event: Optional[OnEvent] = None,
        idle_timeout: float = IDLE_TIMEOUT,
    ) -> AsyncMatchStream:
        """From now on, or after a cursor, without a gap and without a repeat."""
        filters: Dict[str, Union[str, None]] = {"rule_id": rule_id, "platform": platform, "source": source}
        contract = {"wake": wake, "at_most": at_most, "min_relevance": min_relevance, "quiet": quiet}
        given = {name: value for name, value in filters.items() if value is not None}
        state = StreamState({**filters, **contract}, cursor, on_event)
        return AsyncMatchStream(self, state, given, idle_timeout)


class AsyncClient(_Calls, RootCalls):
    """`timeout` is in seconds, for each step of an answer; `retries` says how often a failure that passes is tried again."""

    def __init__(self, url: str, key: str, *, timeout: float = 60.0, retries: int = 3) -> None:
        transport = AsyncTransport(url, key, timeout, retries)
        super().__init__(transport)
        self.rules = _Rules(transport)
        self.rehearsals = _Rehearsals(transport)
        self.matches = _Matches(transport)
        self.events = _Events(transport)
        self.keys = _Keys(transport)
        self.grants = _Grants(transport)
        self.subscriptions = _Subscriptions(transport)
        self.feeds = _Feeds(transport)
        self.webhooks = _Webhooks(transport)
        self.views = _Views(transport)
        self.sources = _Sources(transport)
        self.accounts = _Accounts(transport)
        self.wakes = _Wakes(transport)
        self.silences = _Silences(transport)

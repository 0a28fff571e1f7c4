"""The client that waits for each answer."""

from __future__ import annotations

import http.client
import random
import ssl
import time
from typing import Any, Dict, Generator, Iterator, Literal, Mapping, Optional, Union
from urllib.parse import urlsplit

from ._api import Match
from ._caller import Caller, Request, read_json, request_of
from ._error import SluiceError, error_of, is_passing, no_answer, reason_of, wait_after
from ._stream import IDLE_TIMEOUT, OnEvent, StreamState
from ._sync import (
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


class Transport:
    """One request and its answer, over a connection of its own. Redirects are not followed: they could carry the key away."""

    def __init__(self, url: str, key: str, timeout: float, retries: int) -> None:
        self.url = url.rstrip("/")
        self.retries = retries
        self._timeout = timeout
        # The answer then owns the socket, and closing the answer closes it.
        self._headers = {"Authorization": f"Bearer {key}", "Connection": "close"}
        self._parts = urlsplit(self.url)
        if self._parts.scheme not in ("http", "https") or self._parts.hostname is None:
            raise ValueError(f"{url} is not the address of a server: it begins with http:// or https://.")

    def open(self, request: Request, idle: Optional[float] = None) -> http.client.HTTPResponse:
        connection = self._connection(idle or self._timeout)
        try:
            headers = {**self._headers, **request.headers}
            connection.request(request.method, self._parts.path + request.path, request.body, headers)
            answer = connection.getresponse()
            if 200 <= answer.status < 300:
                return answer
            headers = {name.lower(): value for name, value in answer.getheaders()}
            with answer:
                raise error_of(answer.status, headers, answer.read())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise no_answer(self.url, reason_of(error)) from error

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=timeout)

    def read(self, answer: http.client.HTTPResponse) -> bytes:
        try:
            with answer:
                return answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise no_answer(self.url, reason_of(error)) from error

    def call(self, name: str, given: Mapping[str, Any], idempotency_key: Optional[str]) -> Any:
        request = request_of(name, given, idempotency_key)
        failures = 0
        while True:
            try:
                answer = self.open(request)
                # A head that was cut off looks whole here, but has lost the length.
                is_bounded = answer.length is not None or answer.getheader("transfer-encoding") is not None
                return read_json(self.url, answer.status, self.read(answer), is_bounded)
            except SluiceError as error:
                failures += 1
                if failures > self.retries or not is_passing(error, request.repeatable):
                    raise
                time.sleep(wait_after(failures, error, random.random()))


class _Calls(Caller):
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _call(self, name: str, given: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Any:
        return self._transport.call(name, given, idempotency_key)


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


class MatchStream(Iterator[Match]):
    """Matches as they are stored. `cursor` is after the last one that was handed out: another stream goes on there."""

    def __init__(self, transport: Transport, state: StreamState, idle_timeout: float) -> None:
        self._transport = transport
        self._state = state
        self._idle = idle_timeout
        self._matches = self._run()

    @property
    def cursor(self) -> Optional[str]:
        return self._state.cursor

    def __next__(self) -> Match:
        return next(self._matches)

    def close(self) -> None:
        """Ends the connection. Leaving a `with` block does the same."""
        self._matches.close()

    def __enter__(self) -> MatchStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> Generator[Match, None, None]:
        while True:
            error = None
            try:
                yield from self._connection()
            except SluiceError as failed:
                error = failed
            time.sleep(self._state.wait_before_next(error, self._transport.retries, random.random()))

    def _connection(self) -> Iterator[Match]:
        headers = {"Accept": "text/event-stream"}
        request = Request("GET", self._state.begin(), headers, None, True)
        with self._transport.open(request, self._idle) as answer:
            while True:
                try:
                    chunk = answer.read1(65_536)
                except (OSError, http.client.HTTPException) as error:
                    raise no_answer(self._transport.url, reason_of(error)) from error
                if chunk == b"":
                    return
                events = self._state.events_in(chunk)
                for event in events:
                    match = self._state.take(event)
                    if match is not None:
                        yield match
                self._state.end_of_chunk(events)


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
    ) -> MatchStream:
        """From now on, or after a cursor, without a gap and without a repeat."""
        filters: Dict[str, Union[str, None]] = {"rule_id": rule_id, "platform": platform, "source": source}
        if cursor is None:
            # Where it begins is settled here, so that a cut before the first match loses nothing.
            given = {name: value for name, value in filters.items() if value is not None}
            cursor = str(self._call("listMatches", {**given, "limit": 1})["latest_cursor"])
        contract = {"wake": wake, "at_most": at_most, "min_relevance": min_relevance, "quiet": quiet}
        return MatchStream(self._transport, StreamState({**filters, **contract}, cursor, on_event), idle_timeout)


class Client(_Calls, RootCalls):
    """`timeout` is in seconds, for each step of an answer; `retries` says how often a failure that passes is tried again."""

    def __init__(self, url: str, key: str, *, timeout: float = 60.0, retries: int = 3) -> None:
        transport = Transport(url, key, timeout, retries)
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

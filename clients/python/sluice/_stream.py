"""What both kinds of streams share: reading server-sent events, and where the next connection goes on."""

from __future__ import annotations

import codecs
import json
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, cast

from ._api import Match
from ._caller import query_string
from ._error import FIRST_WAIT, SluiceError, is_passing, wait_after

# Three heartbeats.
IDLE_TIMEOUT = 45.0
RETRY = 3.0

# Told of every event but matches: its name (`gap`, `coverage`, `alert`, `digest`) and what it says.
OnEvent = Callable[[str, Dict[str, Any]], None]


class ServerEvent(NamedTuple):
    event: str
    data: str
    id: str


class EventParser:
    """Bytes to events, however they are cut."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._event = ""
        self._data: List[str] = []
        self.last_id = ""
        self.retry: Optional[float] = None

    def feed(self, chunk: bytes) -> List[ServerEvent]:
        text = self._rest + self._decoder.decode(chunk)
        # A carriage return at the end may be the first half of a line's end.
        held = "\r" if text.endswith("\r") else ""
        lines = text[: len(text) - len(held)].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = lines.pop() + held
        return [event for event in map(self._line, lines) if event is not None]

    def _line(self, line: str) -> Optional[ServerEvent]:
        if line == "":
            event = ServerEvent(self._event or "message", "\n".join(self._data), self.last_id)
            is_whole = len(self._data) > 0
            self._event, self._data = "", []
            return event if is_whole else None
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            self._event = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self.last_id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value) / 1_000
        return None


class StreamState:
    """What the next connection needs to know of the ones before it."""

    def __init__(self, filters: Mapping[str, Any], cursor: Optional[str], on_event: Optional[OnEvent]) -> None:
        self.cursor = cursor
        self._filters = filters
        self._on_event = on_event
        self._failures = 0
        self._ever_opened = False
        self._retry = RETRY
        self._parser = EventParser()
        self._chunks = 0
        self._trouble = _ended()

    def begin(self) -> str:
        """The path of the next connection."""
        self._parser = EventParser()
        self._chunks = 0
        self._trouble = _ended()
        return "/matches/stream" + query_string({**self._filters, "cursor": self.cursor})

    def events_in(self, chunk: bytes) -> List[ServerEvent]:
        self._ever_opened = True
        self._chunks += 1
        return self._parser.feed(chunk)

    def take(self, event: ServerEvent) -> Optional[Match]:
        """A match is noted before it is handed out."""
        if event.event == "match":
            self.cursor = event.id
            self._failures = 0
            return cast(Match, json.loads(event.data))
        if event.event == "end":
            self._trouble = SluiceError("no_answer", str(json.loads(event.data).get("message")))
        elif self._on_event is not None:
            self._on_event(event.event, json.loads(event.data))
        return None

    def end_of_chunk(self, events: List[ServerEvent]) -> None:
        # Heartbeats carry ids too: where nothing matches for a month, the cursor is not a month old.
        if events:
            self.cursor = events[-1].id or self.cursor
        self._retry = self._parser.retry or self._retry
        # A server that greets and hangs up is in trouble; one that was there for a heartbeat was well.
        if self._chunks > 1:
            self._failures = 0

    def wait_before_next(self, error: Optional[SluiceError], retries: int, random: float) -> float:
        """Seconds until the next connection; raises what waiting does not mend."""
        trouble = error or self._trouble
        if error is not None and not is_passing(error, True):
            raise error
        self._failures += 1
        if not self._ever_opened and self._failures > retries:
            raise trouble
        return wait_after(self._failures, trouble, random, FIRST_WAIT if self._failures == 1 else self._retry / 2)


def _ended() -> SluiceError:
    return SluiceError("no_answer", "The server ended the stream.")

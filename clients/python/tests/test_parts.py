"""What needs no server."""

from __future__ import annotations

import json
import os
import re
import unittest
from typing import Any, Dict

from sluice import AsyncClient, Client, SluiceError, WebhookError, _async, _sync, verify_webhook
from sluice._error import error_of, is_passing, wait_after
from sluice._stream import EventParser

# Signed by the library of Standard Webhooks.
DELIVERY: Dict[str, Any] = json.loads(os.environ["SIGNED_DELIVERY"])


class Groups(unittest.TestCase):
    def test_both_clients_have_every_group_of_operations_that_is_printed(self) -> None:
        clients: "list[tuple[Any, Any]]" = [
            (Client("http://127.0.0.1:1", "key"), _sync),
            (AsyncClient("http://127.0.0.1:1", "key"), _async),
        ]
        for client, printed in clients:
            names = [name for name in vars(printed) if name.endswith("Calls") and name != "RootCalls"]
            self.assertGreater(len(names), 10)
            for name in names:
                attribute = re.sub("(?<!^)(?=[A-Z])", "_", name[: -len("Calls")]).lower()
                self.assertIsInstance(getattr(client, attribute, None), getattr(printed, name), name)

    def test_both_clients_stream_what_one_source_brought(self) -> None:
        clients: "list[Any]" = [Client("http://127.0.0.1:1", "key"), AsyncClient("http://127.0.0.1:1", "key")]
        for client in clients:
            stream = client.matches.stream(source="source_1", cursor="c")
            self.assertEqual(stream._state.begin(), "/matches/stream?source=source_1&cursor=c")


class Webhooks(unittest.TestCase):
    def verify(self, **changes: Any) -> Dict[str, Any]:
        given = {name: DELIVERY[name] for name in ("secret", "headers", "body")}
        return verify_webhook(**{**given, "now": DELIVERY["now"], **changes})

    def test_a_genuine_delivery_is_read(self) -> None:
        self.assertEqual(self.verify(), json.loads(DELIVERY["body"]))
        self.assertEqual(self.verify(body=DELIVERY["body"].encode()), json.loads(DELIVERY["body"]))
        upper = {name.title(): value for name, value in DELIVERY["headers"].items()}
        self.assertEqual(self.verify(headers=upper)["type"], "matches")

    def test_each_of_two_secrets_and_of_two_signatures_counts(self) -> None:
        self.assertTrue(self.verify(secret=["whsec_b3RoZXI=", DELIVERY["secret"]]))
        two = f"v1,AAAA {DELIVERY['headers']['webhook-signature']}"
        self.assertTrue(self.verify(headers={**DELIVERY["headers"], "webhook-signature": two}))

    def test_all_else_is_refused(self) -> None:
        headers = DELIVERY["headers"]
        changes: "list[Dict[str, Any]]" = [
            {"body": DELIVERY["body"] + " "},
            {"secret": "whsec_b3RoZXI="},
            {"now": DELIVERY["now"] + 301},
            {"now": DELIVERY["now"] - 301},
            {"headers": {}},
            {"headers": {**headers, "webhook-id": "dlv_2"}},
            {"headers": {**headers, "webhook-timestamp": "soon"}},
            {"headers": {**headers, "webhook-signature": "v1,"}},
            {"headers": {**headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,")}},
        ]
        for change in changes:
            with self.subTest(change), self.assertRaises(WebhookError):
                self.verify(**change)
        with self.assertRaises(ValueError):
            self.verify(secret="whsec_")


class Events(unittest.TestCase):
    TEXT = ': hi\nretry: 1500\r\nevent: match\nid: a\ndata: {"t":\r\ndata: "ü"}\n\nid: b\r\n\r\ndata:x\rid: c\r\r'.encode()

    def test_events_are_the_same_however_they_are_cut(self) -> None:
        for at in range(len(self.TEXT)):
            parser = EventParser()
            events = parser.feed(self.TEXT[:at]) + parser.feed(self.TEXT[at:]) + parser.feed(b"\n")
            self.assertEqual([tuple(one) for one in events], [("match", '{"t":\n"ü"}', "a"), ("message", "x", "c")], at)
            self.assertEqual(parser.retry, 1.5)


class Failures(unittest.TestCase):
    def test_only_what_may_pass_is_tried_again(self) -> None:
        def passing(code: str, repeatable: bool, **parts: Any) -> bool:
            return is_passing(SluiceError(code, "m", **parts), repeatable)

        self.assertTrue(passing("no_answer", True))
        self.assertFalse(passing("no_answer", False))
        self.assertTrue(passing("unavailable", False, status=503))
        self.assertFalse(passing("unavailable", False, status=502))
        self.assertFalse(passing("resource_exhausted", True))
        self.assertTrue(passing("resource_exhausted", False, retry_after=5))
        self.assertFalse(passing("resource_exhausted", False, retry_after=61))
        self.assertFalse(passing("invalid_argument", True))

    def test_waits_grow_to_a_limit_and_follow_the_server(self) -> None:
        error = SluiceError("unavailable", "m")
        self.assertEqual([wait_after(n, error, 1) for n in (1, 2, 3, 5_000)], [0.25, 0.5, 1, 30])
        self.assertEqual(wait_after(1, SluiceError("unavailable", "m", retry_after=7), 0), 7)

    def test_an_answer_of_a_proxy_is_a_failure_with_a_code(self) -> None:
        error = error_of(502, {"retry-after": "3"}, b"<html>")
        self.assertEqual((error.code, error.retry_after, error.status), ("unavailable", 3, 502))

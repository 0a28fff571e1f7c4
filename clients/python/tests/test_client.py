"""Both clients against the running server that SLUICE_URL and SLUICE_API_KEY name."""

from __future__ import annotations

import asyncio
import json
import os
import random
import unittest
from itertools import count
from typing import List, Optional

from sluice import AsyncClient, Client, SluiceError

from .cutting_proxy import CuttingProxy

URL = os.environ["SLUICE_URL"]
KEY = os.environ["SLUICE_API_KEY"]
client = Client(URL, KEY)
numbers = count(1)
words = count(1)


def new_rule() -> "tuple[str, str]":
    """A rule of its own word, so that tests do not see each other's matches."""
    word = f"lava{next(words)}"
    made = client.rules.create(name=word, intent="", platforms=["x"], overrides={"x": word})
    return made["rule_id"], word


def push(word: str, times: int) -> List[str]:
    ids = [str(next(numbers)) for _ in range(times)]
    lines = "\n".join(json.dumps({"data": {"id": one, "text": f"{word} ünïcödé"}}) for one in ids)
    assert client.events.push(platform="x", lines=lines)["accepted"] == times
    return ids


class Operations(unittest.TestCase):
    def test_a_rule_is_made_changed_listed_and_deleted(self) -> None:
        rule_id, word = new_rule()
        self.assertEqual(client.rules.get(rule_id=rule_id)["name"], word)
        self.assertTrue(client.rules.update(rule_id=rule_id, paused=True)["paused"])
        self.assertIn(rule_id, [rule["id"] for rule in client.rules.list()["rules"]])
        client.rules.delete(rule_id=rule_id)
        self.assertIn(rule_id, [rule["id"] for rule in client.rules.list(deleted=True)["rules"]])

    def test_a_failure_has_the_shape_of_the_server(self) -> None:
        with self.assertRaises(SluiceError) as refused:
            client.rules.create(name="n", intent="", platforms=["x"], overrides={"x": "lava AND magma"})
        self.assertEqual((refused.exception.code, refused.exception.status), ("invalid_argument", 400))
        self.assertEqual(refused.exception.issues[0]["path"], "overrides.x")
        self.assertIsNotNone(refused.exception.request_id)
        with self.assertRaises(SluiceError) as unknown:
            Client(URL, "wrong").status()
        self.assertEqual(unknown.exception.code, "unauthenticated")
        with self.assertRaises(SluiceError) as away:
            Client("http://127.0.0.1:1", KEY, retries=0).status()
        self.assertEqual((away.exception.code, away.exception.status), ("no_answer", 0))

    def test_pages_have_every_match_once(self) -> None:
        rule_id, word = new_rule()
        ids = push(word, 25)
        pages = list(client.matches.pages(rule_id=rule_id, limit=10))
        self.assertEqual([len(page["matches"]) for page in pages], [10, 10, 5])
        seen = [match["platform_post_id"] for page in pages for match in page["matches"]]
        self.assertEqual(seen, ids[::-1])

        async def all_of() -> List[str]:
            own = AsyncClient(URL, KEY)
            return [
                match["platform_post_id"]
                async for page in own.matches.pages(rule_id=rule_id, limit=10)
                for match in page["matches"]
            ]

        self.assertEqual(asyncio.run(all_of()), seen)


class LostAnswers(unittest.TestCase):
    """The request arrives, and its first answer is cut off."""

    def proxy(self, path: bytes) -> CuttingProxy:
        left = [1]

        def cut(first: bytes) -> Optional[int]:
            if path in first and left[0] > 0:
                left[0] -= 1
                return 20
            return None

        return CuttingProxy(URL, cut)

    def rules_named(self, name: str) -> int:
        return sum(rule["name"] == name for rule in client.rules.list()["rules"])

    def test_a_rule_is_asked_for_again_and_made_once(self) -> None:
        with self.proxy(b"api.CreateRule") as proxy:
            Client(proxy.url, KEY).rules.create(name="once", intent="", platforms=["x"], overrides={"x": "once"})
        self.assertEqual((proxy.cuts, self.rules_named("once")), (1, 1))

        async def make() -> None:
            with self.proxy(b"api.CreateRule") as own:
                rules = AsyncClient(own.url, KEY).rules
                await rules.create(name="once more", intent="", platforms=["x"], overrides={"x": "once"})
                self.assertEqual(own.cuts, 1)

        asyncio.run(make())
        self.assertEqual(self.rules_named("once more"), 1)

    def test_a_key_is_not_asked_for_again(self) -> None:
        before = len(client.keys.list()["keys"])
        with self.proxy(b"api.CreateKey") as proxy, self.assertRaises(SluiceError) as lost:
            Client(proxy.url, KEY).keys.create(name="lost", scope="read")
        self.assertEqual(lost.exception.code, "no_answer")
        self.assertEqual(len(client.keys.list()["keys"]), before + 1)


class Streams(unittest.TestCase):
    TIMES = 40

    def cutting(self, seed: int) -> CuttingProxy:
        """The first six connections of a stream are cut somewhere, also in the middle of a character."""
        chance = random.Random(seed)
        left = [6]

        def cut(first: bytes) -> Optional[int]:
            if b"/matches/stream" not in first or left[0] == 0:
                return None
            left[0] -= 1
            return chance.randrange(0, 6_000)

        return CuttingProxy(URL, cut)

    def test_a_stream_resumes_without_a_miss_and_without_a_repeat(self) -> None:
        rule_id, word = new_rule()
        with self.cutting(1) as proxy:
            with Client(proxy.url, KEY).matches.stream(rule_id=rule_id) as stream:
                ids = push(word, self.TIMES)
                seen = [next(stream)["platform_post_id"] for _ in ids]
                cursor = stream.cursor
        self.assertEqual(seen, ids)
        self.assertGreater(proxy.cuts, 1)
        more = push(word, 1)
        with client.matches.stream(rule_id=rule_id, cursor=cursor) as later:
            self.assertEqual(next(later)["platform_post_id"], more[0])

    def test_so_does_one_to_await(self) -> None:
        rule_id, word = new_rule()
        first = push(word, 1)
        cursor = client.matches.list(rule_id=rule_id)["latest_cursor"]
        ids = push(word, self.TIMES)

        async def read() -> List[str]:
            with self.cutting(2) as proxy:
                seen: List[str] = []
                async with AsyncClient(proxy.url, KEY).matches.stream(rule_id=rule_id, cursor=cursor) as stream:
                    async for match in stream:
                        seen.append(match["platform_post_id"])
                        if len(seen) == len(ids):
                            break
                self.assertGreater(proxy.cuts, 1)
                return seen

        self.assertEqual(asyncio.run(read()), ids)
        self.assertNotIn(first[0], ids)

    def test_one_to_await_begins_when_it_is_first_read(self) -> None:
        rule_id, word = new_rule()

        async def read() -> "tuple[str, str]":
            events: List[str] = []
            greeted = asyncio.Event()

            def on_event(name: str, _: object) -> None:
                events.append(name)
                greeted.set()

            stream = AsyncClient(URL, KEY).matches.stream(rule_id=rule_id, on_event=on_event)
            reading = asyncio.ensure_future(stream.__anext__())
            await greeted.wait()
            pushed = await asyncio.to_thread(push, word, 1)
            match = await reading
            await stream.aclose()
            self.assertEqual(events[0], "coverage")
            return match["platform_post_id"], pushed[0]

        seen, pushed = asyncio.run(read())
        self.assertEqual(seen, pushed)

    def test_what_waiting_does_not_mend_is_raised(self) -> None:
        with self.assertRaises(SluiceError) as refused:
            next(client.matches.stream(rule_id="rule_none", cursor="nonsense"))
        self.assertIn(refused.exception.code, ("invalid_argument", "not_found"))
        with self.assertRaises(SluiceError) as away:
            next(Client("http://127.0.0.1:1", KEY, retries=0).matches.stream(cursor="c"))
        self.assertEqual(away.exception.code, "no_answer")

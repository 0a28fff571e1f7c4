"""Verifies certificates of Sluice and the public log that they are in, with the standard library alone.

As a program, with no package installed:

    python3 clients/python/sluice/certificates.py FILE... [--key HEX] [--log URL [--head FILE]]
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

TITLES = ("sluice certificate 1", "sluice certificate 2")
HEAD_TITLE = "sluice certificate log 1"
INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
LARGEST_ANSWER = 1_000_000

# Ed25519 (RFC 8032).
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
Point = Tuple[int, int, int, int]


class CertificateError(Exception):
    """The certificate, the head or the proof is not what the holder of the key has issued."""


class LogForkError(CertificateError):
    """The log was changed, or there are two of them. Both heads are signed: they are the evidence."""

    def __init__(self, message: str, remembered: Mapping[str, Any], shown: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.remembered = remembered
        self.shown = shown


def _x_of(y: int, sign: int) -> Optional[int]:
    if y >= P:
        return None
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P != 0:
        x = x * ROOT % P
    if (x * x - xx) % P != 0 or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def _add(one: Point, other: Point) -> Point:
    """Points of the curve in extended coordinates (RFC 8032, 5.1.4)."""
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _times(number: int, point: Point) -> Point:
    total = (0, 1, 1, 0)
    while number > 0:
        if number & 1:
            total = _add(total, point)
        point = _add(point, point)
        number >>= 1
    return total


def _point_of(data: bytes) -> Optional[Point]:
    sign, y = divmod(int.from_bytes(data, "little"), 2**255)
    x = _x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


_GY = 4 * pow(5, P - 2, P) % P
_GX = _x_of(_GY, 0) or 0
_G = (_GX, _GY, 1, _GX * _GY % P)


def _check_signature(key: str, message: str, signature: str) -> None:
    secret, data = bytes.fromhex(signature), bytes.fromhex(key)
    a, r, s = _point_of(data), _point_of(secret[:32]), int.from_bytes(secret[32:], "little")
    if a is None or r is None or s >= L:
        raise CertificateError("the signature is not of this key")
    k = int.from_bytes(hashlib.sha512(secret[:32] + data + message.encode()).digest(), "little") % L
    left, right = _times(s, _G), _add(r, _times(k, a))
    if (left[0] * right[2] - right[0] * left[2]) % P != 0 or (left[1] * right[2] - right[1] * left[2]) % P != 0:
        raise CertificateError("the signature is not of this key")


def _entries_of(data: bytes) -> Tuple[List[Dict[str, Any]], str]:
    lines = data.decode("utf-8").split("\n")
    if len(lines) < 6 or lines[0] not in TITLES or lines[-1] != "":
        raise CertificateError("it does not begin and end as it must")
    key = re.fullmatch("key ([0-9a-f]{64})", lines[-3])
    signature = re.fullmatch("signature ([0-9a-f]{128})", lines[-2])
    if key is None or signature is None:
        raise CertificateError("it has no key and signature")
    digest = hashlib.sha256(lines[0].encode()).hexdigest()
    for line in lines[1:-3]:
        digest = hashlib.sha256((digest + " " + line[65:]).encode()).hexdigest()
        if line != digest + " " + line[65:]:
            raise CertificateError("a line is not what was signed")
    _check_signature(key[1], f"{lines[0]}\n{digest}\n", signature[1])
    return [json.loads(line[65:]) for line in lines[1:-3]], key[1]


def verify_certificate(data: bytes, key: Optional[str] = None) -> Tuple[str, Dict[str, Any], int]:
    """The key, the claim and the number of matches of a certificate that is genuine."""
    try:
        entries, signed_by = _entries_of(data)
        claim, matches = _check_entries(entries)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CertificateError(f"its lines are not those of a certificate ({error})") from None
    if key is not None and key.lower() != signed_by:
        raise CertificateError(f"it is signed with the key {signed_by}")
    return signed_by, claim, matches


def _check_entries(entries: List[Dict[str, Any]]) -> Tuple[Dict[str, Any], int]:
    claim, body, end = entries[0], entries[1:-1], entries[-1]
    of = {kind: [one for one in body if one["kind"] == kind] for kind in ("source", "gap", "match")}
    counts = {"sources": len(of["source"]), "gaps": len(of["gap"]), "matches": len(of["match"])}
    if claim["kind"] != "claim" or end != {"kind": "end", **counts} or sum(counts.values()) != len(body):
        raise CertificateError("its lines are not complete")
    times = [claim["from"], claim["to"], claim["issued_at"], *(one[name] for one in of["source"] for name in ("reads_since", "complete_through"))]
    if not all(_has_form(one, INSTANT) for one in times):
        raise CertificateError("its lines are not those of a certificate")
    marks = [(one.get("first_cursor") is None, one.get("last_cursor") is None, not one.get("events")) for one in of["source"]]
    if any(first != last or first and not empty for first, last, empty in marks):
        raise CertificateError("a source has events and no cursors")
    covers = [one["reads_since"] <= claim["from"] and one["complete_through"] >= claim["to"] for one in of["source"]]
    if not covers or not all(covers) or not all(gap["recovered"] is True for gap in of["gap"]):
        raise CertificateError("its sources do not cover the span")
    if not claim["from"] < claim["to"] <= claim["issued_at"]:
        raise CertificateError("its span is not in the past")
    return claim, counts["matches"]


def verify_head(head: Any, key: Optional[str] = None) -> Dict[str, Any]:
    """A head of any shape, once its signature is known to be right."""
    if not isinstance(head, dict):
        raise CertificateError("this is not the head of a log of certificates")
    size, root, at, public_key, signature = (head.get(name) for name in ("size", "root", "at", "public_key", "signature"))
    texts = ((root, r"[\w-]{43}"), (public_key, "[0-9a-f]{64}"), (signature, "[0-9a-f]{128}"))
    if not _is_count(size) or not all(_has_form(text, form) for text, form in texts) or not (at is None or _has_form(at, INSTANT)):
        raise CertificateError("this is not the head of a log of certificates")
    _check_signature(str(public_key), f"{HEAD_TITLE}\n{size}\n{root}\n{at or ''}\n", str(signature))
    if key is not None and key.lower() != public_key:
        raise CertificateError(f"it is signed with the key {public_key}")
    return {"size": size, "root": root, "at": at, "public_key": public_key, "signature": signature}


def verify_logged(data: bytes, log: Any, key: Optional[str] = None) -> Tuple[str, Dict[str, Any], int]:
    """Whether a certificate is genuine and in the log of its own key. `log` is what Certify answered with it."""
    verified = verify_certificate(data, key)
    if not isinstance(log, dict) or not _is_count(log.get("index")):
        raise CertificateError("this is no proof of a log of certificates")
    head = verify_head(log.get("head"), verified[0])
    if not _is_included(_leaf_hash(data), log["index"], head, _proof_of(log)):
        raise CertificateError(f"it is not certificate {log['index']} of the log")
    return verified


def verify_consistency(remembered: Any, shown: Any, proof: Sequence[str], key: Optional[str] = None) -> None:
    """Whether a head goes on from one that was remembered. `key` allows another key for the later head, and no others."""
    earlier, later = verify_head(remembered), verify_head(shown, key)
    hashes = _proof_of({"proof": proof})
    if key is None and later["public_key"] != earlier["public_key"]:
        problem = f"the log was signed with the key {earlier['public_key']}, and now is with {later['public_key']}"
    elif later["size"] < earlier["size"]:
        problem = f"the log had {earlier['size']} certificates, and now has {later['size']}"
    elif not _is_consistent(earlier, later, hashes):
        problem = f"the log of {later['size']} certificates does not begin with the {earlier['size']} that it had"
    else:
        return
    raise LogForkError(problem, earlier, later)


def _has_form(text: Any, form: str) -> bool:
    return isinstance(text, str) and re.fullmatch(form, text, re.ASCII) is not None


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**53


def _leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\0" + data).digest()


def _parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def _text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=")


def _proof_of(answer: Any) -> List[bytes]:
    proof = answer.get("proof") if isinstance(answer, dict) else None
    if not isinstance(proof, (list, tuple)):
        raise CertificateError("this is no proof of a log of certificates")
    if not all(_has_form(one, r"[\w-]{43}") for one in proof):
        raise CertificateError("this is no proof of a log of certificates")
    return [_bytes_of(one) for one in proof]


def _is_included(leaf: bytes, index: int, head: Mapping[str, Any], proof: Sequence[bytes]) -> bool:
    """RFC 9162, 2.1.3.2."""
    at, last, digest = index, head["size"] - 1, leaf
    if at > last:
        return False
    for other in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            digest = _parent(other, digest)
            while at != 0 and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            digest = _parent(digest, other)
        at, last = at >> 1, last >> 1
    return last == 0 and _text_of(digest) == head["root"]


def _is_consistent(earlier: Mapping[str, Any], later: Mapping[str, Any], proof: Sequence[bytes]) -> bool:
    """RFC 9162, 2.1.4.2."""
    if earlier["size"] == later["size"]:
        return not proof and earlier["root"] == later["root"]
    if earlier["size"] == 0:
        return not proof
    at, last = earlier["size"] - 1, later["size"] - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    path = [_bytes_of(earlier["root"]), *proof] if at == 0 else list(proof)
    if not path:
        return False
    old = new = path[0]
    for other in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old, new = _parent(other, old), _parent(other, new)
            while at != 0 and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            new = _parent(new, other)
        at, last = at >> 1, last >> 1
    return last == 0 and _text_of(old) == earlier["root"] and _text_of(new) == later["root"]


Get = Callable[[str], Any]


def log_at(url: str) -> Get:
    """Asks an installation at an address; the name of what is asked for follows `/certificates/`."""

    def get(name: str) -> Any:
        with urllib.request.urlopen(f"{url.rstrip('/')}/certificates/{name}", timeout=60) as answer:
            return json.loads(answer.read(LARGEST_ANSWER))

    return get


def check_log(get: Get, remembered: Sequence[Any] = (), key: Optional[str] = None) -> Dict[str, Any]:
    """The head of a log, once it goes on from the remembered ones. Remember it in their place."""
    shown = verify_head(get("head"), key)
    for earlier in remembered:
        size = verify_head(earlier)["size"]
        proof = get(f"proof?from={size}&to={shown['size']}")["proof"] if shown["size"] > size else []
        verify_consistency(earlier, shown, proof, key)
    return shown


def find_in_log(get: Get, data: bytes, head: Mapping[str, Any]) -> Dict[str, Any]:
    """The place of a certificate in the log of a head that was checked."""
    query = urllib.parse.urlencode({"leaf": _text_of(_leaf_hash(data)), "size": head["size"]})
    try:
        answer = get(f"proof?{query}")
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        raise CertificateError("it is not in the log") from None
    return {"index": answer.get("index"), "head": head, "proof": answer.get("proof")}


def _json_in(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _option(arguments: List[str], name: str) -> Optional[str]:
    if name not in arguments:
        return None
    at = arguments.index(name)
    value = arguments[at + 1]
    del arguments[at : at + 2]
    return value


def _logs(paths: Sequence[str]) -> Dict[str, Any]:
    return {path: _json_in(f"{path}.log.json") for path in paths if os.path.exists(f"{path}.log.json")}


def _judge(path: str, log: Any, get: Optional[Get], head: Optional[Dict[str, Any]], key: Optional[str]) -> str:
    with open(path, "rb") as file:
        data = file.read()
    if get is not None and head is not None:
        log = find_in_log(get, data, head)
    signed_by, claim, matches = verify_certificate(data, key) if log is None else verify_logged(data, log, key)
    place = "It was not looked up in the log." if log is None else f"It is certificate {log['index']} of the log."
    span = f"{claim['rule_id']} version {claim['rule_version']}, {claim['from']} to {claim['to']}: {matches} matches"
    erased = f", {claim['erased']} of the account erased since" if claim.get("erased") else ""
    return f"{span}{erased}. Key {signed_by}. {place}"


def main(paths: List[str]) -> int:
    key, url, saved = (_option(paths, name) for name in ("--key", "--log", "--head"))
    if not paths and url is None:
        print(__doc__)
        return 2
    head, get = None, None if url is None else log_at(url)
    failed = False
    try:
        logs = _logs(paths)
        if get is not None:
            remembered = [_json_in(saved)] if saved is not None and os.path.exists(saved) else []
            head = check_log(get, [*remembered, *(log["head"] for log in logs.values())], key)
            print(f"The log has {head['size']} certificates. Key {head['public_key']}.")
    except LogForkError as error:
        print(f"The log was changed: {error}.\nremembered {json.dumps(error.remembered)}\nshown {json.dumps(error.shown)}")
        return 1
    for path in paths:
        try:
            print(f"{path}: valid. {_judge(path, logs.get(path), get, head, key)}")
        except CertificateError as error:
            failed = True
            print(f"{path}: refused, {error}.")
    if head is not None and saved is not None:
        with open(saved, "w", encoding="utf-8") as file:
            json.dump(head, file)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (CertificateError, OSError, ValueError) as problem:
        print(f"refused, {problem}.")
        sys.exit(1)

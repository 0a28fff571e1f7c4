"""Verifies certificates of Sluice offline: python3 verify-certificate.py FILE... [--key HEX]. Standard library only."""
import hashlib, json, re, sys

TITLES = ("sluice certificate 1", "sluice certificate 2")
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)

def x_of(y, sign):
    if y >= P:
        return None
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P != 0:
        x = x * ROOT % P
    if (x * x - xx) % P != 0 or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x

def add(one, other):  # Points of the curve in extended coordinates (RFC 8032, 5.1.4).
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)

def times(number, point):
    total = (0, 1, 1, 0)
    while number > 0:
        if number & 1:
            total = add(total, point)
        point = add(point, point)
        number >>= 1
    return total

def point_of(data):
    sign, y = divmod(int.from_bytes(data, "little"), 2**255)
    x = x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)

GY = 4 * pow(5, P - 2, P) % P
G = (x_of(GY, 0), GY, 1, x_of(GY, 0) * GY % P)

def is_signed(key, message, signature):
    a, r, s = point_of(key), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = times(s, G), add(r, times(k, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0

def entries_of(data):
    lines = data.decode("utf-8").split("\n")
    if len(lines) < 6 or lines[0] not in TITLES or lines[-1] != "":
        raise ValueError("it does not begin and end as it must")
    key = re.fullmatch("key ([0-9a-f]{64})", lines[-3])
    signature = re.fullmatch("signature ([0-9a-f]{128})", lines[-2])
    if key is None or signature is None:
        raise ValueError("it has no key and signature")
    digest = hashlib.sha256(lines[0].encode()).hexdigest()
    for line in lines[1:-3]:
        digest = hashlib.sha256((digest + " " + line[65:]).encode()).hexdigest()
        if line != digest + " " + line[65:]:
            raise ValueError("a line is not what was signed")
    if not is_signed(bytes.fromhex(key[1]), f"{lines[0]}\n{digest}\n".encode(), bytes.fromhex(signature[1])):
        raise ValueError("the signature is not of this key")
    return [json.loads(line[65:]) for line in lines[1:-3]], key[1]

def verify(data):
    entries, key = entries_of(data)
    claim, body, end = entries[0], entries[1:-1], entries[-1]
    of = {kind: [one for one in body if one["kind"] == kind] for kind in ("source", "gap", "match")}
    if claim["kind"] != "claim" or end != {"kind": "end", **{kind + "s" if kind != "match" else "matches": len(of[kind]) for kind in of}}:
        raise ValueError("its lines are not complete")
    marks = [(one.get("first_cursor") is None, one.get("last_cursor") is None, not one.get("events")) for one in of["source"]]
    if any(first != last or first and not empty for first, last, empty in marks):
        raise ValueError("a source has events and no cursors")
    covers = [one["reads_since"] <= claim["from"] and one["complete_through"] >= claim["to"] for one in of["source"]]
    if sum(map(len, of.values())) != len(body) or not covers or not all(covers) or not all(gap["recovered"] is True for gap in of["gap"]):
        raise ValueError("its sources do not cover the span")
    if not claim["from"] < claim["to"] <= claim["issued_at"]:
        raise ValueError("its span is not in the past")
    return key, f'{claim["rule_id"]} version {claim["rule_version"]}, {claim["from"]} to {claim["to"]}: {end["matches"]} matches'

def main(arguments):
    wanted, failed = arguments.pop(arguments.index("--key") + 1) if "--key" in arguments else None, False
    for path in [one for one in arguments if one != "--key"]:
        try:
            with open(path, "rb") as file:
                key, words = verify(file.read())
            if wanted not in (None, key):
                raise ValueError("it is signed with another key")
            print(f"{path}: valid. {words}. Key {key}.")
        except Exception as error:
            failed = True
            print(f"{path}: refused, {error}.")
    return 1 if failed or not arguments else 0

sys.exit(main(sys.argv[1:]))

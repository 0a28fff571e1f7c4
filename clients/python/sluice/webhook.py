"""Verifies deliveries, as Standard Webhooks says."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Optional, Sequence, Union

TOLERANCE = 300


class WebhookError(Exception):
    """The request is not a delivery of Sluice, or is too old: answer 401."""


def verify_webhook(
    *,
    secret: Union[str, Sequence[str]],
    headers: Mapping[str, str],
    body: Union[str, bytes],
    tolerance: float = TOLERANCE,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """`body` is the request as it came. `secret` may be a list, while one secret takes over from another."""
    given = {name.lower(): value for name, value in headers.items()}
    delivery, timestamp, signatures = (given.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not delivery or not timestamp or not signatures:
        raise WebhookError("A header is missing: webhook-id, webhook-timestamp or webhook-signature.")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        raise WebhookError("The timestamp is no number of seconds.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookError(f"The timestamp is more than {tolerance:g} seconds off.")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{delivery}.{timestamp}.".encode() + raw
    keys = [_key_of(one) for one in ([secret] if isinstance(secret, str) else secret)]
    right = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    claimed = [part[3:].encode() for part in signatures.split() if part.startswith("v1,")]
    if not any(hmac.compare_digest(one, other) for one in right for other in claimed):
        raise WebhookError("No signature is right.")
    try:
        content = json.loads(raw)
    except ValueError:
        raise WebhookError("The body is not JSON.") from None
    if not isinstance(content, dict):
        raise WebhookError("The body is not a JSON object.")
    return content


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if key == b"":
        raise ValueError("The secret is not one of Sluice: it begins with whsec_.")
    return key

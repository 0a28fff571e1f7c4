"""The client of Sluice: every operation as a typed method, matches as a stream that resumes, deliveries verified."""

from ._api import Coverage, Delivery, Gap, Highlight, Match, Rule, Story, Webhook
from ._caller import UNSET
from ._error import SluiceError
from .aio import AsyncClient, AsyncMatchStream
from .client import Client, MatchStream
from .webhook import WebhookError, verify_webhook

__all__ = [
    "AsyncClient",
    "AsyncMatchStream",
    "Client",
    "Coverage",
    "Delivery",
    "Gap",
    "Highlight",
    "Match",
    "MatchStream",
    "Rule",
    "SluiceError",
    "Story",
    "UNSET",
    "Webhook",
    "WebhookError",
    "verify_webhook",
]

"""Every operation as a method. `npm run docs` prints this file from the server's own schemas: do not edit it."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Union, cast

from . import _api as api
from ._caller import Caller, UNSET, Unset

class RulesCalls(Caller):
    def create(
        self,
        *,
        name: str,
        intent: str,
        platforms: List[Literal["x", "firehose"]],
        overrides: api.CreateRuleInputOverrides,
        options: Union[api.CreateRuleInputOptions, Unset] = UNSET,
        alerts: Union[api.CreateRuleInputAlerts, Unset] = UNSET,
        idempotency_key: Union[str, None] = None,
    ) -> api.CreateRuleAnswer:
        """Create a rule."""
        return cast(api.CreateRuleAnswer, self._call("createRule", {"name": name, "intent": intent, "platforms": platforms, "overrides": overrides, "options": options, "alerts": alerts}, idempotency_key))

    def list(
        self,
        *,
        deleted: Union[bool, Unset] = UNSET,
    ) -> api.ListRulesAnswer:
        """List all rules."""
        return cast(api.ListRulesAnswer, self._call("listRules", {"deleted": deleted}))

    def get(
        self,
        *,
        rule_id: str,
    ) -> api.Rule:
        """Get one rule."""
        return cast(api.Rule, self._call("getRule", {"rule_id": rule_id}))

    def update(
        self,
        *,
        rule_id: str,
        name: Union[str, Unset] = UNSET,
        intent: Union[str, Unset] = UNSET,
        overrides: Union[api.UpdateRuleInputOverrides, Unset] = UNSET,
        options: Union[api.UpdateRuleInputOptions, Unset] = UNSET,
        paused: Union[bool, Unset] = UNSET,
        alerts: Union[api.UpdateRuleInputAlerts, Unset] = UNSET,
    ) -> api.Rule:
        """Change a rule."""
        return cast(api.Rule, self._call("updateRule", {"rule_id": rule_id, "name": name, "intent": intent, "overrides": overrides, "options": options, "paused": paused, "alerts": alerts}))

    def delete(
        self,
        *,
        rule_id: str,
    ) -> api.DeleteRuleAnswer:
        """Delete a rule."""
        return cast(api.DeleteRuleAnswer, self._call("deleteRule", {"rule_id": rule_id}))

    def restore(
        self,
        *,
        rule_id: str,
    ) -> api.Rule:
        """Restore a deleted rule."""
        return cast(api.Rule, self._call("restoreRule", {"rule_id": rule_id}))

    def overlap(
        self,
        *,
        rule_ids: Union[List[str], Unset] = UNSET,
        from_: Union[str, Unset] = UNSET,
        to: Union[str, Unset] = UNSET,
    ) -> api.RuleOverlapAnswer:
        """Compare what rules match."""
        return cast(api.RuleOverlapAnswer, self._call("ruleOverlap", {"rule_ids": rule_ids, "from": from_, "to": to}))

    def validate(
        self,
        *,
        platform: Literal["x", "firehose"],
        value: str,
        event: Union[Dict[str, Any], Unset] = UNSET,
        options: Union[api.ValidateRuleInputOptions, Unset] = UNSET,
    ) -> api.ValidateRuleAnswer:
        """Check a rule without creating it."""
        return cast(api.ValidateRuleAnswer, self._call("validateRule", {"platform": platform, "value": value, "event": event, "options": options}))

    def preview(
        self,
        *,
        platforms: List[Literal["x", "firehose"]],
        overrides: api.PreviewRuleInputOverrides,
        limit: Union[int, Unset] = UNSET,
        options: Union[api.PreviewRuleInputOptions, Unset] = UNSET,
        instead_of: Union[api.PreviewRuleInputInstead_of, Unset] = UNSET,
    ) -> api.PreviewRuleAnswer:
        """Try a rule on recent events."""
        return cast(api.PreviewRuleAnswer, self._call("previewRule", {"platforms": platforms, "overrides": overrides, "limit": limit, "options": options, "instead_of": instead_of}))

    def near_misses(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        value: Union[str, Unset] = UNSET,
        options: Union[api.NearMissesInputOptions, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
    ) -> api.NearMissesAnswer:
        """See what a rule nearly matched."""
        return cast(api.NearMissesAnswer, self._call("nearMisses", {"rule_id": rule_id, "platform": platform, "value": value, "options": options, "limit": limit}))

    def explain_event(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        value: Union[str, Unset] = UNSET,
        options: Union[api.ExplainEventInputOptions, Unset] = UNSET,
        event: Union[Dict[str, Any], Unset] = UNSET,
        text: Union[str, Unset] = UNSET,
        url: Union[str, Unset] = UNSET,
        event_id: Union[str, Unset] = UNSET,
    ) -> api.ExplainEventAnswer:
        """Explain why a rule missed an event."""
        return cast(api.ExplainEventAnswer, self._call("explainEvent", {"rule_id": rule_id, "platform": platform, "value": value, "options": options, "event": event, "text": text, "url": url, "event_id": event_id}))

    def draft(
        self,
        *,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        wanted: Union[List[Dict[str, Any]], Unset] = UNSET,
        unwanted: Union[List[Dict[str, Any]], Unset] = UNSET,
        rule_id: Union[str, Unset] = UNSET,
        intent: Union[str, Unset] = UNSET,
    ) -> api.DraftRuleAnswer:
        """Draft a rule from a sentence or examples."""
        return cast(api.DraftRuleAnswer, self._call("draftRule", {"platform": platform, "wanted": wanted, "unwanted": unwanted, "rule_id": rule_id, "intent": intent}))

    def suggest(
        self,
        *,
        rule_id: str,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
    ) -> api.SuggestChangesAnswer:
        """Suggest changes of a rule."""
        return cast(api.SuggestChangesAnswer, self._call("suggestChanges", {"rule_id": rule_id, "platform": platform}))

    def translate(
        self,
        *,
        platform: Literal["x", "firehose"],
        value: str,
    ) -> api.TranslateRuleAnswer:
        """Translate a rule into the other platform's language."""
        return cast(api.TranslateRuleAnswer, self._call("translateRule", {"platform": platform, "value": value}))

    def certify(
        self,
        *,
        rule_id: str,
        from_: str,
        to: str,
    ) -> api.CertifyAnswer:
        """Certify what matched, or that nothing did."""
        return cast(api.CertifyAnswer, self._call("certify", {"rule_id": rule_id, "from": from_, "to": to}))

    def syntax(
        self,
        *,
        platforms: Union[List[Literal["x", "firehose"]], Unset] = UNSET,
        form: Union[Literal["long", "short"], Unset] = UNSET,
    ) -> api.PlatformSyntaxAnswer:
        """Get the rule syntax of platforms."""
        return cast(api.PlatformSyntaxAnswer, self._call("platformSyntax", {"platforms": platforms, "form": form}))

    def values(
        self,
        *,
        platform: Literal["x", "firehose"],
        operator: str,
        prefix: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
    ) -> api.PlatformValuesAnswer:
        """Get the values that an operator accepts."""
        return cast(api.PlatformValuesAnswer, self._call("platformValues", {"platform": platform, "operator": operator, "prefix": prefix, "limit": limit}))

class RehearsalsCalls(Caller):
    def start(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platforms: Union[List[Literal["x", "firehose"]], Unset] = UNSET,
        overrides: Union[api.RehearseRuleInputOverrides, Unset] = UNSET,
        options: Union[api.RehearseRuleInputOptions, Unset] = UNSET,
        history: Union[Union[api.RehearseRuleInputHistory, api.RehearseRuleInputHistory2, api.RehearseRuleInputHistory3], Unset] = UNSET,
    ) -> api.RehearseRuleAnswer:
        """Try a rule on history."""
        return cast(api.RehearseRuleAnswer, self._call("rehearseRule", {"rule_id": rule_id, "platforms": platforms, "overrides": overrides, "options": options, "history": history}))

    def get(
        self,
        *,
        rehearsal_id: str,
    ) -> api.GetRehearsalAnswer:
        """Look at a rehearsal."""
        return cast(api.GetRehearsalAnswer, self._call("getRehearsal", {"rehearsal_id": rehearsal_id}))

    def list(self) -> api.ListRehearsalsAnswer:
        """List rehearsals."""
        return cast(api.ListRehearsalsAnswer, self._call("listRehearsals", {}))

    def cancel(
        self,
        *,
        rehearsal_id: str,
    ) -> api.CancelRehearsalAnswer:
        """Cancel a rehearsal."""
        return cast(api.CancelRehearsalAnswer, self._call("cancelRehearsal", {"rehearsal_id": rehearsal_id}))

class MatchesCalls(Caller):
    def list(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        story_id: Union[str, Unset] = UNSET,
        event_id: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        text: Union[str, Unset] = UNSET,
        author: Union[str, Unset] = UNSET,
        domain: Union[str, Unset] = UNSET,
        language: Union[str, Unset] = UNSET,
        source: Union[str, Unset] = UNSET,
        rating: Union[Literal["relevant", "irrelevant"], Unset] = UNSET,
        min_relevance: Union[float, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> api.ListMatchesAnswer:
        """List matches."""
        return cast(api.ListMatchesAnswer, self._call("listMatches", {"rule_id": rule_id, "platform": platform, "story_id": story_id, "event_id": event_id, "since": since, "until": until, "text": text, "author": author, "domain": domain, "language": language, "source": source, "rating": rating, "min_relevance": min_relevance, "limit": limit, "cursor": cursor}))

    def pages(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        story_id: Union[str, Unset] = UNSET,
        event_id: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        text: Union[str, Unset] = UNSET,
        author: Union[str, Unset] = UNSET,
        domain: Union[str, Unset] = UNSET,
        language: Union[str, Unset] = UNSET,
        source: Union[str, Unset] = UNSET,
        rating: Union[Literal["relevant", "irrelevant"], Unset] = UNSET,
        min_relevance: Union[float, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> Iterator[api.ListMatchesAnswer]:
        """List matches: answer after answer, until there are no more."""
        return cast(Iterator[api.ListMatchesAnswer], self._pages("listMatches", {"rule_id": rule_id, "platform": platform, "story_id": story_id, "event_id": event_id, "since": since, "until": until, "text": text, "author": author, "domain": domain, "language": language, "source": source, "rating": rating, "min_relevance": min_relevance, "limit": limit, "cursor": cursor}))

    def explain(
        self,
        *,
        match_id: str,
    ) -> api.ExplainMatchAnswer:
        """Explain a match."""
        return cast(api.ExplainMatchAnswer, self._call("explainMatch", {"match_id": match_id}))

    def counts(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        story_id: Union[str, Unset] = UNSET,
        event_id: Union[str, Unset] = UNSET,
        text: Union[str, Unset] = UNSET,
        author: Union[str, Unset] = UNSET,
        domain: Union[str, Unset] = UNSET,
        language: Union[str, Unset] = UNSET,
        source: Union[str, Unset] = UNSET,
        rating: Union[Literal["relevant", "irrelevant"], Unset] = UNSET,
        min_relevance: Union[float, Unset] = UNSET,
        rule_ids: Union[List[str], Unset] = UNSET,
        from_: Union[str, Unset] = UNSET,
        to: Union[str, Unset] = UNSET,
        interval: Union[Literal["minute", "hour", "day"], Unset] = UNSET,
    ) -> api.MatchCountsAnswer:
        """Count matches over time."""
        return cast(api.MatchCountsAnswer, self._call("matchCounts", {"rule_id": rule_id, "platform": platform, "story_id": story_id, "event_id": event_id, "text": text, "author": author, "domain": domain, "language": language, "source": source, "rating": rating, "min_relevance": min_relevance, "rule_ids": rule_ids, "from": from_, "to": to, "interval": interval}))

    def facets(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        story_id: Union[str, Unset] = UNSET,
        event_id: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        text: Union[str, Unset] = UNSET,
        author: Union[str, Unset] = UNSET,
        domain: Union[str, Unset] = UNSET,
        language: Union[str, Unset] = UNSET,
        source: Union[str, Unset] = UNSET,
        rating: Union[Literal["relevant", "irrelevant"], Unset] = UNSET,
        min_relevance: Union[float, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
    ) -> api.MatchFacetsAnswer:
        """Count matches by what they have in common."""
        return cast(api.MatchFacetsAnswer, self._call("matchFacets", {"rule_id": rule_id, "platform": platform, "story_id": story_id, "event_id": event_id, "since": since, "until": until, "text": text, "author": author, "domain": domain, "language": language, "source": source, "rating": rating, "min_relevance": min_relevance, "limit": limit}))

    def send(
        self,
        *,
        match_id: str,
        webhook_id: str,
    ) -> api.Delivery:
        """Send a match to a webhook."""
        return cast(api.Delivery, self._call("sendMatch", {"match_id": match_id, "webhook_id": webhook_id}))

    def rate(
        self,
        *,
        match_id: str,
        rating: Union[Literal["relevant", "irrelevant"], None],
    ) -> api.RateMatchAnswer:
        """Rate a match."""
        return cast(api.RateMatchAnswer, self._call("rateMatch", {"match_id": match_id, "rating": rating}))

    def delete(
        self,
        *,
        platform: Literal["x", "firehose"],
        platform_post_id: str,
        all_accounts: Union[bool, Unset] = UNSET,
        same_text: Union[bool, Unset] = UNSET,
    ) -> api.DeleteMatchesAnswer:
        """Erase a post."""
        return cast(api.DeleteMatchesAnswer, self._call("deleteMatches", {"platform": platform, "platform_post_id": platform_post_id, "all_accounts": all_accounts, "same_text": same_text}))

class EventsCalls(Caller):
    def push(
        self,
        *,
        platform: Literal["x", "firehose"],
        lines: str,
        ack: Union[Literal["stored", "log"], Unset] = UNSET,
    ) -> api.PushEventsAnswer:
        """Push events."""
        return cast(api.PushEventsAnswer, self._call("pushEvents", {"platform": platform, "lines": lines, "ack": ack}))

class KeysCalls(Caller):
    def create(
        self,
        *,
        name: str,
        scope: Union[Literal["full", "read", "ingest"], Unset] = UNSET,
        expires_at: Union[str, Unset] = UNSET,
    ) -> api.CreateKeyAnswer:
        """Create an API key."""
        return cast(api.CreateKeyAnswer, self._call("createKey", {"name": name, "scope": scope, "expires_at": expires_at}))

    def list(self) -> api.ListKeysAnswer:
        """List API keys."""
        return cast(api.ListKeysAnswer, self._call("listKeys", {}))

    def revoke(
        self,
        *,
        key_id: str,
    ) -> api.RevokeKeyAnswer:
        """Revoke an API key."""
        return cast(api.RevokeKeyAnswer, self._call("revokeKey", {"key_id": key_id}))

class GrantsCalls(Caller):
    def list(self) -> api.ListGrantsAnswer:
        """List connected agents."""
        return cast(api.ListGrantsAnswer, self._call("listGrants", {}))

    def revoke(
        self,
        *,
        grant_id: str,
    ) -> api.RevokeGrantAnswer:
        """Disconnect an agent."""
        return cast(api.RevokeGrantAnswer, self._call("revokeGrant", {"grant_id": grant_id}))

class SubscriptionsCalls(Caller):
    def list(self) -> api.ListSubscriptionsAnswer:
        """List subscriptions."""
        return cast(api.ListSubscriptionsAnswer, self._call("listSubscriptions", {}))

    def end(
        self,
        *,
        subscription_id: str,
    ) -> api.EndSubscriptionAnswer:
        """End a subscription."""
        return cast(api.EndSubscriptionAnswer, self._call("endSubscription", {"subscription_id": subscription_id}))

class WakesCalls(Caller):
    def list(
        self,
        *,
        webhook_id: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> api.ListWakesAnswer:
        """List wakes."""
        return cast(api.ListWakesAnswer, self._call("listWakes", {"webhook_id": webhook_id, "limit": limit, "cursor": cursor}))

    def pages(
        self,
        *,
        webhook_id: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> Iterator[api.ListWakesAnswer]:
        """List wakes: answer after answer, until there are no more."""
        return cast(Iterator[api.ListWakesAnswer], self._pages("listWakes", {"webhook_id": webhook_id, "limit": limit, "cursor": cursor}))

    def next(
        self,
        *,
        agent: str,
        wait_seconds: Union[int, Unset] = UNSET,
    ) -> api.NextWakeAnswer:
        """Wait for the next wake."""
        return cast(api.NextWakeAnswer, self._call("nextWake", {"agent": agent, "wait_seconds": wait_seconds}))

    def acknowledge(
        self,
        *,
        wake_id: str,
    ) -> api.AcknowledgeWakeAnswer:
        """Acknowledge a wake."""
        return cast(api.AcknowledgeWakeAnswer, self._call("acknowledgeWake", {"wake_id": wake_id}))

class FeedsCalls(Caller):
    def create(
        self,
        *,
        name: str,
        rule_id: Union[str, Unset] = UNSET,
        what: Union[Literal["matches", "stories"], Unset] = UNSET,
        template: Union[str, Unset] = UNSET,
    ) -> api.CreateFeedAnswer:
        """Create a feed."""
        return cast(api.CreateFeedAnswer, self._call("createFeed", {"name": name, "rule_id": rule_id, "what": what, "template": template}))

    def list(self) -> api.ListFeedsAnswer:
        """List feeds."""
        return cast(api.ListFeedsAnswer, self._call("listFeeds", {}))

    def delete(
        self,
        *,
        feed_id: str,
    ) -> api.DeleteFeedAnswer:
        """Delete a feed."""
        return cast(api.DeleteFeedAnswer, self._call("deleteFeed", {"feed_id": feed_id}))

class WebhooksCalls(Caller):
    def create(
        self,
        *,
        url: str,
        rule_ids: Union[List[str], Unset] = UNSET,
        platforms: Union[List[Literal["x", "firehose"]], Unset] = UNSET,
        sources: Union[List[str], Unset] = UNSET,
        description: Union[str, Unset] = UNSET,
        events: Union[List[Literal["match", "operational", "alert", "head"]], Unset] = UNSET,
        format: Union[Literal["json", "cloudevents", "cloudevents-batch", "cloudevents-binary", "slack", "discord", "telegram", "ntfy", "teams", "matrix", "email", "ndjson", "parquet", "wake", "a2a"], Unset] = UNSET,
        credential: Union[str, Unset] = UNSET,
        batch: Union[api.CreateWebhookInputBatch, Unset] = UNSET,
        wake: Union[Union[api.CreateWebhookInputWake, None], Unset] = UNSET,
        template: Union[Union[str, None], Unset] = UNSET,
        notices: Union[Union[api.CreateWebhookInputNotices, None], Unset] = UNSET,
    ) -> api.CreateWebhookAnswer:
        """Create a webhook."""
        return cast(api.CreateWebhookAnswer, self._call("createWebhook", {"url": url, "rule_ids": rule_ids, "platforms": platforms, "sources": sources, "description": description, "events": events, "format": format, "credential": credential, "batch": batch, "wake": wake, "template": template, "notices": notices}))

    def list(self) -> api.ListWebhooksAnswer:
        """List webhooks."""
        return cast(api.ListWebhooksAnswer, self._call("listWebhooks", {}))

    def update(
        self,
        *,
        webhook_id: str,
        url: Union[str, Unset] = UNSET,
        rule_ids: Union[Union[List[str], None], Unset] = UNSET,
        platforms: Union[Union[List[Literal["x", "firehose"]], None], Unset] = UNSET,
        sources: Union[Union[List[str], None], Unset] = UNSET,
        description: Union[str, Unset] = UNSET,
        events: Union[List[Literal["match", "operational", "alert", "head"]], Unset] = UNSET,
        format: Union[Literal["json", "cloudevents", "cloudevents-batch", "cloudevents-binary", "slack", "discord", "telegram", "ntfy", "teams", "matrix", "email", "ndjson", "parquet", "wake", "a2a"], Unset] = UNSET,
        credential: Union[Union[str, None], Unset] = UNSET,
        batch: Union[Union[api.UpdateWebhookInputBatch, None], Unset] = UNSET,
        wake: Union[Union[api.UpdateWebhookInputWake, None], Unset] = UNSET,
        template: Union[Union[str, None], Unset] = UNSET,
        notices: Union[Union[api.UpdateWebhookInputNotices, None], Unset] = UNSET,
        paused: Union[bool, Unset] = UNSET,
        rotate_secret: Union[bool, Unset] = UNSET,
    ) -> api.UpdateWebhookAnswer:
        """Change a webhook."""
        return cast(api.UpdateWebhookAnswer, self._call("updateWebhook", {"webhook_id": webhook_id, "url": url, "rule_ids": rule_ids, "platforms": platforms, "sources": sources, "description": description, "events": events, "format": format, "credential": credential, "batch": batch, "wake": wake, "template": template, "notices": notices, "paused": paused, "rotate_secret": rotate_secret}))

    def delete(
        self,
        *,
        webhook_id: str,
    ) -> api.DeleteWebhookAnswer:
        """Delete a webhook."""
        return cast(api.DeleteWebhookAnswer, self._call("deleteWebhook", {"webhook_id": webhook_id}))

    def test(
        self,
        *,
        webhook_id: str,
    ) -> api.TestWebhookAnswer:
        """Test a webhook."""
        return cast(api.TestWebhookAnswer, self._call("testWebhook", {"webhook_id": webhook_id}))

    def deliveries(
        self,
        *,
        webhook_id: Union[str, Unset] = UNSET,
        status: Union[Literal["pending", "delivered", "failed"], Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> api.ListDeliveriesAnswer:
        """List deliveries."""
        return cast(api.ListDeliveriesAnswer, self._call("listDeliveries", {"webhook_id": webhook_id, "status": status, "limit": limit, "cursor": cursor}))

    def deliveries_pages(
        self,
        *,
        webhook_id: Union[str, Unset] = UNSET,
        status: Union[Literal["pending", "delivered", "failed"], Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> Iterator[api.ListDeliveriesAnswer]:
        """List deliveries: answer after answer, until there are no more."""
        return cast(Iterator[api.ListDeliveriesAnswer], self._pages("listDeliveries", {"webhook_id": webhook_id, "status": status, "limit": limit, "cursor": cursor}))

    def redeliver(
        self,
        *,
        webhook_id: str,
        delivery_id: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
    ) -> api.RedeliverWebhookAnswer:
        """Redeliver."""
        return cast(api.RedeliverWebhookAnswer, self._call("redeliverWebhook", {"webhook_id": webhook_id, "delivery_id": delivery_id, "since": since}))

    def stats(
        self,
        *,
        webhook_id: str,
        from_: Union[str, Unset] = UNSET,
        to: Union[str, Unset] = UNSET,
    ) -> api.WebhookStatsAnswer:
        """Count the attempts of a webhook over time."""
        return cast(api.WebhookStatsAnswer, self._call("webhookStats", {"webhook_id": webhook_id, "from": from_, "to": to}))

    def rehearse(
        self,
        *,
        rule_ids: List[str],
        wake: api.RehearseWakeInputWake,
        from_: Union[str, Unset] = UNSET,
        to: Union[str, Unset] = UNSET,
    ) -> api.RehearseWakeAnswer:
        """Try a wake contract on the past."""
        return cast(api.RehearseWakeAnswer, self._call("rehearseWake", {"rule_ids": rule_ids, "wake": wake, "from": from_, "to": to}))

    def preview(
        self,
        *,
        format: Literal["slack", "discord", "telegram", "ntfy", "teams", "matrix", "email", "feed"],
        template: str,
        match_id: Union[str, Unset] = UNSET,
        digest: Union[bool, Unset] = UNSET,
    ) -> api.PreviewMessageAnswer:
        """Preview a message."""
        return cast(api.PreviewMessageAnswer, self._call("previewMessage", {"format": format, "template": template, "match_id": match_id, "digest": digest}))

class AccountsCalls(Caller):
    def suspend(
        self,
        *,
        account_id: str,
        reason: Union[str, Unset] = UNSET,
    ) -> api.SuspendAccountAnswer:
        """Suspend an account."""
        return cast(api.SuspendAccountAnswer, self._call("suspendAccount", {"account_id": account_id, "reason": reason}))

    def resume(
        self,
        *,
        account_id: str,
    ) -> api.ResumeAccountAnswer:
        """Resume a suspended account."""
        return cast(api.ResumeAccountAnswer, self._call("resumeAccount", {"account_id": account_id}))

    def set_limits(
        self,
        *,
        account_id: str,
        limits: api.SetAccountLimitsInputLimits,
    ) -> api.SetAccountLimitsAnswer:
        """Set limits of one account."""
        return cast(api.SetAccountLimitsAnswer, self._call("setAccountLimits", {"account_id": account_id, "limits": limits}))

    def usage(
        self,
        *,
        by: Union[Literal["cpu_ms", "bytes_in", "events", "matches", "requests", "turns"], Unset] = UNSET,
        minutes: Union[int, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        account_id: Union[str, Unset] = UNSET,
    ) -> api.ListUsageAnswer:
        """List what accounts use."""
        return cast(api.ListUsageAnswer, self._call("listUsage", {"by": by, "minutes": minutes, "limit": limit, "account_id": account_id}))

class SourcesCalls(Caller):
    def discover(
        self,
        *,
        url: str,
    ) -> api.DiscoverSourceAnswer:
        """Find the sources at an address."""
        return cast(api.DiscoverSourceAnswer, self._call("discoverSource", {"url": url}))

    def create(
        self,
        *,
        kind: str,
        name: str,
        options: Dict[str, Any],
        platforms: Union[List[Literal["x", "firehose"]], Unset] = UNSET,
        paused: Union[bool, Unset] = UNSET,
    ) -> api.CreateSourceAnswer:
        """Add a source."""
        return cast(api.CreateSourceAnswer, self._call("createSource", {"kind": kind, "name": name, "options": options, "platforms": platforms, "paused": paused}))

    def list(self) -> api.ListSourcesAnswer:
        """List sources."""
        return cast(api.ListSourcesAnswer, self._call("listSources", {}))

    def get(
        self,
        *,
        source_id: str,
    ) -> api.GetSourceAnswer:
        """Get a source."""
        return cast(api.GetSourceAnswer, self._call("getSource", {"source_id": source_id}))

    def update(
        self,
        *,
        source_id: str,
        name: Union[str, Unset] = UNSET,
        options: Union[Dict[str, Any], Unset] = UNSET,
        platforms: Union[List[Literal["x", "firehose"]], Unset] = UNSET,
        paused: Union[bool, Unset] = UNSET,
    ) -> api.UpdateSourceAnswer:
        """Change a source."""
        return cast(api.UpdateSourceAnswer, self._call("updateSource", {"source_id": source_id, "name": name, "options": options, "platforms": platforms, "paused": paused}))

    def delete(
        self,
        *,
        source_id: str,
    ) -> api.DeleteSourceAnswer:
        """Delete a source."""
        return cast(api.DeleteSourceAnswer, self._call("deleteSource", {"source_id": source_id}))

    def test(
        self,
        *,
        kind: str,
        options: Dict[str, Any],
        platforms: Union[List[Literal["x", "firehose"]], Unset] = UNSET,
    ) -> api.TestSourceAnswer:
        """Test a source."""
        return cast(api.TestSourceAnswer, self._call("testSource", {"kind": kind, "options": options, "platforms": platforms}))

class ViewsCalls(Caller):
    def create(
        self,
        *,
        name: str,
        query: str,
    ) -> api.CreateViewAnswer:
        """Save a view."""
        return cast(api.CreateViewAnswer, self._call("createView", {"name": name, "query": query}))

    def list(self) -> api.ListViewsAnswer:
        """List saved views."""
        return cast(api.ListViewsAnswer, self._call("listViews", {}))

    def delete(
        self,
        *,
        view_id: str,
    ) -> api.DeleteViewAnswer:
        """Delete a saved view."""
        return cast(api.DeleteViewAnswer, self._call("deleteView", {"view_id": view_id}))

class SilencesCalls(Caller):
    def create(
        self,
        *,
        until: str,
        reason: str,
        rule_ids: Union[Union[List[str], None], Unset] = UNSET,
        source_ids: Union[Union[List[str], None], Unset] = UNSET,
        story_id: Union[Union[str, None], Unset] = UNSET,
        author: Union[Union[str, None], Unset] = UNSET,
        text: Union[Union[str, None], Unset] = UNSET,
    ) -> api.CreateSilenceAnswer:
        """Silence matches for a time."""
        return cast(api.CreateSilenceAnswer, self._call("createSilence", {"until": until, "reason": reason, "rule_ids": rule_ids, "source_ids": source_ids, "story_id": story_id, "author": author, "text": text}))

    def list(self) -> api.ListSilencesAnswer:
        """List silences."""
        return cast(api.ListSilencesAnswer, self._call("listSilences", {}))

    def end(
        self,
        *,
        silence_id: str,
    ) -> api.EndSilenceAnswer:
        """End a silence."""
        return cast(api.EndSilenceAnswer, self._call("endSilence", {"silence_id": silence_id}))

class RootCalls(Caller):
    def status(self) -> api.StatusAnswer:
        """Status of the account and the service."""
        return cast(api.StatusAnswer, self._call("status", {}))

    def demo(
        self,
        *,
        playing: Union[bool, Unset] = UNSET,
    ) -> api.SetDemoAnswer:
        """Start or stop the demo feed."""
        return cast(api.SetDemoAnswer, self._call("setDemo", {"playing": playing}))

    def changes(
        self,
        *,
        kind: Union[Literal["rule", "webhook", "key", "grant", "account", "feed", "view", "source", "silence", "session", "subscription", "post"], Unset] = UNSET,
        id: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> api.ListChangesAnswer:
        """List changes."""
        return cast(api.ListChangesAnswer, self._call("listChanges", {"kind": kind, "id": id, "since": since, "until": until, "limit": limit, "cursor": cursor}))

    def changes_pages(
        self,
        *,
        kind: Union[Literal["rule", "webhook", "key", "grant", "account", "feed", "view", "source", "silence", "session", "subscription", "post"], Unset] = UNSET,
        id: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> Iterator[api.ListChangesAnswer]:
        """List changes: answer after answer, until there are no more."""
        return cast(Iterator[api.ListChangesAnswer], self._pages("listChanges", {"kind": kind, "id": id, "since": since, "until": until, "limit": limit, "cursor": cursor}))

    def stories(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> api.ListStoriesAnswer:
        """List stories."""
        return cast(api.ListStoriesAnswer, self._call("listStories", {"rule_id": rule_id, "platform": platform, "since": since, "until": until, "limit": limit, "cursor": cursor}))

    def stories_pages(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        platform: Union[Literal["x", "firehose"], Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> Iterator[api.ListStoriesAnswer]:
        """List stories: answer after answer, until there are no more."""
        return cast(Iterator[api.ListStoriesAnswer], self._pages("listStories", {"rule_id": rule_id, "platform": platform, "since": since, "until": until, "limit": limit, "cursor": cursor}))

    def alerts(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> api.ListAlertsAnswer:
        """List alerts."""
        return cast(api.ListAlertsAnswer, self._call("listAlerts", {"rule_id": rule_id, "limit": limit, "cursor": cursor}))

    def alerts_pages(
        self,
        *,
        rule_id: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
    ) -> Iterator[api.ListAlertsAnswer]:
        """List alerts: answer after answer, until there are no more."""
        return cast(Iterator[api.ListAlertsAnswer], self._pages("listAlerts", {"rule_id": rule_id, "limit": limit, "cursor": cursor}))

    def create_session(self) -> api.CreateSessionAnswer:
        """Open a console session."""
        return cast(api.CreateSessionAnswer, self._call("createSession", {}))

    def create_stream_ticket(self) -> api.CreateStreamTicketAnswer:
        """Get a ticket for the stream."""
        return cast(api.CreateStreamTicketAnswer, self._call("createStreamTicket", {}))

    def create_entry_ticket(self) -> api.CreateEntryTicketAnswer:
        """Get a one-time link to the console."""
        return cast(api.CreateEntryTicketAnswer, self._call("createEntryTicket", {}))

/** The shapes that have a name in the descriptions of the interface, so that generated clients have a type for each. */
import type { z } from 'zod';
import { assessment, coverage, listedGap } from '../service/operations/coverage.ts';
import { fit } from '../service/operations/draft-rule.ts';
import { part } from '../service/operations/explain-match.ts';
import { listedFeed } from '../service/operations/feeds.ts';
import { listedGrant } from '../service/operations/grants.ts';
import { listedKey } from '../service/operations/keys.ts';
import { listedAlert } from '../service/operations/list-alerts.ts';
import { listedChange } from '../service/operations/list-changes.ts';
import { listedStory } from '../service/operations/list-stories.ts';
import { clause } from '../service/operations/near-misses.ts';
import { found, preview } from '../service/operations/preview-rule.ts';
import { instance, platformStatus, sourceStatus } from '../service/operations/status.ts';
import { listedSubscription } from '../service/operations/subscriptions.ts';
import { suggestion } from '../service/operations/suggestion-shapes.ts';
import { operatorHelp, syntaxHelp } from '../service/operations/syntax.ts';
import { tally } from '../service/operations/translate-rule.ts';
import { remark } from '../service/operations/validate-rule.ts';
import { listedAttempt, listedDelivery, listedWebhook } from '../service/operations/webhook-shapes.ts';
import { fix, highlight, listedMatch, listedPlatform, listedRule, position } from '../service/shapes.ts';

export const NAMED_SHAPES = {
  Rule: listedRule,
  PlatformRule: listedPlatform,
  Match: listedMatch,
  Highlight: highlight,
  Story: listedStory,
  Coverage: coverage,
  Assessment: assessment,
  Gap: listedGap,
  Alert: listedAlert,
  Diagnostic: remark,
  Position: position,
  Fix: fix,
  ExplainedPart: part,
  Preview: preview,
  RecentEvent: found,
  MissedClause: clause,
  Suggestion: suggestion,
  Tally: tally,
  Fit: fit,
  SyntaxHelp: syntaxHelp,
  OperatorHelp: operatorHelp,
  Webhook: listedWebhook,
  Delivery: listedDelivery,
  Attempt: listedAttempt,
  Feed: listedFeed,
  Key: listedKey,
  Grant: listedGrant,
  Subscription: listedSubscription,
  Change: listedChange,
  PlatformStatus: platformStatus,
  Source: sourceStatus,
  Instance: instance,
} satisfies Record<string, z.ZodType>;

/** The shapes that have a name in the descriptions of the interface, so that generated clients have a type for each. */
import type { z } from 'zod';
import { listedGrant } from '../service/agents/grants.ts';
import { listedSubscription } from '../service/agents/subscriptions.ts';
import { assessment, coverage, listedGap } from '../service/coverage/coverage-shapes.ts';
import { listedKey } from '../service/keys/keys.ts';
import { listedChange } from '../service/keys/list-changes.ts';
import { certificateHead, loggedCertificate } from '../service/matches/certificate-log.ts';
import { listedFeed } from '../service/matches/feeds.ts';
import { listedAlert } from '../service/matches/list-alerts.ts';
import { listedStory } from '../service/matches/list-stories.ts';
import { clause } from '../service/previews/near-misses.ts';
import { found, preview } from '../service/previews/preview-rule.ts';
import { tally } from '../service/previews/translate-rule.ts';
import { remark } from '../service/previews/validate-rule.ts';
import { part } from '../service/rules/explanation.ts';
import { operatorHelp, syntaxHelp } from '../service/rules/syntax.ts';
import { fix, highlight, listedMatch, listedPlatform, listedRule, position } from '../service/shapes.ts';
import { instance, platformStatus, sourceStatus } from '../service/status/status.ts';
import { fit } from '../service/suggestions/draft-rule.ts';
import { suggestion } from '../service/suggestions/suggestion-shapes.ts';
import { listedAttempt, listedDelivery, listedWebhook } from '../service/webhooks/webhook-shapes.ts';

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
  CertificateHead: certificateHead,
  LoggedCertificate: loggedCertificate,
  Key: listedKey,
  Grant: listedGrant,
  Subscription: listedSubscription,
  Change: listedChange,
  PlatformStatus: platformStatus,
  Source: sourceStatus,
  Instance: instance,
} satisfies Record<string, z.ZodType>;

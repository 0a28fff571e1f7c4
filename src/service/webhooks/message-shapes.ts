/** The schemas of what Sluice sends by itself: events of the stream, deliveries to webhooks, and events for agents. */
import { z } from 'zod';
import { END_REASONS } from '../../delivery/live/frames.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { type EVENT_NAMES, NOTICE_TYPES } from '../../domain/webhook.ts';
import { assessment, listedGap } from '../coverage/coverage-shapes.ts';
import { certificateHead } from '../matches/certificate-log.ts';
import { listedAlert } from '../matches/list-alerts.ts';
import { listedMatch, time } from '../shapes.ts';
import { EVENT_TYPES } from './event-types.ts';

const digestStory = z.object({
  story_id: z.string().nullable(),
  title: z.string().describe('The title of one of its matches; empty when none of them has one.'),
  url: z.string().nullable(),
  size: z.int().describe('Held matches of the story.'),
  first_at: time,
  last_at: time,
  platforms: z.array(z.enum(PLATFORMS)),
  by: z.array(z.string()).describe('Authors and sites.'),
  rules: z.array(z.object({ id: z.string(), name: z.string() })),
  links: z.array(z.string()).describe('Addresses of further matches.'),
  match_ids: z.array(z.string()).describe('The newest of its matches.'),
  silenced_by: z.array(z.string()).optional().describe('The silences that held some of its matches, by their ids.'),
});

const sentDigest = z
  .object({
    since: time.describe('List Matches with `since` and `until` has all that was held.'),
    until: time,
    match_count: z.int(),
    story_count: z.int(),
    stories: z.array(digestStory).describe('The newest ones; all are counted.'),
  })
  .describe('What a wake contract held.');

const streamEnd = z.object({
  reason: z.enum(END_REASONS),
  message: z.string().describe('The reason in a sentence, with what to do.'),
});

/** The events of the stream by name; each shape is that of its `data`. */
export const STREAM_EVENTS = {
  match: listedMatch,
  gap: listedGap,
  alert: listedAlert,
  coverage: assessment,
  digest: sentDigest,
  end: streamEnd,
} satisfies Record<string, z.ZodType>;

const operationalEvent = z.object({
  type: z.enum(NOTICE_TYPES),
  at: time,
  message: z.string().describe('In a sentence or two, with what to do.'),
  about: z.union([
    z.object({ webhook_id: z.string() }),
    z.object({ platform: z.enum(PLATFORMS) }),
    z.object({ rule_id: z.string() }),
    z.object({ source_id: z.string() }),
    z.object({ limit: z.string() }),
  ]),
});

const delivery = <Type extends string>(type: Type) => z.object({ type: z.literal(type), webhook_id: z.string() });
const noMatches = z
  .array(listedMatch)
  .max(0)
  .describe('There for receivers that go through the matches of every delivery.');

/** The deliveries to a webhook of format `json`, by their type. */
export const DELIVERIES = {
  matches: delivery('matches').extend({
    wake: z.literal(true).optional().describe('With a wake contract: these matches wake. Absent without one.'),
    because: z.string().optional().describe('Why, where several matches decided it: "5 authors in 7 minutes".'),
    matches: z.array(listedMatch),
  }),
  test: delivery('test').extend({ matches: z.array(listedMatch).describe('One invented match.') }),
  digest: delivery('digest').extend({ wake: z.literal(false), matches: noMatches, digest: sentDigest }),
  operational: delivery('operational').extend({ matches: noMatches, event: operationalEvent }),
  alert: delivery('alert').extend({ matches: noMatches, alert: listedAlert }),
  head: delivery('head').extend({ matches: noMatches, head: certificateHead }),
} satisfies Record<string, z.ZodType>;

const cloudEvent = <Type extends string>(types: readonly [Type, ...Type[]], data: z.ZodType) =>
  z.object({
    specversion: z.literal('1.0'),
    id: z.string().describe('With `source`, the same for every attempt and every webhook.'),
    source: z.string().describe('What it is about, as a path: a rule, a webhook or a platform.'),
    type: z.enum(types),
    time,
    subject: z.string().optional(),
    datacontenttype: z.literal('application/json'),
    dataschema: z
      .url()
      .optional()
      .describe('The schema of `data`. Absent where the server does not know its public address.'),
    data,
  });

/** The `data` of CloudEvents, by kind. A test is a match of another type. */
export const CLOUD_DATA = {
  match: listedMatch,
  digest: DELIVERIES.digest,
  operational: DELIVERIES.operational,
  alert: DELIVERIES.alert,
  head: DELIVERIES.head,
} satisfies Record<string, z.ZodType>;

const CLOUD_TYPES = {
  match: ['sluice.match.created', 'sluice.webhook.test'],
  digest: ['sluice.digest.written'],
  operational: [
    'sluice.webhook.failing',
    'sluice.webhook.disabled',
    'sluice.budget.near',
    'sluice.budget.spent',
    'sluice.budget.restored',
    'sluice.limit.near',
    'sluice.limit.reached',
    'sluice.limit.cleared',
    'sluice.token.refused',
    'sluice.rules.gone',
    'sluice.rules.back',
    'sluice.wake.expired',
    'sluice.source.failing',
    'sluice.source.moved',
    'sluice.source.recovered',
  ],
  alert: ['sluice.alert.raised', 'sluice.alert.ended'],
  head: ['sluice.head.signed'],
} as const satisfies Record<keyof typeof CLOUD_DATA, readonly [string, ...string[]]>;

/** The deliveries to a webhook of format `cloudevents`, by kind. */
export const CLOUD_EVENTS = {
  match: cloudEvent(CLOUD_TYPES.match, CLOUD_DATA.match),
  digest: cloudEvent(CLOUD_TYPES.digest, CLOUD_DATA.digest),
  operational: cloudEvent(CLOUD_TYPES.operational, CLOUD_DATA.operational),
  alert: cloudEvent(CLOUD_TYPES.alert, CLOUD_DATA.alert),
  head: cloudEvent(CLOUD_TYPES.head, CLOUD_DATA.head),
} satisfies Record<string, z.ZodType>;

/** The deliveries to a webhook of format `cloudevents-batch`: matches together, anything else alone. */
export const CLOUD_BATCH = { events: z.array(z.union(Object.values(CLOUD_EVENTS))).min(1) };

const agentEvent = (name: (typeof EVENT_NAMES)[number], data: z.ZodType) =>
  z.object({
    eventId: z.string().describe('The same for every attempt and every replay.'),
    name: z.literal(name),
    timestamp: time,
    data,
    cursor: z.string().nullable().describe('Where to go on after a new subscription.'),
  });

/** The deliveries to an agent that subscribed with `events/subscribe`: events by their name, and messages about the subscription. */
export const AGENT_MESSAGES = {
  ...Object.fromEntries(EVENT_TYPES.map(({ name, payload }) => [name, agentEvent(name, payload)])),
  verification: z.object({
    type: z.literal('verification'),
    challenge: z.string().describe('The receiver answers with `{ "challenge": … }`, the same text.'),
  }),
  gap: z.object({
    type: z.literal('gap'),
    cursor: z.string().nullable().describe('Where the subscription stands.'),
  }),
} satisfies Record<string, z.ZodType>;

/** The parts of messages that have a name of their own. */
export const MESSAGE_PARTS = { Digest: sentDigest, DigestStory: digestStory, OperationalEvent: operationalEvent };

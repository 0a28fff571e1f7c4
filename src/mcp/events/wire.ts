/**
 * MCP Events as they are on the wire: the shapes of requests and answers, and the codes of errors. The protocol is a draft;
 * all that may change with it is here.
 */
import { ProtocolError, type ServerCapabilities } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Match } from '../../domain/match.ts';
import type { Digest } from '../../domain/wake.ts';
import type { Polled } from '../../service/agents/poll-events.ts';
import type { Subscribed } from '../../service/agents/subscribe.ts';
import type { ErrorCode, ServiceError } from '../../service/errors.ts';
import { briefEventData, briefEventDigest } from '../../service/outlets/event-data.ts';
import { showMatch } from '../show-match.ts';
import { cutTo, FLAGS, type Flag, plainUrl, visible } from '../untrusted.ts';

const LIST_CHANGED = { listChanged: false };

/** Clients look for one key or the other. */
export const EVENT_CAPABILITIES = {
  events: LIST_CHANGED,
  extensions: { 'io.modelcontextprotocol/events': LIST_CHANGED },
} as ServerCapabilities;

const LONGEST_URL = 2_048;
/** Characters of the arguments as JSON. */
const LONGEST_ARGUMENTS = 16 * 1024;
const LONGEST_TEXT = 1_024;

const chosen = z
  .record(z.string(), z.unknown())
  .optional()
  .refine((given) => JSON.stringify(given ?? {}).length <= LONGEST_ARGUMENTS, { error: 'They are too long.' })
  .transform((given) => given ?? {});

export const listParams = z.looseObject({ cursor: z.string().optional() });

export const subscribeParams = z.looseObject({
  name: z.string().max(LONGEST_TEXT),
  arguments: chosen,
  delivery: z.looseObject({
    mode: z.string().max(LONGEST_TEXT),
    url: z.string().max(LONGEST_URL),
    secret: z.string().max(LONGEST_TEXT),
  }),
  cursor: z.string().max(LONGEST_TEXT).nullable().optional(),
  maxAgeMs: z.int().min(0).optional(),
  ttlMs: z.number().min(0).nullable().optional(),
});

export const unsubscribeParams = z.looseObject({
  name: z.string().max(LONGEST_TEXT),
  arguments: chosen,
  delivery: z.looseObject({ mode: z.string().optional(), url: z.string().max(LONGEST_URL) }),
});

const LONGEST_POLL_MS = 50_000;
const MOST_POLLED = 50;
/** How long a client rests before it polls again, unless there is more. */
const NEXT_POLL_MS = 1_000;

/** A wait or a number beyond ours is cut. */
export const pollParams = z.looseObject({
  name: z.string().max(LONGEST_TEXT),
  arguments: chosen,
  cursor: z.string().max(LONGEST_TEXT).nullable().optional(),
  maxAgeMs: z.int().min(0).optional(),
  maxEvents: z
    .int()
    .min(1)
    .default(20)
    .transform((most) => Math.min(most, MOST_POLLED)),
  timeoutMs: z
    .number()
    .min(0)
    .default(0)
    .transform((wait) => Math.min(wait, LONGEST_POLL_MS)),
});

const WHOLE = { brief: false };

export const pollResult = (name: string, { events, cursor, truncated, hasMore }: Polled) => ({
  events: events.map(({ id, match, digest }) => ({
    eventId: id,
    name,
    timestamp: match.createdAt.toISOString(),
    data: digest === undefined ? eventData(match, WHOLE) : eventDigest(digest, match, WHOLE),
  })),
  cursor,
  truncated,
  hasMore,
  nextPollMs: hasMore ? 0 : NEXT_POLL_MS,
});

/** Every member is there at all times: strict clients refuse an answer without one. */
export const subscribeResult = ({ id, refreshBefore, cursor, truncated, health }: Subscribed) => ({
  id,
  refreshBefore: refreshBefore.toISOString(),
  cursor,
  truncated,
  ...(health !== undefined && {
    deliveryStatus: {
      active: true,
      lastDeliveryAt: health.lastDeliveryAt?.toISOString() ?? null,
      lastError: health.lastError ?? null,
      failedSince: health.failedSince?.toISOString() ?? null,
    },
  }),
});

export const INVALID_PARAMS = -32_602;
const NOT_FOUND = -32_011;
const FORBIDDEN = -32_012;
const RESOURCE_EXHAUSTED = -32_013;
const UNSUPPORTED = -32_014;
const CALLBACK_ENDPOINT = -32_015;
const INTERNAL = -32_603;

const CODES: Partial<Record<ErrorCode, number>> = {
  invalid_argument: INVALID_PARAMS,
  not_found: NOT_FOUND,
  permission_denied: FORBIDDEN,
  unauthenticated: FORBIDDEN,
  resource_exhausted: RESOURCE_EXHAUSTED,
  failed_precondition: CALLBACK_ENDPOINT,
};

export const unsupportedMode = (mode: string): ProtocolError =>
  new ProtocolError(UNSUPPORTED, 'Events are delivered to webhooks only.', { feature: 'deliveryMode', value: mode });

/** The error of the service in the words of the protocol. Nothing that a receiver answered is in it but its category. */
export function protocolError({ code, message, details }: ServiceError): ProtocolError {
  const { feature, value } = details;
  if (feature !== undefined) return new ProtocolError(UNSUPPORTED, message, { feature, value });
  return new ProtocolError(CODES[code] ?? INTERNAL, message, dataOf(code, details));
}

function dataOf(code: ErrorCode, details: ServiceError['details']): object | undefined {
  if (code === 'not_found') return { kind: details['kind'] ?? 'event' };
  if (code === 'failed_precondition') return { reason: details['receiver'] };
  if (code !== 'resource_exhausted') return undefined;
  const { limit_code: limit, limit: most, max = most } = details;
  // The protocol has one word for those of an agent and of an account.
  return { limit: limit === 'subscriptions_per_agent' ? 'subscriptions' : limit, max };
}

/** The `data` of an event about a match: text by strangers is in `untrusted_content`, and nowhere else. */
export function eventData(match: Match, { brief }: { readonly brief: boolean }): object {
  if (brief) return briefEventData(match);
  const { id, ...shown } = showMatch(match, 'concise');
  return { match_id: id, ...shown, ...(match.storyId !== undefined && { story_id: match.storyId }) };
}

const MAX_TITLE = 200;

const linkTo = (url: string | null): { url?: string } => {
  const plain = url === null ? undefined : plainUrl(url);
  return plain === undefined ? {} : { url: plain };
};

/** The digest of a wake contract. The newest match stands for all; titles and addresses are by strangers. */
export function eventDigest(digest: Digest, newest: Match, { brief }: { readonly brief: boolean }): object {
  const told = briefEventDigest(digest, newest);
  if (brief) return told;
  const flags = new Set<Flag>();
  const stories = digest.stories.map(({ title, url, size, by }) => ({
    title: cutTo(visible(title, flags), MAX_TITLE, flags),
    ...linkTo(url),
    size,
    by: by.map((name) => visible(name, flags)),
  }));
  const { brief: _, ...head } = told;
  return {
    ...head,
    ...(flags.size > 0 && { flags: FLAGS.filter((flag) => flags.has(flag)) }),
    untrusted_content: { stories },
  };
}

/** Server-sent events as bytes. Data is JSON on one line; ids are cursors, which have no line breaks either. */
import { createLru } from '../../base/lru.ts';
import type { Gap } from '../../domain/coverage.ts';
import type { Alert } from '../../domain/rule.ts';
import { alertToJson } from '../alert-text.ts';

/** How long a client waits before it connects again. */
const RECONNECT_MS = 3_000;

export const matchFrame = (id: string, data: string): Buffer =>
  Buffer.from(`event: match\nid: ${id}\ndata: ${data}\n\n`);

/** The JSON of a frame with data. */
export const dataOf = (frame: Buffer): string => frame.toString('utf8', frame.indexOf('\ndata: ') + '\ndata: '.length);

/** The digest of matches that a stream with a wake contract held up to this id. */
export const digestFrame = (id: string, data: string): Buffer =>
  Buffer.from(`event: digest\nid: ${id}\ndata: ${data}\n\n`);

export const isDigest = (frame: Buffer): boolean => frame.subarray(0, DIGEST.length).equals(DIGEST);
const DIGEST = Buffer.from('event: digest');

export function gapFrame(id: string, { platform, from, to, cause, recovered, ruleId, source }: Gap): Buffer {
  const span = { platform, from: from.toISOString(), to: to?.toISOString() ?? null, cause, recovered };
  const data = { ...span, ...(ruleId !== undefined && { rule_id: ruleId }), ...(source !== undefined && { source }) };
  return Buffer.from(`event: gap\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}

export const alertFrame = (id: string, alert: Alert): Buffer =>
  Buffer.from(`event: alert\nid: ${id}\ndata: ${JSON.stringify(alertToJson(alert))}\n\n`);

/** The first bytes of a stream. They hold no event; a client that is cut off before the first match resumes from the id. */
export const openingFrame = (id: string): Buffer => Buffer.from(`retry: ${RECONNECT_MS}\nid: ${id}\n\n`);

/** Keeps the connection alive. The id keeps the cursor of a quiet stream from expiring. */
export const heartbeatFrame = (id: string, coverage?: string): Buffer =>
  Buffer.from(`: heartbeat\nid: ${id}\n${coverage === undefined ? '' : `event: coverage\ndata: ${coverage}\n`}\n`);

/** How far the stream can be relied on. Without an id: it does not move the cursor. */
export const coverageFrame = (coverage: string): Buffer => Buffer.from(`event: coverage\ndata: ${coverage}\n\n`);

/** Why the server ends a stream. */
export const END_REASONS = [
  'too_slow',
  'key_revoked',
  'account_suspended',
  'session_ended',
  'rule_deleted',
  'stopping',
] as const;
export type EndReason = (typeof END_REASONS)[number];

const MESSAGES: Readonly<Record<EndReason, string>> = {
  too_slow: 'The client reads too slowly. Connect again with the last id; no match is lost.',
  key_revoked: 'The key no longer works.',
  account_suspended: 'The operator has suspended the account. No match that is stored is lost.',
  session_ended: 'The session has ended. Sign in again.',
  rule_deleted: 'The rule was deleted.',
  stopping: 'The server is stopping. Connect again with the last id; no match is lost.',
};

export const endFrame = (reason: EndReason): Buffer =>
  Buffer.from(`event: end\ndata: ${JSON.stringify({ reason, message: MESSAGES[reason] })}\n\n`);

export interface NextFrame {
  readonly position: number;
  readonly bytes: Buffer;
}

export interface FrameCache {
  next(filterKey: string, after: number): NextFrame | undefined;
  put(filterKey: string, after: number, frame: NextFrame): void;
  /** Called when a match was deleted: any frame may hold it. */
  clear(): void;
}

const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Frames that one subscriber read while catching up, for others that catch up through the same place. Subscribers that
 * lost their connections together come back together, so each frame is read once, encoded once and in memory once. The
 * cache answers which frame follows a position under a filter.
 */
export function createFrameCache(): FrameCache {
  const frames = createLru<string, NextFrame>({ limit: MOST_BYTES, weightOf: ({ bytes }) => bytes.length });
  return {
    next: (filterKey, after) => frames.get(`${after} ${filterKey}`),
    put: (filterKey, after, frame) => frames.set(`${after} ${filterKey}`, frame),
    clear: () => frames.clear(),
  };
}

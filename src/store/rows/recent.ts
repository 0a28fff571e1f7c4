/**
 * Rows of recent events: many events to a row, one line each, `["account", "post id", payload, "source"]`, the last where it is known. A row has the events of
 * one owner: of an account, or of none if all accounts see them.
 */
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RecentEvent } from '../store.ts';
import { parseColumn } from './texts.ts';

export interface RecentLimits {
  /** Events in each of a platform's two rings. */
  readonly events: number;
  /** Bytes in each of them. */
  readonly bytes: number;
}

/** The owner of events that all accounts see. An account id is never empty. */
export const SHARED = '';
/** The row of totals that has the sum over all accounts. No account id is this. */
export const ALL_ACCOUNTS = '*';

export interface RingEvent {
  readonly accountId: string | undefined;
  readonly postId: string;
  /** JSON on one line. */
  readonly payload: string;
  readonly source?: string | undefined;
}

export interface RecentTotals {
  readonly events: number;
  readonly bytes: number;
}

export interface RecentRow {
  readonly number: number;
  readonly at: number;
  readonly lines: string;
}

/** The events of a row, newest first. */
export function* eventsOf({ at, lines }: RecentRow, platform: Platform): Generator<RecentEvent> {
  for (const line of lines.split('\n').toReversed()) {
    const [owner, postId, payload, source] = parseColumn<[string, string, Payload, string?]>(line);
    const accountId = owner === SHARED ? undefined : owner;
    yield { at: new Date(at), event: { platform, postId, payload, accountId, source } };
  }
}

/** `["account", "post id",` at the beginning of a line; the post id is in the form of `encodeText`. */
const LINE_START = /^\["[^"]*",("(?:[^"\\]|\\.)*"),/;

/** An account's row without the lines of some posts; undefined when it has none of them. */
export function withoutPosts(
  lines: string,
  isErased: (encodedPostId: string) => boolean,
): (RecentTotals & { readonly lines: string }) | undefined {
  const all = lines.split('\n');
  const kept = all.filter((line) => !isErased(LINE_START.exec(line)?.[1] ?? ''));
  if (kept.length === all.length) return undefined;
  const text = kept.join('\n');
  return { lines: text, events: kept.length, bytes: Buffer.byteLength(text) };
}

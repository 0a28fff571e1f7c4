/** What webhooks want of new and stored matches, whatever the database. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { matchId, positionAt, timeOf } from '../order.ts';
import type { Position } from '../store/position.ts';
import type { HeldMatch, OwedBacklog, WakeTurn } from '../store.ts';
import { parseColumn } from './texts.ts';

export interface Wanting {
  readonly number: number;
  readonly rule_ids: string | null;
  readonly platforms: string | null;
  readonly events: string | null;
}

export interface PlacedMatch {
  readonly position: Position;
  readonly ruleId: string;
  readonly account: number;
}

/** Whether a webhook wants matches of a platform, and of which rules. */
export function wantsOf({ rule_ids, platforms, events }: Wanting, platform: Platform): (ruleId: string) => boolean {
  if (events !== null && !parseColumn<string[]>(events).includes('match')) return () => false;
  if (platforms !== null && !parseColumn<string[]>(platforms).includes(platform)) return () => false;
  if (rule_ids === null) return () => true;
  const wanted = new Set(parseColumn<string[]>(rule_ids));
  return (ruleId) => wanted.has(ruleId);
}

/** The one rule whose matches an agent subscribed to; undefined for events that are no matches. */
export const ruleToReplay = ({ rule_ids, events }: Wanting): string | undefined =>
  rule_ids === null || (events !== null && !parseColumn<string[]>(events).includes('match'))
    ? undefined
    : parseColumn<string[]>(rule_ids)[0];

/** Where `oweStored` begins, for each platform. */
export const storedSince = (since: Date): { platform: Platform; after: Position }[] =>
  PLATFORMS.map((platform) => ({ platform, after: positionAt(since.getTime()) - 1 }));

/** Counting goes no further: a backlog is then "a thousand or more". */
export const BACKLOG_COUNTED = 1_000;

export interface BacklogRow {
  readonly account_id: string;
  readonly webhook_id: string;
  readonly status: OwedBacklog['status'];
  readonly every: number | null;
  readonly matches: number;
  readonly oldest: Position;
}

export const backlogOf = (row: BacklogRow): OwedBacklog => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  status: row.status,
  isBatched: row.every !== null,
  matches: row.matches,
  since: new Date(timeOf(row.oldest)),
});

/** A webhook that matches are decided for. */
export interface WakingRow {
  readonly number: number;
  readonly account: number;
  readonly wake_turn: number;
  readonly waking: number | boolean;
}

/** Whether a decision is of the present contract. */
export const isWakeTurn = ({ waking, wake_turn }: WakingRow, wake: WakeTurn | undefined): boolean =>
  Boolean(waking) === (wake !== undefined) && (wake === undefined || wake.turn === wake_turn);

export interface HeldRow {
  readonly position: Position;
  readonly tail: string;
  readonly story: string | null;
}

export const heldOf = ({ position, tail, story }: HeldRow): HeldMatch => ({
  id: matchId(position, tail),
  position,
  at: new Date(timeOf(position)),
  story: story ?? undefined,
});

export interface WakeStoryRow {
  readonly story: string;
  readonly woke: number;
  readonly seen: number;
}

export const wakeStoriesOf = (rows: readonly WakeStoryRow[]) =>
  new Map(rows.map(({ story, woke, seen }) => [story, { woke: woke === 1, seen }]));

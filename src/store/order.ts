/**
 * The order of matches. A position is the millisecond of creation and a rank within it, in one integer: so a time turns
 * into a position, and a position into a time, without a look at the database. Every commit takes milliseconds that no
 * earlier one had, of any node, and ranks its matches in the order of its events: nothing ever appears behind a position
 * that was read already. An id holds the rank too: ids sort in the order in which their matches were stored.
 */
import { hash } from 'node:crypto';
import { digitsOf, idOf, readDigits, readId, TAIL_BYTES, TIME_CHARACTERS, tailOf } from '../base/ids.ts';
import type { Platform } from '../domain/platform.ts';

/** A place in the order of matches; opaque, comparable by the store alone. */
export type Position = number;

/** Positions count from here, to stay exact integers until 2095. */
const EPOCH = Date.UTC(2026, 0, 1);
/** Matches in one millisecond; a larger commit takes the next ones too. */
const RANKS = 4096;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A number in SQL, as `digitsOf` writes it. */
export const digits = (number: string, length: number): string =>
  Array.from(
    { length },
    (_, at) => `substr('${ALPHABET}', CAST((${number}) / ${32 ** (length - 1 - at)} % 32 AS integer) + 1, 1)`,
  ).join(' || ');

/** The minute of a position in SQL, where both databases divide integers without a rest. */
export const minuteSql = (position: string): string => `${position} / ${RANKS * 60_000} + ${EPOCH / 60_000}`;

/** `nextPosition` in SQL, of the position that was given out last and the first one that is wanted. */
export const nextPositionSql = (latest: string, wanted: string): string =>
  `greatest(${wanted}, (${latest} / ${RANKS} + 1) * ${RANKS})`;

/** `matchId` in SQL. */
export const matchIdSql = (position: string, tail: string): string =>
  `'match_' || ${digits(timeSql(position), TIME_CHARACTERS)} || ${tail}`;

/** The time of a position in SQL. */
export const timeSql = (position: string): string => `${position} / ${RANKS} + ${EPOCH}`;

export const timeOf = (position: Position): number => EPOCH + Math.floor(position / RANKS);

/** The first position at a time. */
export const positionAt = (time: number): Position => Math.max(0, (time - EPOCH) * RANKS);

/** The first position of a commit: now, or after all others, should the clock stand or have been set back. */
export const nextPosition = (latest: Position, now: number): Position =>
  Math.max(positionAt(now), (Math.floor(latest / RANKS) + 1) * RANKS);

const RANK_CHARACTERS = 3;
const KEY_CHARACTERS = 16;

const tailBytes = new Uint8Array(TAIL_BYTES);

/** The key of a match. Every arrival of the same match gets the same one. */
export const matchKey = (ruleId: string, platform: string, postId: string): string =>
  digestTail([ruleId, platform, postId]);

/** The key of an event. Every arrival of the event gets the same one. */
export const eventKey = (platform: Platform, postId: string): string => digestTail([platform, postId]);

function digestTail(names: readonly string[]): string {
  // A character for each byte: a buffer for every match would cost more than its digest.
  const digest = hash('sha256', JSON.stringify(names), 'binary');
  for (let at = 0; at < TAIL_BYTES; at++) tailBytes[at] = digest.charCodeAt(at);
  return tailOf(tailBytes);
}

/** The part of a match's id after the time: its rank, and the key. */
export const tailAt = (position: Position, key: string): string => digitsOf(position % RANKS, RANK_CHARACTERS) + key;

export const matchId = (position: Position, tail: string): string => idOf('match', timeOf(position), tail);

/** The positions at which the match of this id can be: its rank, or its whole millisecond if the id has none. */
export function findMatchId(id: string): { from: Position; below: Position; tail: string } | undefined {
  const read = readId('match', id);
  if (read === undefined || read.time < EPOCH) return undefined;
  const { time, tail } = read;
  const from = positionAt(time);
  // Ids that were given out before ranks were part of them have the key alone.
  if (tail.length === KEY_CHARACTERS) return { from, below: positionAt(time + 1), tail };
  const rank = readDigits(tail.slice(0, RANK_CHARACTERS));
  return rank === undefined ? undefined : { from: from + rank, below: from + rank + 1, tail };
}

const STORY_ID = /^st_([0-9a-z]{10})([0-9a-z]{3})$/;

/** A story has the position of the match that began it for a number: its id sorts like that match. */
export const storyId = (story: Position): string => idOf('st', timeOf(story), digitsOf(story % RANKS, RANK_CHARACTERS));

export function findStoryId(id: string): Position | undefined {
  const [, time = '', rank = ''] = STORY_ID.exec(id) ?? [];
  const [milliseconds, within] = [readDigits(time), readDigits(rank)];
  if (time === '' || milliseconds === undefined || within === undefined) return undefined;
  return milliseconds < EPOCH || within >= RANKS ? undefined : positionAt(milliseconds) + within;
}

/**
 * Tombstones of erased posts: what they are digests of, how long they last, and what they refuse. One that was asked for
 * has the id of an event. One that a platform announced has the id of a post, and refuses its versions too: their ids go on
 * with a slash.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Erasure } from '../store/tombstones.ts';
import { encodeText } from './texts.ts';

const DAY = 24 * 60 * 60 * 1_000;
/** A source may bring a post again for this long: Jetstream keeps three days, Firehose one. */
const ANNOUNCED_DAYS = 4;

/** The account number of a tombstone that holds for all. */
export const EVERY_ACCOUNT = 0;

export const eventText = (platform: Platform, postId: string): string => `${platform} ${encodeText(postId)}`;

export const postText = (platform: Platform, postId: string): string => `${platform} post ${encodeText(postId)}`;

/** What a digest is made of. */
export const digestedText = (key: string, text: string): string => `${key} ${text}`;

export const tombstoneEnd = (now: Date, days: number): number => now.getTime() + days * DAY;

export const announcedEnd = (now: Date): number => tombstoneEnd(now, ANNOUNCED_DAYS);

/** Between these two are the encoded ids of a post's versions. */
export function versionsOf(postId: string): { from: string; below: string } {
  const start = encodeText(postId).slice(0, -1);
  return { from: `${start}/`, below: `${start}0` };
}

/** An event with the ids under which it may have been erased. */
export interface Named {
  readonly postId: string;
  readonly accountId?: string | undefined;
  readonly earlier?: readonly string[] | undefined;
}

/** The texts whose tombstones refuse an event. */
export function textsOf(platform: Platform, { postId, earlier = [] }: Named): string[] {
  return [
    ...[postId, ...earlier].map((id) => eventText(platform, id)),
    ...[postId, ...startsOf(postId)].map((id) => postText(platform, id)),
  ];
}

/** What the id may be a version of: of a post, or of anything that an author wrote. */
function startsOf(postId: string): string[] {
  const last = postId.lastIndexOf('/');
  if (last <= 0) return [];
  const before = postId.lastIndexOf('/', last - 1);
  return [postId.slice(0, last), ...(before > 0 ? [postId.slice(0, before)] : [])];
}

export interface Refusals {
  /** Whether an account may no longer store matches of the event, nor see it among recent ones. */
  isRefused(event: Named, account: number): boolean;
  /** Whether no account that could see the event among recent ones may do so. */
  isKeptOut(event: Named): boolean;
}

export interface RefusedText {
  readonly text: string;
  readonly account: number;
  readonly account_id: string | null;
}

export const NO_REFUSALS: Refusals = { isRefused: () => false, isKeptOut: () => false };

export function refusalsOf(platform: Platform, rows: readonly RefusedText[]): Refusals {
  if (rows.length === 0) return NO_REFUSALS;
  const byText = Map.groupBy(rows, ({ text }) => text);
  const found = (event: Named): RefusedText[] => textsOf(platform, event).flatMap((text) => byText.get(text) ?? []);
  return {
    isRefused: (event, account) => found(event).some((one) => one.account === EVERY_ACCOUNT || one.account === account),
    isKeptOut: (event) =>
      found(event).some(
        (one) => one.account === EVERY_ACCOUNT || (event.accountId !== undefined && one.account_id === event.accountId),
      ),
  };
}

export const NOTHING_ERASED: Erasure = { matches: 0, accountIds: [] };

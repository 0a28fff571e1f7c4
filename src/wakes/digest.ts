/** Makes a digest of held matches: by story, the story with the newest match first. */
import type { Match, Payload } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';
import type { Digest, DigestStory } from '../domain/wake.ts';
import { cutText, LONGEST_NAME, type Summary, speakerOf, summaryOf } from './summary.ts';

/** One held match in a few words. */
export interface DigestItem {
  readonly matchId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly platform: Platform;
  readonly title: string;
  readonly url: string | undefined;
  /** The author or the publisher. */
  readonly by: string | undefined;
}

/** The held matches of one story. */
export interface DigestGroup {
  readonly story: string | undefined;
  /** Newest first. */
  readonly matches: readonly { readonly id: string; readonly at: Date; readonly silence?: string | undefined }[];
  /** Some of them, the one that gives the title first. */
  readonly items: readonly DigestItem[];
}

const LONGEST_URL = 2_048;
const MAX_LINKS = 5;
const MAX_NAMES = 5;
const MAX_IDS = 100;

export type Digestible = Pick<
  Match,
  'id' | 'createdAt' | 'platform' | 'platformPostId' | 'ruleId' | 'ruleName' | 'payload' | 'source' | 'storyId'
>;

export function digestItem(match: Digestible): DigestItem {
  const { title, text, url: address } = summaryOf(match);
  const url = address !== undefined && address.length <= LONGEST_URL ? address : undefined;
  return {
    matchId: match.id,
    ruleId: match.ruleId,
    ruleName: match.ruleName,
    platform: match.platform,
    title: title === '' ? text : title,
    url,
    by: speakerOf(match, url),
  };
}

/** Groups by story, the story with the newest match first. A match without a story stands alone. */
export function groupByStory<T extends { readonly id: string; readonly at: Date; readonly story: string | undefined }>(
  held: readonly T[],
): { readonly story: string | undefined; readonly matches: readonly T[] }[] {
  const newestFirst = held.toSorted((left, right) => (left.id < right.id ? 1 : -1));
  const groups = Map.groupBy(newestFirst, ({ id, story }) => story ?? id);
  return [...groups.values()].map((matches) => ({ story: matches[0]!.story, matches }));
}

/** A held match in a few words, without its payload. */
export interface HeldItem {
  readonly id: string;
  readonly at: Date;
  readonly story: string | undefined;
  /** The silence that held it. */
  readonly silence?: string | undefined;
  readonly item: DigestItem;
}

export const heldItem = (match: Digestible): HeldItem => ({
  id: match.id,
  at: match.createdAt,
  story: match.storyId,
  item: digestItem(match),
});

/** Makes the digest of matches that are all at hand. */
export function digestOfItems(held: readonly HeldItem[], mostStories = Number.POSITIVE_INFINITY): Digest {
  const groups = groupByStory(held);
  const listed = groups.slice(0, mostStories).map(({ story, matches }) => ({
    story,
    matches,
    items: titleFirst(matches, 1 + MAX_LINKS).map(({ item }) => item),
  }));
  return digestOfGroups(listed, { matches: held, stories: groups.length });
}

/** Puts the oldest match, which gives the title, before the newest ones. `matches` begin with the newest. */
export const titleFirst = <T>(matches: readonly T[], most: number): T[] =>
  [...matches.slice(-1), ...matches.slice(0, -1)].slice(0, most);

export function digestOfGroups(
  groups: readonly DigestGroup[],
  held: { readonly matches: readonly { readonly at: Date }[]; readonly stories: number },
): Digest {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { at } of held.matches) {
    first = Math.min(first, at.getTime());
    last = Math.max(last, at.getTime());
  }
  return {
    since: new Date(Math.min(first, last)).toISOString(),
    until: new Date(last + 1).toISOString(),
    match_count: held.matches.length,
    story_count: held.stories,
    stories: groups.map(storyOf),
  };
}

function storyOf({ story, matches, items }: DigestGroup): DigestStory {
  const named = items.find(({ title }) => title !== '') ?? items[0];
  const rules = new Map(items.map(({ ruleId, ruleName }) => [ruleId, ruleName]));
  const links = unique(items.flatMap(({ url }) => url ?? [])).filter((url) => url !== named?.url);
  const silences = unique(matches.flatMap(({ silence }) => silence ?? []));
  return {
    story_id: story ?? null,
    title: named?.title ?? '',
    url: named?.url ?? null,
    size: matches.length,
    first_at: matches.at(-1)!.at.toISOString(),
    last_at: matches[0]!.at.toISOString(),
    platforms: unique(items.map(({ platform }) => platform)),
    by: unique(items.flatMap(({ by }) => by ?? [])).slice(0, MAX_NAMES),
    rules: [...rules].slice(0, MAX_NAMES).map(([id, name]) => ({ id, name })),
    links: links.slice(0, MAX_LINKS),
    match_ids: matches.slice(0, MAX_IDS).map(({ id }) => id),
    ...(silences.length > 0 && { silenced_by: silences }),
  };
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** A copy of the digest with fewer stories listed. */
export const shortened = (digest: Digest, stories: number): Digest => ({
  ...digest,
  stories: digest.stories.slice(0, stories),
});

const countOf = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** A digest in words. */
export function digestHeadline({ match_count, story_count, stories, since, until }: Digest): string {
  const what = `${countOf(match_count, 'match', 'matches')} in ${countOf(story_count, 'story', 'stories')}`;
  const span = `stored from ${minuteText(since)} to ${minuteText(until)} UTC`;
  const rest = stories.length < story_count ? ` The ${stories.length} newest stories are listed.` : '';
  return `Digest: ${what}, ${span}.${rest}`;
}

export const minuteText = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** How many matches, and who else. */
export function storyCount({ size, by }: Pick<DigestStory, 'size' | 'by'>): string {
  const count = countOf(size, 'match', 'matches');
  return by.length === 0 ? count : `${count}: ${by.join(', ')}`;
}

export const ruleNames = ({ rules }: Pick<DigestStory, 'rules'>): string => rules.map(({ name }) => name).join(', ');

/** A story as a chat shows a match. */
export const storyFacts = (story: DigestStory): Summary => ({
  rule: cutText(ruleNames(story), LONGEST_NAME),
  title: story.title,
  text: storyCount(story),
  url: story.url ?? undefined,
});

export interface ListedMatch {
  readonly id: string;
  readonly created_at: string;
  readonly platform: Platform;
  readonly platform_post_id: string;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly payload: Payload;
  readonly source?: string | undefined;
  readonly story_id?: string | null | undefined;
  readonly relevance?: number | null | undefined;
  readonly judged?: { readonly relevant: boolean } | undefined;
}

/** A match as List Matches and streams write it, as something that a digest can tell of. */
export const fromListed = (listed: ListedMatch): Digestible => ({
  id: listed.id,
  createdAt: new Date(listed.created_at),
  platform: listed.platform,
  platformPostId: listed.platform_post_id,
  ruleId: listed.rule_id,
  ruleName: listed.rule_name,
  payload: listed.payload,
  source: listed.source,
  storyId: listed.story_id ?? undefined,
});

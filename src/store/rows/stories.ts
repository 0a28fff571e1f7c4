/** Stories of rows: what their parts add up to for a caller, and pages of them. */
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Story } from '../../domain/story.ts';
import { positionAt, storyId, timeOf } from '../order.ts';
import type { Position, StoryPage, StoryQuery } from '../store.ts';
import type { StoryDecisions, ToldMatch } from './story-books.ts';

/** What a story has of one rule, platform and source. */
export interface PartRow {
  readonly story: Position;
  readonly rule_id: string;
  readonly deleted: number;
  readonly platform: Platform;
  readonly source: string;
  readonly matches: number;
  readonly first: Position;
  readonly last: Position;
}

export interface StoryPart {
  readonly story: Position;
  readonly rule: number;
  readonly platform: Platform;
  readonly source: string;
}

export interface NewPart extends StoryPart {
  readonly account: number;
  readonly matches: number;
  readonly first: Position;
  readonly last: Position;
}

/** A new match with what parts it from others of its story. */
export interface NewToldMatch extends ToldMatch {
  readonly rule: number;
  /** Of the stored event, which another source may have brought before. */
  readonly source: string;
}

/** The parts that a commit adds to, each once. */
export function newParts(platform: Platform, matches: readonly NewToldMatch[], { stories }: StoryDecisions): NewPart[] {
  const parts = new Map<string, NewPart>();
  for (const [index, { account, rule, position, source }] of matches.entries()) {
    const part = { story: stories[index]!, rule, platform, source, account };
    const key = `${part.story} ${rule} ${source}`;
    const known = parts.get(key) ?? { ...part, matches: 0, first: position, last: position };
    parts.set(key, { ...known, matches: known.matches + 1, last: position });
  }
  return [...parts.values()];
}

/** Rows read at a time at first and later, and how many before a page ends short of its limit. */
const SLICE = 100;
const LARGEST_SLICE = 1_000;
const LONGEST_WALK = 10_000;
/** First matches read at a time: each may hold a megabyte. */
const READ_SLICE = 16;

interface Reading {
  /** Rows before a page ends short, where they are matches and not parts. */
  readonly longest?: number | undefined;
  /** The last matches of parts strictly between two positions, newest first, of the rule or account that is asked about. Other matches do no harm. */
  slice(above: Position, below: Position, limit: number): Steps<{ story: Position; last: Position }>;
  parts(stories: readonly Position[]): Steps<PartRow>;
  matches(positions: readonly Position[]): Steps<{ match: Match; bytes: number }>;
  breathe?(): Promise<void>;
}

type Steps<T> = readonly T[] | Promise<readonly T[]>;

/** Nothing older than `oldest` is there any more. */
export async function storyPage(query: StoryQuery, oldest: Position, reading: Reading): Promise<StoryPage> {
  const { since, until, before, limit } = query;
  const above = Math.max(oldest, since === undefined ? 0 : positionAt(since.getTime())) - 1;
  let below = Math.min(before ?? Infinity, until === undefined ? Number.MAX_SAFE_INTEGER : positionAt(until.getTime()));
  const found: Seen[] = [];
  for (let [walked, size] = [0, SLICE]; ; size = Math.min(2 * size, LARGEST_SLICE)) {
    const rows = await reading.slice(above, Math.min(below, Number.MAX_SAFE_INTEGER), size);
    const parts = await reading.parts([...new Set(rows.map(({ story }) => story))]);
    const byStory = Map.groupBy(parts, ({ story }) => story);
    for (const { story, last } of rows) {
      below = last;
      const seen = seenOf(byStory.get(story) ?? [], query);
      // Of the parts of a story the one with its newest match stands for it.
      if (seen === undefined || seen.newest !== last) continue;
      found.push(seen);
      // One more than asked for tells whether there is a next page.
      if (found.length > limit) return withMatches(query, reading, found.slice(0, limit), found[limit - 1]!.newest);
    }
    walked += rows.length;
    const isEnd = rows.length < size;
    if (isEnd || walked >= (reading.longest ?? LONGEST_WALK))
      return withMatches(query, reading, found, isEnd ? undefined : below);
    await reading.breathe?.();
  }
}

/** What a caller sees of a story. */
interface Seen {
  readonly parts: readonly PartRow[];
  readonly first: Position;
  /** Of what the question is about. */
  readonly newest: Position;
}

function seenOf(rows: readonly PartRow[], { ruleId, platform, ruleIds }: StoryQuery): Seen | undefined {
  const parts = rows.filter(({ deleted, rule_id }) => deleted === 0 && (ruleIds?.includes(rule_id) ?? true));
  const asked = parts.filter(
    (part) => (ruleId ?? part.rule_id) === part.rule_id && (platform ?? part.platform) === part.platform,
  );
  if (asked.length === 0) return undefined;
  return {
    parts,
    first: Math.min(...parts.map(({ first }) => first)),
    newest: Math.max(...asked.map(({ last }) => last)),
  };
}

async function withMatches(
  { bytes: most = Infinity }: StoryQuery,
  reading: Reading,
  found: readonly Seen[],
  next: Position | undefined,
): Promise<StoryPage> {
  const stories: Story[] = [];
  let bytes = 0;
  for (let from = 0; from < found.length; from += READ_SLICE) {
    const slice = found.slice(from, from + READ_SLICE);
    const matches = await reading.matches(slice.map(({ first }) => first));
    const byPosition = new Map(matches.map((one) => [one.match.position, one]));
    for (const seen of slice) {
      const first = byPosition.get(seen.first);
      // It went between two reads: the story is told by others from the next page on.
      if (first === undefined) continue;
      stories.push(storyOf(seen, first.match));
      bytes += first.bytes;
      if (bytes >= most && seen !== found.at(-1)) return { stories, next: seen.newest };
    }
  }
  return { stories, next };
}

const storyOf = ({ parts }: Seen, first: Match): Story => ({
  id: storyId(parts[0]!.story),
  size: parts.reduce((sum, { matches }) => sum + matches, 0),
  first,
  lastAt: new Date(timeOf(Math.max(...parts.map(({ last }) => last)))),
  platforms: distinct(parts.map(({ platform }) => platform)),
  sources: distinct(parts.map(({ source }) => source)).filter((source) => source !== ''),
  ruleIds: distinct(parts.map(({ rule_id }) => rule_id)),
});

/** In the order of their names. */
const distinct = <T extends string>(values: readonly T[]): T[] => [...new Set(values)].toSorted();

/** The digest of a wake contract, for a model: counted, with the newest stories in an envelope, as many as fit. */
import { z } from 'zod';
import { piecesOf, unhurried } from '../base/cooperate.ts';
import type { Match } from '../domain/match.ts';
import type { Digest, DigestStory } from '../domain/wake.ts';
import { type Detail, type ShownMatch, showMatch } from './show-match.ts';
import { cutTo, FLAGS, type Flag, plainUrl, visible } from './untrusted.ts';

export const shownDigest = z.object({
  matches: z.int(),
  stories: z.int(),
  since: z.string(),
  until: z.string(),
  flags: z.array(z.string()).optional(),
  untrusted_content: z.object({ stories: z.array(z.record(z.string(), z.unknown())) }),
});

const MAX_TITLE = 160;
const MAX_NAME = 40;
const MAX_NAMES = 3;

/** `room`: characters of JSON. */
export function showDigest(digest: Digest, room: number): z.input<typeof shownDigest> {
  const flags = new Set<Flag>();
  const stories: Record<string, unknown>[] = [];
  const shown = () => ({
    matches: digest.match_count,
    stories: digest.story_count,
    since: digest.since,
    until: digest.until,
    ...(flags.size > 0 && { flags: FLAGS.filter((flag) => flags.has(flag)) }),
    untrusted_content: { stories },
  });
  for (const story of digest.stories) {
    stories.push(showStory(story, flags));
    if (JSON.stringify(shown()).length <= room) continue;
    stories.pop();
    break;
  }
  return shown();
}

function showStory({ story_id, title, url, size, by }: DigestStory, flags: Set<Flag>): Record<string, unknown> {
  const short = (text: string, most: number): string =>
    cutTo(visible(text, flags).replaceAll(/\s+/g, ' '), most, flags);
  const link = url === null ? undefined : plainUrl(url);
  return {
    ...(story_id !== null && { story_id }),
    title: short(title, MAX_TITLE),
    matches: size,
    ...(by.length > 0 && { by: by.slice(0, MAX_NAMES).map((name) => short(name, MAX_NAME)) }),
    ...(link !== undefined && link === visible(link, flags) && { url: link }),
  };
}

/** Token budgets: four characters are counted as one token, and an answer never has more than was asked for. */
const CHARACTERS_PER_TOKEN = 4;

interface Packed {
  readonly shown: readonly ShownMatch[];
  /** The last match that is shown; undefined when there is none to show. */
  readonly last: Match | undefined;
}

/**
 * As many of the matches, in order, as fit beside the rest of the answer. The first is always there: where it does not
 * fit in full it is shown concisely, so that every answer moves the cursor on.
 */
export async function fitMatches(
  rest: object,
  matches: readonly Match[],
  detail: Detail,
  maxTokens: number,
): Promise<Packed> {
  let room = maxTokens * CHARACTERS_PER_TOKEN - JSON.stringify({ ...rest, matches: [] }).length;
  const shown: ShownMatch[] = [];
  for await (const match of unhurried(matches, ({ json }) => piecesOf(json))) {
    let one = showMatch(match, detail);
    if (shown.length === 0 && sizeOf(one) > room) one = asCut(showMatch(match, 'concise'));
    const size = sizeOf(one);
    if (shown.length > 0 && size > room) break;
    shown.push(one);
    room -= size;
  }
  return { shown, last: matches[shown.length - 1] };
}

const asCut = (match: ShownMatch): ShownMatch => ({
  ...match,
  flags: [...(match.flags ?? []).filter((flag) => flag !== 'cut'), 'cut'],
});

/** With the comma behind it. */
const sizeOf = (match: ShownMatch): number => JSON.stringify(match).length + 1;

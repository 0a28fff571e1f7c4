/** How a match is shown to a model: concise (who, when, where, the passage, a link) or full (the whole payload too). */
import { z } from 'zod';
import { parseUrl } from '../base/parse-url.ts';
import { changedLines, changedRows, fieldOf } from '../domain/changed-rows.ts';
import type { Highlight, Match, Payload } from '../domain/match.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { isDemo } from '../domain/source.ts';
import { cutTo, FLAGS, type Flag, plainUrl, visible, visiblePayload } from './untrusted.ts';

export const DETAILS = ['concise', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

export const shownMatch = z.object({
  id: z.string().optional(),
  rule_id: z.string().optional(),
  at: z.string(),
  platform: z.enum(PLATFORMS),
  demo: z.literal(true).optional(),
  post_id: z.string().optional(),
  story_id: z.string().optional(),
  relevance: z.number().optional(),
  relevance_basis: z.string().optional(),
  relevance_reason: z.string().optional(),
  rating: z.string().optional(),
  judged: z.string().optional(),
  flags: z.array(z.string()).optional(),
  untrusted_content: z.record(z.string(), z.unknown()),
});
export type ShownMatch = z.input<typeof shownMatch>;

/** A match, or an event that would be one. */
export type Showable = Pick<Match, 'platform' | 'platformPostId' | 'createdAt' | 'payload' | 'highlights'> &
  Partial<
    Pick<
      Match,
      | 'id'
      | 'ruleId'
      | 'ruleName'
      | 'source'
      | 'storyId'
      | 'relevance'
      | 'relevanceBasis'
      | 'relevanceReason'
      | 'rating'
      | 'judgement'
    >
  >;

/** Characters: 120 tokens of four. */
const CONCISE_SIZE = 480;
/** Characters that the flag `cut` adds. */
const FLAG_SIZE = 16;
const LEAST_PASSAGE = 80;
const PASSAGE_SIZE = { concise: 240, full: 600 };
/** Characters of what changed on a watched page, in all, and of one line. */
const CHANGED_SIZE = { concise: { all: 140, line: 60 }, full: { all: 1_200, line: 240 } };
/** Characters that are shown before the first highlight. */
const LEAD = 60;
/** Units of a text that are looked at for a passage, blanks included. */
const MOST_READ = 4_096;
const MAX_NAME = 60;
const MAX_PAYLOAD = 4_096;

export function showMatch(match: Showable, detail: Detail): ShownMatch {
  const flags = new Set<Flag>();
  const isFull = detail === 'full';
  const changed = changedOf(match, CHANGED_SIZE[detail], flags);
  const content: Record<string, unknown> = {
    // Any key of the account may have written the name of a rule.
    ...(isFull && match.ruleName !== undefined && { rule_name: shortName(match.ruleName, flags) }),
    ...authorOf(match, flags),
    ...linkOf(match, flags),
    ...(changed.length > 0 && { changed }),
    // A model wrote it that had read what the stranger wrote.
    ...(isFull && match.judgement !== undefined && { judge_reason: visible(match.judgement.reason, flags) }),
  };
  // An id that could be a sentence is not ours to vouch for.
  const isPlainId = /^[\w.:-]{1,40}$/.test(match.platformPostId);
  if (!isPlainId) content['post_id'] = cutTo(visible(match.platformPostId, flags), MAX_NAME, flags);
  const shown = (passage: string): ShownMatch => ({
    ...(match.id !== undefined && { id: match.id }),
    ...(match.ruleId !== undefined && { rule_id: match.ruleId }),
    at: match.createdAt.toISOString(),
    platform: match.platform,
    ...(isDemo(match) && { demo: true as const }),
    ...(isPlainId && { post_id: match.platformPostId }),
    ...(match.storyId !== undefined && { story_id: match.storyId }),
    ...(match.relevance !== undefined && { relevance: Math.round(match.relevance * 100) / 100 }),
    ...(match.relevanceBasis !== undefined && { relevance_basis: match.relevanceBasis }),
    ...(isFull && match.relevanceReason !== undefined && { relevance_reason: match.relevanceReason }),
    ...(match.rating !== undefined && { rating: match.rating }),
    ...(match.judgement !== undefined && { judged: match.judgement.relevant ? 'relevant' : 'irrelevant' }),
    ...(flags.size > 0 && { flags: FLAGS.filter((flag) => flags.has(flag)) }),
    untrusted_content: { passage, ...content },
  });
  const passage = passageOf(match, flags);
  if (!isFull) {
    const room = () => CONCISE_SIZE - FLAG_SIZE - JSON.stringify(shown('')).length;
    for (const name of ['url', 'post_id', 'site', 'author', 'changed']) {
      // A link that is cut leads nowhere, so what does not fit is left out.
      if (room() < LEAST_PASSAGE && delete content[name]) flags.add('cut');
    }
    return shown(cutTo(passage, Math.min(room(), PASSAGE_SIZE.concise), flags));
  }
  content['payload'] = visiblePayload(match.payload, MAX_PAYLOAD, flags);
  return shown(cutTo(passage, PASSAGE_SIZE.full, flags));
}

/** Lines that went from a watched page (`-`) and that came to it (`+`), as many as fit. */
function changedOf({ payload }: Showable, { all, line }: { all: number; line: number }, flags: Set<Flag>): string[] {
  const shown: string[] = [];
  let room = all;
  for (const one of changedLines(changedRows(payload))) {
    const text = cutTo(oneLine(visible(beginningOf(one, flags), flags)), line, flags);
    room -= JSON.stringify(text).length + 1;
    if (room < 0) {
      flags.add('cut');
      break;
    }
    shown.push(text);
  }
  return shown;
}

type Passage = Pick<Showable, 'platform' | 'payload' | 'highlights'>;

/** The passage alone, in at most `size` characters. */
export const passageTo = (match: Passage, size: number, flags: Set<Flag>): string =>
  cutTo(passageOf(match, flags), size, flags);

/** The highlighted text with « » around what matched, from a little before the first; else the main text. */
function passageOf({ platform, payload, highlights }: Passage, flags: Set<Flag>): string {
  const field = longestField(payload, highlights);
  if (field === undefined) return oneLine(visible(beginningOf(mainText(platform, payload), flags), flags));
  const spans = highlights.filter((one) => one.field === field).toSorted((a, b) => a.start - b.start);
  const text = textAt(payload, field)!;
  let at = Math.max(0, spans[0]!.start - LEAD);
  let passage = at > 0 ? '…' : '';
  for (const { start, end } of spans) {
    if (start < at) continue;
    const isLast = passage.length + end - at > MOST_READ;
    const before = visible(beginningOf(text.slice(at, start), flags), flags);
    if (start - at > MOST_READ) return oneLine(passage + before);
    passage += `${before}«${visible(beginningOf(text.slice(start, end), flags), flags)}`;
    if (isLast) return oneLine(passage);
    passage += '»';
    at = end;
  }
  return oneLine(passage + visible(text.slice(at, at + PASSAGE_SIZE.full), flags));
}

function beginningOf(text: string, flags: Set<Flag>): string {
  if (text.length <= MOST_READ) return text;
  flags.add('cut');
  return text.slice(0, MOST_READ);
}

const shortName = (text: string, flags: Set<Flag>): string => cutTo(oneLine(visible(text, flags)), MAX_NAME, flags);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Chooses the longest text that shows why it matched: a language code says less than a sentence. */
function longestField(payload: Payload, highlights: readonly Highlight[]): string | undefined {
  let best: { field: string; length: number } | undefined;
  for (const field of new Set(highlights.map((one) => one.field))) {
    const length = textAt(payload, field)?.length ?? 0;
    if (length > (best?.length ?? 0)) best = { field, length };
  }
  return best?.field;
}

function textAt(payload: Payload, path: string): string | undefined {
  const found = path.split('.').reduce<unknown>(fieldOf, payload);
  return typeof found === 'string' ? found : undefined;
}

function mainText(platform: Platform, payload: Payload): string {
  const paths =
    platform === 'x'
      ? ['data.note_tweet.text', 'data.note_post.text', 'data.text']
      : ['title', 'added', 'added.0', 'diff.chunks.0.text'];
  return paths.map((path) => textAt(payload, path)).find((text) => text) ?? '';
}

function authorOf({ platform, payload }: Showable, flags: Set<Flag>): { author?: string; site?: string } {
  if (platform === 'firehose') {
    const url = parseUrl(textAt(payload, 'url') ?? '');
    return url === null ? {} : { site: shortName(url.hostname, flags) };
  }
  const users = fieldOf(fieldOf(payload, 'includes'), 'users');
  const authorId = textAt(payload, 'data.author_id');
  const author = Array.isArray(users) ? users.find((user) => fieldOf(user, 'id') === authorId) : undefined;
  const username = fieldOf(author, 'username');
  return typeof username === 'string' ? { author: shortName(`@${username}`, flags) } : {};
}

/** No link is made of what the demo feed invented: it could lead to the post of a real person. */
function linkOf(match: Showable, flags: Set<Flag>): { url?: string } {
  const { platform, platformPostId, payload } = match;
  if (isDemo(match)) return {};
  if (platform === 'x') {
    return /^\d{1,20}$/.test(platformPostId) ? { url: `https://x.com/i/status/${platformPostId}` } : {};
  }
  const url = plainUrl(textAt(payload, 'url') ?? '');
  return url !== undefined && url === visible(url, flags) ? { url } : {};
}

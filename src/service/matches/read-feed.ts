/** The address of a shared feed answers a page of matches or stories, written in one of the formats. */
import { hash } from 'node:crypto';
import {
  atomFeed,
  type FeedDocument,
  type FeedFormat,
  jsonFeed,
  rssFeed,
  type SyndicatedEntry,
} from '../../delivery/syndication/feed-document.ts';
import { htmlText } from '../../delivery/templates/channel-text.ts';
import { fieldsOfMatch } from '../../delivery/templates/fields.ts';
import { isProblem, type MessageTemplate, parseTemplate } from '../../delivery/templates/template.ts';
import { TemplateFault } from '../../delivery/templates/template-problems.ts';
import type { StoredMatch, StoredStory } from '../../domain/match.ts';
import { isDemo } from '../../domain/source.ts';
import type { SharedFeed } from '../../domain/views.ts';
import { shownText } from '../../signal/shown-text.ts';
import { digestItem } from '../../wakes/digest.ts';
import { cutText } from '../../wakes/summary.ts';
import type { Job } from '../compute.ts';
import type { ReadContext } from '../context.ts';
import { storyTitle } from '../reader/story-title.ts';

/** Fifty entries of 4,000 characters, each of which may take nine bytes when it is escaped twice: under 2 MiB. */
const MAX_ENTRIES = 50;
const LONGEST_TEXT = 4_000;
const LONGEST_TITLE = 200;
const PAGE_BYTES = 4 * 1024 * 1024;

export interface FeedPlace {
  /** The address of this server. */
  readonly base: string;
  /** With the secret. */
  readonly path: string;
  /** The cursor of the page; undefined is the newest. */
  readonly cursor: string | undefined;
  readonly hub: string | undefined;
}

export const WRITERS: Record<FeedFormat, (feed: FeedDocument) => string> = {
  atom: atomFeed,
  rss: rssFeed,
  json: jsonFeed,
};

export interface FeedRequest {
  readonly feed: SharedFeed;
  readonly format: FeedFormat;
  readonly place: FeedPlace;
}

export interface FeedPage {
  readonly body: Uint8Array;
  readonly self: string;
  readonly updated: Date;
}

/** Whoever has the address asks for it, and no key is charged: only a compute thread reads and writes so much for strangers. */
export const sharedFeedPage: Job<ReadContext, FeedRequest, FeedPage> = { name: 'sharedFeedPage', run: writeFeedPage };

async function writeFeedPage(context: ReadContext, { feed, format, place }: FeedRequest): Promise<FeedPage> {
  const address = `${place.base}${place.path}`;
  const at = (cursor: string | undefined) =>
    cursor === undefined ? address : `${address}?cursor=${encodeURIComponent(cursor)}`;
  const { entries, next } = await (feed.contents === 'matches' ? pageOfMatches : pageOfStories)(
    context,
    feed,
    place.cursor,
  );
  const updated = entries.reduce(
    (latest, entry) => (entry.updated > latest ? entry.updated : latest),
    entries[0]?.updated ?? feed.createdAt,
  );
  const self = at(place.cursor);
  const document: FeedDocument = {
    id: urnOf(feed.id),
    title: shown(feed.name, LONGEST_TITLE),
    self,
    next: next === undefined ? undefined : at(next),
    hub: place.hub,
    updated,
    entries,
  };
  return { body: new TextEncoder().encode(WRITERS[format](document)), self, updated };
}

interface EntryPage {
  readonly entries: readonly SyndicatedEntry[];
  readonly next: string | undefined;
}

async function pageOfMatches(
  { store, cursors }: ReadContext,
  { accountId, ruleId, template }: SharedFeed,
  cursor: string | undefined,
): Promise<EntryPage> {
  const written = writerOf(template);
  const { matches, next } = await store.matches({
    accountId,
    limit: MAX_ENTRIES,
    bytes: PAGE_BYTES,
    ...(ruleId !== undefined && { ruleId }),
    ...(cursor !== undefined && { before: cursors.read(accountId, 'older', 'cursor', cursor) }),
  });
  return {
    entries: matches.map((match) => ({ ...entryOf(match.id, match, match.createdAt, ''), ...written(match) })),
    next: next === undefined ? undefined : cursors.write(accountId, 'older', next),
  };
}

async function pageOfStories(
  { store, cursors }: ReadContext,
  { accountId, ruleId, template }: SharedFeed,
  cursor: string | undefined,
): Promise<EntryPage> {
  const written = writerOf(template);
  const { stories, next } = await store.stories({
    accountId,
    limit: MAX_ENTRIES,
    bytes: PAGE_BYTES,
    ...(ruleId !== undefined && { ruleId, ruleIds: [ruleId] }),
    ...(cursor !== undefined && { before: cursors.read(accountId, 'story', 'cursor', cursor) }),
  });
  return {
    entries: stories.map((story) => ({
      ...entryOf(story.id, story.first, story.lastAt, `\n\n${sizeOf(story)}`),
      ...written(story.first),
    })),
    next: next === undefined ? undefined : cursors.write(accountId, 'story', next),
  };
}

const sizeOf = ({ size, lastAt }: StoredStory): string =>
  `${size === 1 ? 'One match' : `${size} matches`}, the last at ${lastAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;

function entryOf(id: string, match: StoredMatch, updated: Date, note: string): SyndicatedEntry {
  const { url, by } = digestItem(match);
  const title = shown(storyTitle(match), LONGEST_TITLE);
  return {
    id: urnOf(id),
    title: `${isDemo(match) ? 'Demo: ' : ''}${title === '' ? 'Untitled' : title}`,
    text: `${shown(shownText(match.platform, match.payload), LONGEST_TEXT)}${note}`,
    link: url,
    author: by,
    published: match.createdAt,
    updated,
    category: match.platform,
  };
}

type Written = Pick<SyndicatedEntry, 'text' | 'html'>;

/** By the template of a feed; nothing where there is none, or it cannot write this match: then the usual text stays. */
function writerOf(text: string | undefined): (match: StoredMatch) => Written | undefined {
  const template = text === undefined ? undefined : parseTemplate(text);
  return template === undefined || isProblem(template) ? () => undefined : (match) => writtenBy(template, match);
}

function writtenBy(template: MessageTemplate, match: StoredMatch): Written | undefined {
  try {
    const { html, plain } = htmlText(template.write(fieldsOfMatch(match)));
    return { text: plain, html: html.replaceAll('\n', '<br>') };
  } catch (error) {
    if (error instanceof TemplateFault) return undefined;
    throw error;
  }
}

/** Every format gets the same text: XML has no way to write what is no character. */
const shown = (text: string, longest: number): string =>
  cutText(text.replaceAll(/\p{Noncharacter_Code_Point}/gu, ''), longest);

/** A name that is the same for ever and says nothing: a UUID of version 8 (RFC 9562) from a digest. */
export function urnOf(id: string): string {
  const digits = hash('sha256', `sluice ${id}`);
  const variant = '89ab'[Number.parseInt(digits[16]!, 16) % 4]!;
  return `urn:uuid:${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

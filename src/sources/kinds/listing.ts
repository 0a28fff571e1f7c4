/**
 * Reads lists that show the newest on top, on a schedule and with conditional requests. The cursor of a list holds its
 * entries and digests of their text; an entry whose text differs from before is yielded as a change. After a break the
 * list is read page by page until an entry is known; where none is, what may be missing is a gap.
 */
import type { z } from 'zod';
import { unhurried } from '../../base/cooperate.ts';
import { digestOf } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext, SourceGap } from '../contract/source.ts';
import type { Feed } from '../feeds/feed.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { createPolite, getIfNew, type Polite, type validators } from '../fetch/polite.ts';
import { rounds } from '../fetch/rounds.ts';
import { SourceError } from '../fetch/source-error.ts';
import { countOf, firstSkipped, type SkippedItem, unreadOf } from '../text/read-items.ts';
import { changesIn, type EntryEvents, type EntryVersion, isKnown, type Memory, memoryShape } from './listing-memory.ts';

/** The description of a kind of source that reads lists. */
export interface Listing {
  /** Names of the lists; the cursors go by them. */
  readonly addresses: readonly string[];
  readonly everyMs: number;
  /** Milliseconds between two requests to a host. */
  readonly pauseMs: number;
  /** `skip`: the entries of the first visit are only remembered. */
  readonly first?: 'whole' | 'skip';
  readonly accept: string;
  /** An id names one entry, in all lists: one that is listed twice is yielded once. */
  readonly hasUniqueIds?: boolean;
  /** All pages are read at each visit: entries may appear below known ones. */
  readonly readsAll?: boolean;
  /** The list has this many entries when it is full: with fewer, none has left it. Where it is not known, any list is full. */
  readonly lists?: number;
  /** Pages read at a visit, at most. */
  readonly mostPages?: number;
  /** Milliseconds after which an entry leaves the list. Without it, a list is never empty. */
  readonly keepsMs?: number;
  /** How many entries an answer says there are in all pages; undefined where it says nothing. */
  totalOf?(answer: HttpAnswer): number | undefined;
  headersOf?(url: string): Readonly<Record<string, string>>;
  /** The URL of the first page; the address itself when it is left out. */
  urlOf?(address: string, visit: { readonly last: Date | undefined; readonly now: Date }): string;
  /** The URL of the page after this one; undefined after the last. */
  next?(answer: HttpAnswer, feed: Feed, pages: number): string | undefined;
  /** Returns undefined when the answer is no such list. */
  read(context: SourceContext, answer: HttpAnswer): Promise<Feed | undefined>;
  /** Throws when the server does not want this URL to be fetched. */
  check?(url: string): Promise<void>;
  eventsOf(version: EntryVersion): EntryEvents;
}

const MAX_BYTES = 8 * 1024 * 1024;
/** The longest pause that a server may ask for by `X-Poll-Interval`. */
const MAX_ASKED_MS = 24 * 3_600_000;

/** A source that reads lists. After a break a list still shows what it got meanwhile, unless all of it is new. */
export const listingSource = (
  name: string,
  kind: string,
  { every, pause }: { readonly every: number; readonly pause: number },
  listing: Omit<Listing, 'everyMs' | 'pauseMs'>,
): Source => ({
  name,
  kind,
  replaysMs: Number.POSITIVE_INFINITY,
  read: (context) => readListing({ ...listing, everyMs: every * 1_000, pauseMs: pause * 1_000 }, context),
});

export function readListing(listing: Listing, context: SourceContext): AsyncIterable<SourceArrival> {
  const polite = createPolite({ ...context, pauseMs: listing.pauseMs });
  const asked = new Map<string, number>();
  const desk: Desk = { listing, context, polite, asked };
  return rounds(context, {
    addresses: listing.addresses,
    everyMs: listing.everyMs,
    askedMs: (address) => asked.get(address),
    visit: (address) => visitList(desk, address),
  });
}

interface Desk {
  readonly listing: Listing;
  readonly context: SourceContext;
  readonly polite: Polite;
  /** Milliseconds between two visits that an address asked for. */
  readonly asked: Map<string, number>;
}

async function visitList(desk: Desk, address: string): Promise<SourceArrival | undefined> {
  const { listing, context } = desk;
  const stored = await context.cursor(address);
  const memory = stored === undefined ? undefined : memoryShape.parse(JSON.parse(stored));
  const now = context.clock.now();
  const found = await readPages(desk, address, memory, now);
  if (found === undefined) return undefined;
  const { feed, hasOverlap, hasMore } = found;
  checkFilled(listing, address, found, memory, now);
  const { events, ...remembered } = await changesIn(listing, address, feed, memory ?? {});
  const shown = eventsOf(memory === undefined && listing.first === 'skip' ? [] : events);
  const { fresh, ...known } = await unreadIn(feed, memory, events.length > 0);
  const unread = unreadOf(address, fresh);
  const told = unread && { unread };
  // The entries after the cut are not known, so the next visit begins where this one did.
  if (feed.isCutOff === true) return { ...shown, ...told, problem: `${address} is cut off in the middle.` };
  const memorised = { ...found.validators, ...remembered, ...known };
  const isSame = JSON.stringify({ ...memory, at: undefined }) === JSON.stringify(memorised);
  if (isSame && listing.readsAll !== true) return undefined;
  const value = JSON.stringify({ ...memorised, at: now.toISOString() } satisfies Memory);
  // An entry that cannot be read fills a place of the list as well.
  const isAllNew = !hasOverlap && feed.entries.length + countOf(feed.skipped) >= (listing.lists ?? 1);
  const isOverrun = memory !== undefined && (hasMore || (isAllNew && listing.readsAll !== true));
  if (isOverrun) context.lost();
  return {
    ...shown,
    ...told,
    cursor: { key: address, value },
    ...(isOverrun && { gaps: [overrun(memory, now)] }),
  };
}

/** The items that cannot be read and were not told yet, and what is remembered of all of them. */
async function unreadIn({ skipped }: Feed, memory: Memory | undefined, hasChanged: boolean) {
  const [counted, single] = [
    skipped.filter(({ count = 0 }) => count > 0),
    skipped.filter(({ count = 0 }) => count === 0),
  ];
  const unread: string[] = [];
  for await (const { item } of unhurried(single)) unread.push(digestOf(item));
  const others = Object.fromEntries(counted.map(({ reason, count }) => [reason, count!]));
  const more = counted.map(({ reason, count }) => ({ reason, count: count! - (memory?.others?.[reason] ?? 0) }));
  return {
    fresh: [...freshIn(single, unread, memory?.unread ?? [], hasChanged), ...more.filter(({ count }) => count > 0)],
    ...(unread.length > 0 && { unread }),
    ...(counted.length > 0 && { others }),
  };
}

/** The items that were not reported yet. When the list has changed, an item without content may be a new one. */
function freshIn(
  skipped: readonly SkippedItem[],
  digests: readonly string[],
  known: readonly string[],
  hasChanged: boolean,
): SkippedItem[] {
  const left = [...known];
  return skipped.filter(({ item }, at) => {
    const place = left.indexOf(digests[at]!);
    if (place >= 0) left.splice(place, 1);
    return place < 0 || (hasChanged && !hasContent(item));
  });
}

const hasContent = (item: unknown): boolean =>
  typeof item === 'object' && item !== null && Object.values(item).some((value) => Boolean(value));

const eventsOf = (events: readonly EntryEvents[]) => ({
  pages: events.map(({ page }) => page),
  posts: events.flatMap(({ post }) => post ?? []),
});

/** Throws when the list has fewer entries than it must have: then its answer is wrong, and nothing is known to be new. */
function checkFilled(
  { keepsMs = Number.POSITIVE_INFINITY }: Listing,
  address: string,
  { feed, total, hasMore }: ReadPages,
  memory: Memory | undefined,
  now: Date,
): void {
  if (feed.isCutOff === true) return;
  const names = new Set(feed.entries.map(({ id, link }) => id ?? link));
  const count = names.size + countOf(feed.skipped) + (feed.leftOut ?? 0);
  if (total !== undefined && count < total && !hasMore)
    throw new SourceError(`${address} says that it has ${total} entries, and lists ${count}.`);
  const isOld = now.getTime() - Date.parse(memory?.at ?? '') >= keepsMs;
  // Pinned entries are there whatever else is.
  const pinned = new Set(feed.entries.filter(({ isPinned }) => isPinned).map(({ id, link }) => id ?? link)).size;
  if (count > pinned || total !== undefined || isOld) return;
  if (Object.keys(memory?.entries ?? {}).length > pinned)
    throw new SourceError(`${address} lists nothing, and had entries before.`);
  if (keepsMs === Number.POSITIVE_INFINITY)
    throw new SourceError(`${address} has listed nothing so far. An empty list and a broken one look the same.`);
}

/** Nothing of what was known is listed any more: entries may have come and gone since. */
const overrun = ({ at }: Memory, to: Date): SourceGap => ({
  from: at === undefined ? to : new Date(at),
  to,
  cause: 'source_overrun',
  recovered: false,
});

interface ReadPages {
  readonly feed: Feed;
  readonly validators: z.output<typeof validators>;
  /** An entry was known before. */
  readonly hasOverlap: boolean;
  /** More pages were there than may be read. */
  readonly hasMore: boolean;
  /** How many entries the first page says there are. */
  readonly total: number | undefined;
}

/** The first page, and those after it that are needed. Undefined when nothing is new. */
async function readPages(
  { listing, context, polite, asked }: Desk,
  address: string,
  memory: Memory | undefined,
  now: Date,
): Promise<ReadPages | undefined> {
  const last = memory?.at === undefined ? undefined : new Date(memory.at);
  const most = listing.mostPages ?? 1;
  let url: string | undefined = listing.urlOf?.(address, { last, now }) ?? address;
  let read: ReadPages | undefined;
  for (let pages = 1; url !== undefined; pages++) {
    if (pages > most) return { ...read!, hasMore: true };
    await listing.check?.(url);
    const answer = await getIfNew(polite, {
      url,
      accept: listing.accept,
      maxBytes: MAX_BYTES,
      known: pages === 1 ? memory : undefined,
      signal: context.signal,
      headers: listing.headersOf?.(url) ?? {},
      onHeaders: ({ 'x-poll-interval': seconds }) => noteAsked(asked, address, Number(seconds)),
    });
    if (answer === undefined) return read;
    const feed = await listing.read(context, answer);
    if (feed === undefined) throw new SourceError(`${url} is not a feed.`);
    const hasOverlap = (read?.hasOverlap ?? false) || (await isKnown(listing, feed, memory));
    read = {
      feed: joined(read?.feed, feed),
      validators: read?.validators ?? answer.validators,
      hasOverlap,
      hasMore: false,
      total: read === undefined ? listing.totalOf?.(answer) : read.total,
    };
    const goesOn = listing.readsAll === true || (memory !== undefined && !hasOverlap);
    url = goesOn && feed.entries.length > 0 && !feed.isCutOff ? listing.next?.(answer, feed, pages) : undefined;
  }
  return read;
}

function noteAsked(asked: Map<string, number>, address: string, seconds: number): void {
  if (seconds > 0) asked.set(address, Math.min(seconds * 1_000, MAX_ASKED_MS));
}

const joined = (before: Feed | undefined, feed: Feed): Feed =>
  before === undefined
    ? feed
    : {
        ...before,
        entries: [...before.entries, ...feed.entries],
        skipped: firstSkipped([...before.skipped, ...feed.skipped]),
        leftOut: (before.leftOut ?? 0) + (feed.leftOut ?? 0),
        isCutOff: before.isCutOff === true || feed.isCutOff === true,
      };

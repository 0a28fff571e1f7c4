/** The memory of a list between two visits, and the entries that are new or changed against it. */
import { z } from 'zod';
import { unhurried } from '../../base/cooperate.ts';
import { digestOf, type Page } from '../contract/page.ts';
import type { Post } from '../contract/post.ts';
import type { Feed, FeedEntry } from '../feeds/feed.ts';
import { validators } from '../fetch/polite.ts';
import { changeOf } from '../text/passages.ts';

export interface EntryVersion {
  readonly address: string;
  readonly feed: Feed;
  readonly entry: FeedEntry;
  readonly id: string;
  readonly change: { readonly added: string | readonly string[]; readonly removed?: readonly string[] };
  readonly isNew: boolean;
}

export interface EntryEvents {
  readonly page: Page;
  readonly post?: Post | undefined;
}

interface EntryRules {
  /** An id names one entry, in all lists: one that is listed twice is yielded once. */
  readonly hasUniqueIds?: boolean;
  eventsOf(version: EntryVersion): EntryEvents;
}

export const memoryShape = validators.extend({
  /** By the digest of an entry's id: the digest of its text, and the text itself when it is short. */
  entries: z.record(z.string(), z.tuple([z.string(), z.string()])),
  /** How often an entry has changed, by the digest of its id; those that never did are left out. */
  changes: z.record(z.string(), z.number()).optional(),
  /** Digests of what was listed and cannot be read: it was told once. */
  unread: z.array(z.string()).optional(),
  /** How many more there were, by the reason. */
  others: z.record(z.string(), z.number()).optional(),
  /** When the list was last read and had changed. */
  at: z.string().optional(),
});
export type Memory = z.output<typeof memoryShape>;

/** Characters of an entry that are remembered, and of all entries of a list together. */
const MAX_KEPT_TEXT = 2_000;
const MAX_KEPT_TEXTS = 1_000_000;
/** The pairs of passages of an entry that are compared in order: a list of five hundred that have all changed is read in one visit. */
const MAX_PAIRS = 20_000;
/** Entries that have left a list are remembered up to this many: some lists show their entries in turn. */
const MAX_KEPT = 1_000;

/** Whether an entry was listed before, other than one that stays on top. */
export async function isKnown(rules: EntryRules, feed: Feed, memory: Memory | undefined): Promise<boolean> {
  const keys = await entryKeys(rules, feed);
  return keys.some(({ entry, key }) => entry.isPinned !== true && memory?.entries[key] !== undefined);
}

/** New and changed entries, oldest first; lists have the newest on top. */
export async function changesIn(
  rules: EntryRules,
  address: string,
  feed: Feed,
  { entries: known = {}, changes: counts = {} }: Partial<Pick<Memory, 'entries' | 'changes'>>,
): Promise<{ events: EntryEvents[] } & Pick<Memory, 'entries' | 'changes'>> {
  const events: EntryEvents[] = [];
  const seen = new Map<string, [string, string]>();
  const changed = new Map(Object.entries(counts));
  let room = MAX_KEPT_TEXTS;
  for await (const { entry, key } of unhurried((await entryKeys(rules, feed)).toReversed())) {
    if (seen.has(key)) continue;
    const text = entry.content || entry.summary;
    const version = digestOf(entry.title, text);
    const kept = text.length <= Math.min(MAX_KEPT_TEXT, room) ? text : '';
    room -= kept.length;
    seen.set(key, [version, kept]);
    const before = known[key];
    if (before?.[0] === version) continue;
    const change = before === undefined || before[1] === '' ? { added: text } : changeOf(before[1], text, MAX_PAIRS);
    const name = rules.hasUniqueIds === true ? digestOf(key) : digestOf(address, key);
    const id = [name, version, ...(before === undefined ? [] : changeIn(before[0], changed, key))].join('/');
    events.push(rules.eventsOf({ address, feed, entry, id, change, isNew: before === undefined }));
  }
  const gone = Object.entries(known).filter(([key]) => !seen.has(key));
  const entries = Object.fromEntries([...seen, ...gone.slice(0, Math.max(0, MAX_KEPT - seen.size))]);
  const kept = [...changed].filter(([key]) => Object.hasOwn(entries, key));
  return { events, entries, ...(kept.length > 0 && { changes: Object.fromEntries(kept) }) };
}

/** Tells a change from any other in an id: it may happen a second time. The first has no number, as before they were counted. */
function changeIn(before: string, counts: Map<string, number>, key: string): string[] {
  const count = counts.get(key) ?? 0;
  counts.set(key, count + 1);
  return count === 0 ? [before] : [before, String(count)];
}

/** An entry is known by its id, or its link. Entries that share an id are told apart by id, link and title. */
async function entryKeys(
  { hasUniqueIds = false }: EntryRules,
  { entries }: Feed,
): Promise<{ entry: FeedEntry; key: string }[]> {
  const named: { entry: FeedEntry; id: string; whole: string }[] = [];
  for await (const entry of unhurried(entries)) {
    const id = digestOf(entry.id ?? entry.link ?? [entry.title, entry.content || entry.summary]);
    named.push({ entry, id, whole: digestOf(entry.id, entry.link, entry.title) });
  }
  // One that is listed twice shares its id with nothing else.
  const sharing = Map.groupBy(new Map(named.map((one) => [one.whole, one])).values(), ({ id }) => id);
  return named.map(({ entry, id, whole }) => ({
    entry,
    key: hasUniqueIds || sharing.get(id)!.length === 1 ? id : whole,
  }));
}

/** The id of an entry's page without a version, of a list with unique ids. */
export const entryStem = (id: string): string => digestOf(digestOf(id));

/**
 * How long each part of an event may be, in one table (docs/http-api.md shows it to senders). What X and Firehose send stays
 * far below. An event beyond a limit is rejected whole: no value is cut or dropped, so every rule sees all of an event.
 * Together the limits keep the work for one event within some tens of milliseconds.
 */
const MEBI = 1024 * 1024;

/** Characters (UTF-16 units) of one value, by the field under which rules know it. */
const CHARACTERS: Readonly<Record<string, number>> = {
  id: 1_024,
  text: MEBI,
  added: MEBI,
  removed: MEBI,
  added_anchor: MEBI,
  removed_anchor: MEBI,
  title: 8_192,
  url: 8_192,
  url_title: 8_192,
  url_description: 8_192,
  bio: 8_192,
  domain: 253,
  language: 64,
  lang: 64,
  publish_time: 64,
};

/** Names, tags, categories, ids of people and places, and everything else. */
export const OTHER_CHARACTERS = 1_024;

/** Entries of one list, by its name in the payload. */
const ENTRIES: Readonly<Record<string, number>> = {
  chunks: 10_000,
  added: 1_000,
  removed: 1_000,
  added_anchor: 1_000,
  removed_anchor: 1_000,
  urls: 1_000,
  hashtags: 2_000,
  cashtags: 2_000,
  mentions: 2_000,
  annotations: 2_000,
  context_annotations: 2_000,
  users: 1_000,
  tweets: 1_000,
  posts: 1_000,
  media: 1_000,
  places: 1_000,
};

/** Domains, categories, types, referenced posts, media keys, affiliations, and every other list. */
export const OTHER_ENTRIES = 64;

export const EVENT_LIMITS = { characters: CHARACTERS, entries: ENTRIES };

/** No value shorter than this is too long, so that most need no look at the table. */
const SHORTEST_LIMIT = Math.min(OTHER_CHARACTERS, ...Object.values(CHARACTERS));

/** Says what is wrong with a value of a field, at a path of the payload; undefined means that nothing is. */
export function lengthProblem(field: string, length: number, path: string): string | undefined {
  if (length <= SHORTEST_LIMIT) return undefined;
  const most = CHARACTERS[field] ?? OTHER_CHARACTERS;
  return length <= most ? undefined : `\`${path}\` has ${length} characters, and ${most} are the most`;
}

/** Says what is wrong with a list of the payload; undefined means that nothing is. */
export function listProblem(name: string, length: number, path: string): string | undefined {
  if (length <= OTHER_ENTRIES) return undefined;
  const most = ENTRIES[name] ?? OTHER_ENTRIES;
  return length <= most ? undefined : `\`${path}\` has ${length} entries, and ${most} are the most`;
}

/** Says what is wrong with the id of an event: one that UTF-8 cannot carry could never be asked for again. */
export function idProblem(id: string, path: string): string | undefined {
  if (!id.isWellFormed()) return `\`${path}\` has half a surrogate pair, which UTF-8 cannot carry`;
  return lengthProblem('id', id.length, path);
}

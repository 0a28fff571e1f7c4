/**
 * Finds which posts of an X payload a rule looks at, and who wrote them: `data` names posts, people, media and places by id,
 * `includes` holds those that were asked for. Anything may be missing.
 */
import { idIn, type JsonRecord, listIn, recordIn, textIn } from '../../base/json.ts';
import { extractEntities } from '../../rules/x/entities.ts';

/** Characters of the longest posts of X. Tags and links are not looked for in a longer text that comes without entities. */
export const LONGEST_POST = 25_000;

export interface Included {
  readonly users: readonly unknown[];
  readonly posts: readonly unknown[];
  readonly postsPath: string;
  readonly media: readonly unknown[];
  readonly places: readonly unknown[];
}

const NOTHING_INCLUDED: Included = { users: [], posts: [], postsPath: '', media: [], places: [] };

/** A part of the payload and its path there. */
export interface PayloadPart {
  readonly record: JsonRecord;
  readonly path: string;
}

export interface Reference {
  readonly id: string;
  readonly path: string;
  readonly post: PayloadPart | undefined;
}

export interface References {
  readonly retweeted: Reference | undefined;
  readonly quoted: Reference | undefined;
  readonly repliedTo: Reference | undefined;
}

const NO_REFERENCES: References = { retweeted: undefined, quoted: undefined, repliedTo: undefined };

/** A post whose text and entities a rule sees. */
export interface SeenPost {
  readonly record: JsonRecord;
  readonly path: string;
  readonly text: string;
  readonly textPath: string;
  readonly entities: JsonRecord;
  /** Empty when the payload had no entities and they were found in the text. */
  readonly entitiesPath: string;
  /** Their offsets are those of the text up to this code point. */
  readonly offsetsEnd: number;
  /** A long post, whose text is its note, with the entities of its cut text that count as well. */
  readonly cut: SeenPost | undefined;
}

export function readIncluded(value: unknown): Included {
  const includes = recordIn(value);
  if (includes === undefined) return NOTHING_INCLUDED;
  const renamed = listIn(includes['posts']).length > 0;
  return {
    users: listIn(includes['users']),
    posts: listIn(renamed ? includes['posts'] : includes['tweets']),
    postsPath: renamed ? 'includes.posts' : 'includes.tweets',
    media: listIn(includes['media']),
    places: listIn(includes['places']),
  };
}

export const userOf = (included: Included, id: string | undefined): PayloadPart | undefined =>
  find(included.users, 'includes.users', id);

/** The users with these ids, found in one pass. */
export function usersWith(ids: ReadonlySet<string>, { users }: Included): Map<string, PayloadPart> {
  const found = new Map<string, PayloadPart>();
  for (let at = 0; ids.size > 0 && at < users.length; at++) {
    const record = recordIn(users[at]);
    const id = idIn(record?.['id']);
    if (id === undefined || !ids.has(id) || found.has(id)) continue;
    found.set(id, { record: record!, path: `includes.users.${at}` });
  }
  return found;
}

export const placeOf = (included: Included, id: string | undefined): PayloadPart | undefined =>
  find(included.places, 'includes.places', id);

function find(list: readonly unknown[], path: string, id: string | undefined): PayloadPart | undefined {
  if (id === undefined) return undefined;
  for (let at = 0; at < list.length; at++) {
    const record = recordIn(list[at]);
    if (record !== undefined && idIn(record['id']) === id) return { record, path: `${path}.${at}` };
  }
  return undefined;
}

/** The first reference of each kind: X gives one at most. */
export function referencesOf(post: JsonRecord, included: Included): References {
  const renamed = listIn(post['referenced_posts']).length > 0;
  const list = listIn(renamed ? post['referenced_posts'] : post['referenced_tweets']);
  if (list.length === 0) return NO_REFERENCES;
  const path = renamed ? 'data.referenced_posts' : 'data.referenced_tweets';
  const pick = (type: string): Reference | undefined => {
    const at = list.findIndex((one) => recordIn(one)?.['type'] === type);
    const id = idIn(recordIn(list[at])?.['id']);
    if (id === undefined) return undefined;
    return { id, path: `${path}.${at}.id`, post: find(included.posts, included.postsPath, id) };
  };
  return { retweeted: pick('retweeted'), quoted: pick('quoted'), repliedTo: pick('replied_to') };
}

/**
 * The posts whose content counts: the delivered one, and the one it reposts or quotes. A repost's own text is `RT @name: `
 * and a cut copy, so `@name` and its words count whether or not the original came along.
 */
export function seenPosts(post: JsonRecord, { retweeted, quoted }: References): SeenPost[] {
  const own = seenAt(post, 'data');
  const within = (retweeted ?? quoted)?.post;
  return within === undefined ? [own] : [own, seenAt(within.record, within.path)];
}

function seenAt(record: JsonRecord, path: string): SeenPost {
  const name = recordIn(record['note_tweet']) === undefined ? 'note_post' : 'note_tweet';
  const note = recordIn(record[name]);
  const noteText = textIn(note?.['text']);
  const shortText = textIn(record['text']) ?? '';
  if (noteText === undefined) return withEntities({ record, path }, shortText, record, path);
  const long = withEntities({ record, path }, noteText, note!, `${path}.${name}`);
  const listed = recordIn(record['entities']);
  if (listed === undefined) return long;
  const entities = alsoCounting(listed, long);
  const offsetsEnd = commonPoints(shortText, noteText);
  return { ...long, cut: { ...long, entities, entitiesPath: `${path}.entities`, offsetsEnd } };
}

/**
 * X lists what it recognised beside the cut text alone, and there says where a link leads that was found in the note. Of other
 * kinds the note has all there is, where it lists them. The cut text may end with a link to the post itself.
 */
function alsoCounting(listed: JsonRecord, { record, entities, entitiesPath }: SeenPost): JsonRecord {
  const counting: Record<string, unknown> = { annotations: listed['annotations'] };
  for (const kind of ['hashtags', 'mentions', 'cashtags'])
    if (!Array.isArray(entities[kind])) counting[kind] = listed[kind];
  if (entitiesPath !== '' && Array.isArray(entities['urls'])) return counting;
  const itself = `/status/${idIn(record['id'])}`;
  const links = listIn(listed['urls']).map((link) =>
    textIn(recordIn(link)?.['expanded_url'])?.endsWith(itself) === true ? undefined : link,
  );
  return links.some((link) => link !== undefined) ? { ...counting, urls: links } : counting;
}

/** Code points that two texts have in common at their beginning. */
function commonPoints(one: string, other: string): number {
  let points = 0;
  for (let at = 0; at < one.length && one.codePointAt(at) === other.codePointAt(at); points++)
    at += one.codePointAt(at)! > 0xffff ? 2 : 1;
  return points;
}

function withEntities(post: PayloadPart, text: string, holder: JsonRecord, path: string): SeenPost {
  const entities = recordIn(holder['entities']);
  // Nearly every post is `data`: its paths need not be put together each time.
  const own = path === 'data';
  return {
    record: post.record,
    path: post.path,
    text,
    textPath: own ? 'data.text' : `${path}.text`,
    entities: entities ?? extractedFrom(text),
    entitiesPath: entities === undefined ? '' : own ? 'data.entities' : `${path}.entities`,
    offsetsEnd: Number.POSITIVE_INFINITY,
    cut: undefined,
  };
}

/** The entities of a text that came without, in the payload's shape: there offsets count code points. */
function extractedFrom(text: string): JsonRecord {
  if (text.length > LONGEST_POST) return {};
  const entities = extractEntities(text);
  if (!/[\ud800-\udbff]/.test(text)) return { ...entities };
  return Object.fromEntries(Object.entries(entities).map(([kind, list]) => [kind, countedInPoints(text, list)]));
}

/** The list is in order, so the text is walked once. */
function countedInPoints(text: string, list: readonly { readonly start: number; readonly end: number }[]) {
  let unit = 0;
  let point = 0;
  const pointAt = (wanted: number) => {
    for (; unit < wanted; point++) unit += text.codePointAt(unit)! > 0xffff ? 2 : 1;
    return point;
  };
  return list.map((one) => ({ ...one, start: pointAt(one.start), end: pointAt(one.end) }));
}

/** A reply: it names the post or the person it answers. */
export const isReply = (post: JsonRecord): boolean =>
  idIn(post['in_reply_to_user_id']) !== undefined || referencesOf(post, NOTHING_INCLUDED).repliedTo !== undefined;

const NO_MEDIA: readonly string[] = [];

/** `photo`, `video`, `animated_gif` for each medium attached to the posts; by the key's number when it is not included. */
export function mediaOf(seen: readonly SeenPost[], included: Included): readonly string[] {
  let types = NO_MEDIA;
  for (const { record } of seen) {
    const keys = listIn(recordIn(record['attachments'])?.['media_keys']);
    if (keys.length > 0) types = [...types, ...keys.map((key) => typeOf(key, included))];
  }
  return types;
}

function typeOf(key: unknown, { media }: Included): string {
  const medium = media.find((one) => recordIn(one)?.['media_key'] === key);
  return textIn(recordIn(medium)?.['type']) ?? typeByKey(textIn(key) ?? '');
}

function typeByKey(key: string): string {
  switch (key.slice(0, key.indexOf('_'))) {
    case '3':
      return 'photo';
    case '7':
    case '13':
      return 'video';
    default:
      return 'animated_gif';
  }
}

/**
 * A post or a page as people read it: author, passages with their highlights, and link. The payload is untrusted and may
 * hold anything; values of an unexpected shape are left out.
 */
import { webUrl } from '../../../src/base/parse-url.ts';
import type { Match, Platform } from '../data/queries.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Passage {
  /** The path of the passage in the payload. */
  readonly field: string;
  readonly role: 'title' | 'text' | 'added' | 'removed' | 'detail';
  readonly text: string;
  readonly spans: readonly Span[];
}

export interface ReadEvent {
  readonly author: { readonly name: string; readonly username: string } | undefined;
  /** The id of the author of a post whose payload does not describe them. */
  readonly authorId: string | undefined;
  /** The host of a page. */
  readonly host: string | undefined;
  readonly passages: readonly Passage[];
  /** The texts of a watched page that changed, each beside the text that stood there before. */
  readonly rows: readonly ChangedRow[];
  /** Always http or https. */
  readonly link: string | undefined;
  /** When the event says it was published. */
  readonly at: string | undefined;
  readonly language: string | undefined;
  readonly isDemo: boolean;
}

export interface ChangedRow {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;
type Highlights = Match['highlights'];
type Unmarked = Omit<Passage, 'spans'>;

/** No link is made of an event that the demo feed invented. */
export function readEvent(platform: Platform, payload: Json, highlights: Highlights, demo?: boolean): ReadEvent {
  const { link, ...event } = platform === 'x' ? readPost(payload) : readPage(payload);
  const isDemo = demo === true;
  return { ...event, link: isDemo ? undefined : link, passages: marked(event.passages, payload, highlights), isDemo };
}

type Unread = Omit<ReadEvent, 'passages' | 'isDemo'> & { readonly passages: readonly Unmarked[] };

function readPost(payload: Json): Unread {
  const isWrapped = record(payload['data']) !== undefined;
  const post = record(payload['data']) ?? payload;
  const prefix = isWrapped ? 'data.' : '';
  const users = list(record(payload['includes'])?.['users']).map(record);
  const user = users.find((one) => one?.['id'] === post['author_id']) ?? record(post['author']);
  const username = text(user?.['username']);
  const id = text(post['id']);
  return {
    author: username === undefined ? undefined : { username, name: text(user?.['name']) ?? username },
    authorId: text(post['author_id']),
    host: undefined,
    passages: postText(post, prefix),
    rows: [],
    // A post of another network has its own address.
    link: webLink(text(payload['url'])) ?? postLink(id, username),
    at: text(post['created_at']),
    language: text(post['lang']),
  };
}

export interface Who {
  readonly name: string;
  /** The handle of a person. */
  readonly handle?: string;
  readonly isSite?: true;
}

/** The author as a person, a site, or what is known instead of a name. */
export function whoOf({ author, authorId, host }: Pick<ReadEvent, 'author' | 'authorId' | 'host'>): Who {
  if (author !== undefined) return { name: author.name, handle: `@${author.username}` };
  if (host !== undefined) return { name: host.replace(/^www\./, ''), isSite: true };
  return { name: authorId === undefined ? 'Author not named' : `Author ${authorId}` };
}

/** A long post has its whole text in `note_tweet` or `note_post`, beside the shortened one. */
function postText(post: Json, prefix: string): Unmarked[] {
  for (const name of ['note_tweet', 'note_post']) {
    const whole = text(record(post[name])?.['text']);
    if (whole !== undefined) return [{ field: `${prefix}${name}.text`, role: 'text', text: whole }];
  }
  const plain = text(post['text']);
  return plain === undefined ? [] : [{ field: `${prefix}text`, role: 'text', text: plain }];
}

function postLink(id: string | undefined, username: string | undefined): string | undefined {
  if (id === undefined || !/^\d{1,20}$/.test(id)) return undefined;
  const author = username !== undefined && /^\w{1,50}$/.test(username) ? username : 'i';
  return `https://x.com/${author}/status/${id}`;
}

function readPage(page: Json): Unread {
  const link = webLink(text(page['url']));
  const title = text(page['title']);
  return {
    author: undefined,
    authorId: undefined,
    host: link === undefined ? undefined : new URL(link).host,
    passages: [
      ...(title === undefined ? [] : [{ field: 'title', role: 'title' as const, text: title }]),
      ...changesOf(page),
    ],
    rows: rowsOf(page),
    link,
    at: text(page['publish_time']),
    language: text(page['language']),
  };
}

function rowsOf(page: Json): ChangedRow[] {
  return list(record(record(page['source'])?.['original'])?.['rows']).flatMap((one) => {
    const row = record(one);
    const [before, after] = [text(row?.['before']), text(row?.['after'])];
    return before === undefined && after === undefined ? [] : [{ before, after }];
  });
}

function changesOf(page: Json): Unmarked[] {
  const chunks = list(record(page['diff'])?.['chunks']).flatMap((chunk, at): Unmarked[] => {
    const { typ, text: said } = record(chunk) ?? {};
    if (typeof said !== 'string' || (typ !== 'ins' && typ !== 'del')) return [];
    return [{ field: `diff.chunks.${at}.text`, role: typ === 'ins' ? 'added' : 'removed', text: said }];
  });
  const named = (['added', 'removed'] as const).flatMap((role): Unmarked[] => {
    const value = page[role];
    if (typeof value === 'string') return [{ field: role, role, text: value }];
    return list(value).flatMap((one, at) =>
      typeof one === 'string' ? [{ field: `${role}.${at}`, role, text: one }] : [],
    );
  });
  return [...chunks, ...named];
}

/** Highlights outside the usual passages (in a name, a link, a quoted post) are shown as details. */
function marked(passages: readonly Unmarked[], payload: Json, highlights: Highlights): Passage[] {
  const spans = new Map<string, Span[]>();
  for (const { field, start, end } of highlights) spans.set(field, [...(spans.get(field) ?? []), { start, end }]);
  const shown = passages.map((passage) => ({ ...passage, spans: spans.get(passage.field) ?? [] }));
  for (const { field } of passages) spans.delete(field);
  const details = [...spans].flatMap(([field, places]): Passage[] => {
    const said = text(valueAt(payload, field));
    return said === undefined ? [] : [{ field, role: 'detail', text: said, spans: places }];
  });
  return [...shown, ...details];
}

/** The value at a path such as `data.text`. */
export function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The address if it is safe in a link. A scheme other than http or https could be a script. */
export const webLink = (url: string | undefined): string | undefined => webUrl(url ?? '')?.href;

/** How many places of a searched text are marked. */
const MOST_FOUND = 50;

/** The places of a searched text, in upper or lower case. */
export function spansOf(whole: string, searched: string): Span[] {
  const spans: Span[] = [];
  const [text, wanted] = [whole.toLowerCase(), searched.toLowerCase()];
  // The offsets would be wrong if lower case changed the length of the text.
  if (wanted === '' || text.length !== whole.length) return spans;
  for (let at = text.indexOf(wanted); at !== -1 && spans.length < MOST_FOUND; at = text.indexOf(wanted, at + 1))
    spans.push({ start: at, end: at + wanted.length });
  return spans;
}

/** The length of a passage in a list, short enough that the visible lines contain the first highlight. */
export const EXCERPT = 180;
/** The lengths in rows of a phone, or beside an open match: of a post, and below the title of a page. */
export const NARROW_EXCERPT = { post: 110, page: 60 } as const;

/** A part of a long passage, around the first highlight. */
export function excerptOf({ text: whole, spans }: Pick<Passage, 'text' | 'spans'>, longest: number) {
  if (whole.length <= longest) return { text: whole, spans };
  const first = spans[0]?.start ?? 0;
  const from = first < longest * 0.7 ? 0 : wordStart(whole, first - Math.floor(longest / 4));
  const to = Math.min(whole.length, from + longest);
  const before = from === 0 ? '' : '… ';
  return {
    text: before + whole.slice(from, to) + (to < whole.length ? ' …' : ''),
    spans: spans
      .filter(({ start }) => start >= from && start < to)
      .map(({ start, end }) => ({
        start: start - from + before.length,
        end: Math.min(end, to) - from + before.length,
      })),
  };
}

function wordStart(whole: string, at: number): number {
  const space = whole.indexOf(' ', at);
  return space === -1 || space > at + 40 ? at : space + 1;
}

const record = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

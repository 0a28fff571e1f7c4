/**
 * Hacker News: every story and comment by its number, fetched as the numbers grow, and the edits that the site lists. The
 * cursor is the highest number up to which everything was read.
 */
import { z } from 'zod';
import { createLru, type Lru } from '../../base/lru.ts';
import { digestOf, type Page, pageOf } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext } from '../contract/source.ts';
import { everyOption } from '../fetch/rounds.ts';
import { SourceError } from '../fetch/source-error.ts';
import { webAddress } from '../fetch/web-address.ts';
import { plainText } from '../text/plain-text.ts';
import { jsonOf, readItem } from '../text/read-items.ts';

export const hackerNewsOptions = z.strictObject({
  url: webAddress.default('https://hacker-news.firebaseio.com'),
  /** Seconds between two visits. */
  every: everyOption(1, 15),
  stories: z.boolean().default(true),
  comments: z.boolean().default(true),
});

type Options = z.output<typeof hackerNewsOptions>;

const itemShape = z.looseObject({
  id: z.int(),
  type: z.string().optional(),
  time: z.number().optional(),
  title: z.string().default(''),
  text: z.string().default(''),
  url: z.string().default(''),
  deleted: z.boolean().default(false),
  dead: z.boolean().default(false),
});
type Item = z.output<typeof itemShape>;

/** A first start begins this many items back, so that there is something to see. */
const FIRST = 30;
const AT_ONCE = 10;
const MAX_BYTES = 1024 * 1024;
/** A number may be given out before its item can be read; after this many visits it is given up. */
const PATIENCE = 10;
/** Items whose text is remembered, to tell an edit from a vote. */
const REMEMBERED = 20_000;

export function hackerNews(name: string, options: Options): Source {
  return {
    name,
    kind: 'hackernews',
    // Every item keeps its number.
    replaysMs: Number.POSITIVE_INFINITY,
    async *read(context) {
      const site: Site = { source: name, options, context, texts: createLru({ limit: REMEMBERED }) };
      const stored = await context.cursor();
      let done = stored === undefined ? undefined : Number(stored);
      const missing = new Map<number, number>();
      while (!context.signal.aborted) {
        const visited = context.clock.now();
        const newest = newestIn(await ask(site, 'maxitem'));
        context.live();
        done ??= Math.max(0, newest - FIRST);
        if (newest < done) throw new SourceError(`Hacker News says that ${newest} is its newest item, after ${done}.`);
        const wanted = [...missing.keys(), ...numbers(done + 1, newest)];
        for (let from = 0; from < wanted.length; from += AT_ONCE) {
          const ids = wanted.slice(from, from + AT_ONCE);
          const items = await Promise.all(ids.map((id) => itemOf(site, id)));
          const givenUp = ids.filter((id, at) => isGivenUp(missing, id, items[at]));
          done = Math.max(done, ids.at(-1)!);
          const whole = Math.min(done, ...[...missing.keys()].map((id) => id - 1));
          const pages = items.flatMap((item) => newItem(site, item));
          yield { pages, cursor: { value: String(whole) }, ...unreadIn(givenUp) };
        }
        yield* edits(site);
        // An item that cannot be read yet is waited for.
        if (missing.size === 0) yield { pages: [], reaches: visited };
        await context.clock.sleep(options.every * 1_000, context.signal);
      }
    },
  };
}

interface Site {
  readonly source: string;
  readonly options: Options;
  readonly context: SourceContext;
  /** The text of items that were read lately, by their numbers. */
  readonly texts: Lru<number, string>;
}

function* numbers(from: number, to: number): Iterable<number> {
  for (let number = from; number <= to; number++) yield number;
}

/** Whether an item was waited for in vain. */
function isGivenUp(missing: Map<number, number>, id: number, item: Item | undefined): boolean {
  const visits = (missing.get(id) ?? 0) + 1;
  if (item === undefined && visits < PATIENCE) missing.set(id, visits);
  else missing.delete(id);
  return item === undefined && visits >= PATIENCE;
}

const unreadIn = (ids: readonly number[]): Pick<SourceArrival, 'unread'> =>
  ids.length === 0 ? {} : { unread: { count: ids.length, message: `Items that cannot be read: ${ids.join(', ')}.` } };

function newestIn(answer: unknown): number {
  const { data } = z.int().safeParse(answer);
  if (data === undefined) throw new SourceError('Hacker News does not say which item is its newest.');
  return data;
}

async function ask({ options, context }: Site, path: string): Promise<unknown> {
  const { status, body, retryAfter } = await context.http.get({
    url: new URL(`/v0/${path}.json`, options.url).href,
    maxBytes: MAX_BYTES,
    signal: context.signal,
  });
  if (status !== 200) throw new SourceError(`Hacker News answered ${status}.`, { retryAfter });
  const answer = jsonOf(body.toString());
  if (answer === undefined) throw new SourceError('Hacker News answered with something that is not JSON.');
  return answer;
}

/** Returns undefined when the item cannot be read, or is not there yet. */
async function itemOf(site: Site, id: number): Promise<Item | undefined> {
  const [item] = readItem(await ask(site, `item/${id}`), itemShape).items;
  return item?.id === id ? item : undefined;
}

const isWanted = ({ options }: Site, { type, deleted, dead }: Item): boolean =>
  !deleted && !dead && (type === 'comment' ? options.comments : options.stories) && type !== 'pollopt';

function newItem(site: Site, item: Item | undefined): Page[] {
  if (item === undefined || !isWanted(site, item)) return [];
  const text = textOf(item);
  site.texts.set(item.id, text);
  return [pageOfItem(site.source, item, { added: text })];
}

/** The site names items that changed, most of them by a vote. An edit shows only where the earlier text is known. */
async function* edits(site: Site): AsyncIterable<SourceArrival> {
  const { data: updates } = z.object({ items: z.array(z.int()).default([]) }).safeParse(await ask(site, 'updates'));
  if (updates === undefined) throw new SourceError('Hacker News answered with something that is no list of updates.');
  const known = updates.items.filter((id) => site.texts.get(id) !== undefined);
  for (let from = 0; from < known.length; from += AT_ONCE) {
    const ids = known.slice(from, from + AT_ONCE);
    const found = await Promise.all(ids.map((id) => itemOf(site, id)));
    const pages = found.flatMap((item) => editOf(site, item));
    const unread = unreadIn(ids.filter((_, at) => found[at] === undefined));
    if (pages.length > 0 || unread.unread !== undefined) yield { pages, ...unread };
  }
}

function editOf(site: Site, item: Item | undefined): Page[] {
  if (item === undefined || !isWanted(site, item)) return [];
  const before = site.texts.get(item.id);
  const text = textOf(item);
  if (before === text) return [];
  site.texts.set(item.id, text);
  return [pageOfItem(site.source, item, { added: text, removed: before })];
}

const textOf = ({ title, text }: Item): string =>
  [plainText(title), plainText(text)].filter((part) => part !== '').join('\n');

const TYPES: Readonly<Record<string, readonly string[]>> = {
  comment: ['/User_Generated_Content', '/User_Generated_Content/Comments'],
  job: ['/Listing', '/Listing/Job'],
};
const THREAD: readonly string[] = ['/User_Generated_Content', '/User_Generated_Content/Forum_Thread'];

function pageOfItem(source: string, item: Item, changed: { added: string; removed?: string | undefined }): Page {
  const { id, type = 'story', title, url, time } = item;
  return pageOf({
    source,
    id: `${id}/${digestOf(changed.added)}`,
    url: /^https?:\/\//.test(url) ? url : `https://news.ycombinator.com/item?id=${id}`,
    title: plainText(title) || undefined,
    ...changed,
    ...(time !== undefined && { publishedAt: new Date(time * 1_000) }),
    types: TYPES[type] ?? THREAD,
    original: item,
  });
}

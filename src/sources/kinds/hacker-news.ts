/**
 * Hacker News: every story and comment by its number, asked for as the numbers grow, and edits as far as the site lists
 * them. The cursor is the highest number up to which everything was read.
 */
import { z } from 'zod';
import { jsonOf } from '../fetch/json.ts';
import { webAddress } from '../fetch/web-address.ts';
import { digestOf, type Page, pageOf } from '../page.ts';
import { type Arrival, type Desk, type Source, SourceError } from '../source.ts';
import { plainText } from '../text/plain-text.ts';

export const hackerNewsOptions = z.strictObject({
  url: webAddress.default('https://hacker-news.firebaseio.com'),
  /** Seconds between two looks. */
  every: z.number().min(1).default(15),
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

/** A first start begins a little earlier, so that there is something to see. */
const FIRST = 30;
const AT_ONCE = 10;
const MAX_BYTES = 1024 * 1024;
/** A number may be given out before its item can be read; after so many looks nobody waits for it. */
const PATIENCE = 10;
/** Items whose text is remembered, to tell an edit from a vote. */
const REMEMBERED = 20_000;

export function hackerNews(name: string, options: Options): Source {
  return {
    name,
    kind: 'hackernews',
    async *read(desk) {
      const reader = createReader(name, options, desk);
      const stored = await desk.cursor();
      let done = stored === undefined ? undefined : Number(stored);
      const missing = new Map<number, number>();
      while (!desk.signal.aborted) {
        const newest = z.int().parse(await reader.ask('maxitem'));
        desk.live();
        done ??= Math.max(0, newest - FIRST);
        const wanted = [...missing.keys(), ...numbers(done + 1, newest)];
        for (let from = 0; from < wanted.length; from += AT_ONCE) {
          const ids = wanted.slice(from, from + AT_ONCE);
          const items = await Promise.all(ids.map(reader.item));
          for (const [at, id] of ids.entries()) note(missing, id, items[at]);
          done = Math.max(done, ids.at(-1)!);
          const whole = Math.min(done, ...[...missing.keys()].map((id) => id - 1));
          yield { pages: items.flatMap((item) => reader.pageOf(item)), cursor: { value: String(whole) } };
        }
        yield* reader.edits();
        await desk.clock.sleep(options.every * 1_000, desk.signal);
      }
    },
  };
}

function* numbers(from: number, to: number): Iterable<number> {
  for (let number = from; number <= to; number++) yield number;
}

function note(missing: Map<number, number>, id: number, item: Item | undefined): void {
  const looks = (missing.get(id) ?? 0) + 1;
  if (item === undefined && looks < PATIENCE) missing.set(id, looks);
  else missing.delete(id);
}

function createReader(source: string, options: Options, desk: Desk) {
  const said = new Map<number, string>();

  async function ask(path: string): Promise<unknown> {
    const { status, body, retryAfter } = await desk.http.get({
      url: new URL(`/v0/${path}.json`, options.url).href,
      maxBytes: MAX_BYTES,
      signal: desk.signal,
    });
    if (status !== 200) throw new SourceError(`Hacker News answered ${status}.`, { retryAfter });
    const answer = jsonOf(body.toString());
    if (answer === undefined) throw new SourceError('Hacker News answered with something that is not JSON.');
    return answer;
  }

  const item = async (id: number): Promise<Item | undefined> => itemShape.safeParse(await ask(`item/${id}`)).data;

  const isWanted = ({ type, deleted, dead }: Item): boolean =>
    !deleted && !dead && (type === 'comment' ? options.comments : options.stories) && type !== 'pollopt';

  function remember({ id }: Item, words: string): void {
    said.delete(id);
    said.set(id, words);
    if (said.size > REMEMBERED) said.delete(said.keys().next().value!);
  }

  function readItem(found: Item | undefined): Page[] {
    if (found === undefined || !isWanted(found)) return [];
    const words = wordsOf(found);
    remember(found, words);
    return [pageOfItem(source, found, { added: words })];
  }

  /** The site names items that changed, most of them by a vote. What an item said before must be known to see an edit. */
  async function* edits(): AsyncIterable<Arrival> {
    const { items = [] } = z
      .object({ items: z.array(z.int()).optional() })
      .catch({})
      .parse(await ask('updates'));
    const known = items.filter((id) => said.has(id));
    for (let from = 0; from < known.length; from += AT_ONCE) {
      const found = await Promise.all(known.slice(from, from + AT_ONCE).map(item));
      const pages = found.flatMap((one) => (one === undefined || !isWanted(one) ? [] : editOf(one)));
      if (pages.length > 0) yield { pages };
    }
  }

  function editOf(found: Item): Page[] {
    const before = said.get(found.id);
    const words = wordsOf(found);
    if (before === words) return [];
    remember(found, words);
    return [pageOfItem(source, found, { added: words, removed: before })];
  }

  return { ask, item, pageOf: readItem, edits };
}

const wordsOf = ({ title, text }: Item): string =>
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

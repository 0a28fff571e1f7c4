/** Stand-ins for sites that list their newest items. Each publishes numbered items, in the format of the real one. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { deflateRawSync } from 'node:zlib';
import type { Source } from '../../src/sources/contract/source.ts';
import { arxiv } from '../../src/sources/kinds/arxiv.ts';
import { gdelt } from '../../src/sources/kinds/gdelt.ts';
import { github } from '../../src/sources/kinds/github.ts';
import { lemmy } from '../../src/sources/kinds/lemmy.ts';
import { reddit } from '../../src/sources/kinds/reddit.ts';
import { youtube } from '../../src/sources/kinds/youtube.ts';

export interface Item {
  readonly number: number;
  readonly title: string;
  readonly text: string;
  /** It cannot be read, or one of its fields cannot. */
  readonly odd?: 'malformed' | 'wrong type';
  readonly at?: string;
}

export interface Answer {
  readonly body: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly status?: number;
}

export interface Site {
  readonly kind: string;
  /** How many items back it still lists, in all pages. */
  readonly lists: number;
  /** Its items are posts for `x`, too. */
  readonly hasPosts?: boolean;
  /** The source as it is created, but quick. */
  create(url: string): Source;
  /** Answers with items, the newest first. `base` is the address of the server. */
  answer(request: IncomingMessage, items: readonly Item[], base: string): Answer;
}

export const itemOf = (number: number, text = `The volcano of Hesper erupts, report ${number}`): Item => ({
  number,
  title: `Report ${number}`,
  text,
});

const QUICK = { every: 0.002, pause: 0 };
const paramsOf = ({ url }: IncomingMessage): URLSearchParams => new URL(url!, 'http://a').searchParams;
const timeOf = ({ number, at = new Date(Date.UTC(2026, 10, 15, 8, number)).toISOString(), odd }: Item): string =>
  odd === 'wrong type' ? 'soon' : at;
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function atom(items: readonly Item[], entryOf: (item: Item) => string, head = ''): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"
    xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:media="http://search.yahoo.com/mrss/"><title>List</title>${head}
    ${items.map((item) => (item.odd === 'malformed' ? '<entry></entry>' : entryOf(item))).join('')}</feed>`;
  return { body, headers: { 'content-type': 'application/atom+xml' } };
}

const eventOf = ({ number, title, text, odd, at }: Item) => ({
  id: String(1_000 + number),
  type: 'IssuesEvent',
  actor: { login: 'ada' },
  repo: { name: 'hesper/volcano' },
  payload: {
    action: 'opened',
    issue: { title: odd ? 5 : title, body: text, html_url: `https://items.example/${number}` },
  },
  created_at: timeOf({ number, title, text, ...(at && { at }) }),
});

const githubSite: Site = {
  kind: 'github',
  lists: 300,
  create: (url) =>
    github('open', {
      ...QUICK,
      repos: ['hesper/volcano'],
      events: true,
      releases: false,
      advisories: false,
      token: 'secret',
      url,
      web: url,
    }),
  answer(request, items, base) {
    const page = Number(paramsOf(request).get('page') ?? 1);
    const listed = items.slice(0, 300).slice((page - 1) * 100, page * 100);
    const link = `<${base}/repos/hesper/volcano/events?per_page=100&page=${page + 1}>; rel="next", <${base}/x>; rel="last"`;
    const body = JSON.stringify(listed.map((item) => (item.odd === 'malformed' ? null : eventOf(item))));
    const headers = { 'content-type': 'application/json', etag: `"${createHash('md5').update(body).digest('hex')}"` };
    return { body, headers: page * 100 < Math.min(items.length, 300) ? { ...headers, link } : headers };
  },
};

const arxivSite: Site = {
  kind: 'arxiv',
  lists: 2_000,
  create: (url) => arxiv('open', { ...QUICK, categories: ['physics.geo-ph'], days: 4, url }),
  answer(request, items) {
    const params = paramsOf(request);
    const start = Number(params.get('start'));
    return atom(
      items.slice(start, start + Number(params.get('max_results'))),
      ({
        number,
        title,
        text,
        ...rest
      }) => `<entry><id>http://arxiv.org/abs/2611.${number}v1</id><title>${escaped(title)}</title>
        <summary>${escaped(text)}</summary><published>${timeOf({ number, title, text, ...rest })}</published><link href="https://items.example/${number}" rel="alternate"/></entry>`,
      `<opensearch:totalResults>${items.length}</opensearch:totalResults>`,
    );
  },
};

const youtubeSite: Site = {
  kind: 'youtube',
  lists: 15,
  create: (url) => youtube('open', { ...QUICK, channels: ['UC_x5XG1OV2P6uZZ5FSM9Ttw'], url }),
  answer: (_, items) =>
    atom(
      items.slice(0, 15),
      ({ number, title, text, ...rest }) => `<entry><id>yt:video:${number}</id><title>${escaped(title)}</title>
      <link rel="alternate" href="https://items.example/${number}"/><published>${timeOf({ number, title, text, ...rest })}</published>
      <media:group><media:title>${escaped(title)}</media:title><media:description>${escaped(text)}</media:description></media:group></entry>`,
    ),
};

const redditSite: Site = {
  kind: 'reddit',
  lists: 1_000,
  hasPosts: true,
  create: (url) => reddit('open', { ...QUICK, subreddits: ['volcanoes'], comments: false, permitted: true, url }),
  answer(request, items) {
    const after = paramsOf(request).get('after');
    const from = after === null ? 0 : items.findIndex(({ number }) => `t3_${number}` === after) + 1;
    return atom(
      items.slice(0, 1_000).slice(from, from + 100),
      ({
        number,
        title,
        text,
        ...rest
      }) => `<entry><author><name>/u/ada</name><uri>https://www.reddit.com/user/ada</uri></author>
        <category term="volcanoes" label="r/volcanoes"/><content type="html">&lt;p&gt;${escaped(text)}&lt;/p&gt;</content><id>t3_${number}</id>
        <link href="https://items.example/${number}"/><published>${timeOf({ number, title, text, ...rest })}</published><title>${escaped(title)}</title></entry>`,
    );
  },
};

const lemmySite: Site = {
  kind: 'lemmy',
  lists: 1_000,
  hasPosts: true,
  create: (url) => lemmy('open', { ...QUICK, communities: [], local: false, comments: false, url }),
  answer(request, items) {
    const page = Number(paramsOf(request).get('page') ?? 1);
    const pinned: Item = { number: 0, title: 'Rules of this place', text: 'Be kind' };
    const listed = items.slice((page - 1) * 50, page * 50);
    const posts = [...(page === 1 ? [pinned] : []), ...listed].map(({ number, title, text, odd, at }) => ({
      post: odd !== 'malformed' && {
        id: number,
        name: title,
        body: odd === undefined ? text : 5,
        ap_id: `https://items.example/${number}`,
        published: timeOf({ number, title, text, ...(at && { at }) }),
        featured_local: number === 0,
      },
      creator: { actor_id: 'https://lemmy.example/u/ada', name: 'ada', display_name: 'Ada' },
      community: { name: 'volcanoes' },
    }));
    return { body: JSON.stringify({ posts }), headers: { 'content-type': 'application/json' } };
  },
};

/** A zip archive of one file. */
export function zipped(name: string, content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(packed.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  const head = (signature: number, rest: number[]) => {
    const bytes = Buffer.alloc(4 + rest.length * 2);
    bytes.writeUInt32LE(signature);
    for (const [at, value] of rest.entries()) bytes.writeUInt16LE(value, 4 + at * 2);
    return bytes;
  };
  const local = Buffer.concat([head(0x04034b50, [20, 0, 8, 0, 0]), sizes, head(0, [])]).subarray(0, 26);
  const front = Buffer.concat([local, Buffer.from([name.length, 0, 0, 0]), Buffer.from(name), packed]);
  const entry = Buffer.concat([head(0x02014b50, [20, 20, 0, 8, 0, 0]), sizes, Buffer.alloc(18), Buffer.from(name)]);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(front.length, 16);
  return Buffer.concat([front, entry, end]);
}

const SLOT = 15 * 60_000;
const FIRST_SLOT = Date.UTC(2025, 10, 1, 8, 0);
export const slotName = (number: number): string =>
  new Date(FIRST_SLOT + number * SLOT).toISOString().slice(0, 19).replaceAll(/\D/g, '');

/** The file of a quarter of an hour: an item of that number is its only record. */
export function gdeltFile({ number, title, text, odd, at }: Item): Buffer {
  const columns = Array.from({ length: 27 }, () => '');
  columns[0] = `${slotName(number)}-0`;
  columns[1] = odd ? 'soon' : (at?.slice(0, 19).replaceAll(/\D/g, '') ?? slotName(number));
  columns[3] = 'items.example';
  columns[4] = `https://items.example/${number}`;
  columns[11] = 'ada lovelace';
  columns[26] = `<PAGE_TITLE>${escaped(title)}: ${escaped(text)}</PAGE_TITLE>`;
  const record = odd === 'malformed' ? columns.slice(0, 9) : columns;
  return zipped(`${slotName(number)}.gkg.csv`, Buffer.from(`${record.join('\t')}\n`));
}

const gdeltSite: Site = {
  kind: 'gdelt',
  lists: 192,
  create: (url) => gdelt('open', { ...QUICK, translated: false, catch_up: 48, url }),
  answer({ url = '' }, items, base) {
    const newest = items.toSorted((one, other) => other.number - one.number)[0]!;
    if (url.startsWith('/lastupdate')) {
      const packed = gdeltFile(newest);
      const sum = createHash('md5').update(packed).digest('hex');
      return { body: `1 ${sum} ${base}/a.export.CSV.zip\n9 ${sum} ${base}/${slotName(newest.number)}.gkg.csv.zip\n` };
    }
    const item = items.find(({ number }) => url.includes(slotName(number)));
    return item === undefined ? { body: 'none', status: 404 } : { body: gdeltFile(item) };
  },
};

export const SITES: readonly Site[] = [githubSite, arxivSite, youtubeSite, redditSite, lemmySite, gdeltSite];

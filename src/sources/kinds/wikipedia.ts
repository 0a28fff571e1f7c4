/**
 * Wikimedia's EventStreams: changes to Wikipedia and its sisters as they are made, over server-sent events. The id of an
 * event is where the stream resumes, for about a week; a resumed stream may repeat a few events.
 */
import { z } from 'zod';
import { openEventStream } from '../fetch/event-stream.ts';
import { jsonOf } from '../fetch/json.ts';
import { webAddress } from '../fetch/web-address.ts';
import { type Page, pageOf } from '../page.ts';
import type { Source } from '../source.ts';
import { plainText } from '../text/plain-text.ts';

export const wikipediaOptions = z.strictObject({
  url: webAddress.default('https://stream.wikimedia.org/v2/stream/recentchange'),
  /** Hosts such as `en.wikipedia.org`; all when there are none. */
  wikis: z.array(z.string()).default([]),
  bots: z.boolean().default(false),
  /** Seconds of silence after which the connection is made anew. */
  stall: z.number().positive().default(60),
});

type Options = z.output<typeof wikipediaOptions>;

const changeShape = z.looseObject({
  meta: z.looseObject({ id: z.string(), uri: z.string(), domain: z.string(), dt: z.string().optional() }),
  type: z.string(),
  title: z.string(),
  comment: z.string().default(''),
  bot: z.boolean().default(false),
  server_name: z.string().default(''),
  timestamp: z.number().optional(),
});

export function wikipedia(name: string, options: Options): Source {
  return {
    name,
    kind: 'wikipedia',
    async *read(desk) {
      const cursor = await desk.cursor();
      const events = await openEventStream(desk, {
        url: options.url,
        headers: cursor === undefined ? {} : { 'last-event-id': cursor },
        stallMs: options.stall * 1_000,
      });
      for await (const { event, data, id } of events) {
        if (event !== 'message') continue;
        const page = changeOf(name, options, data);
        yield { pages: page === undefined ? [] : [page], ...(id !== undefined && { cursor: { value: id } }) };
      }
    },
  };
}

/** Edits and new pages; the logs of administrators and changes of categories are not for readers. */
const KINDS: ReadonlySet<string> = new Set(['edit', 'new']);

function changeOf(source: string, { wikis, bots }: Options, data: string): Page | undefined {
  const change = changeShape.safeParse(jsonOf(data)).data;
  // Canary events only show that the stream is alive.
  if (change === undefined || change.meta.domain === 'canary' || !KINDS.has(change.type)) return undefined;
  if (change.bot && !bots) return undefined;
  if (wikis.length > 0 && !wikis.includes(change.server_name)) return undefined;
  return pageOf({
    source,
    id: change.meta.id,
    url: change.meta.uri,
    title: change.title,
    added: wordsOf(change.comment),
    language: languageOf(change.server_name),
    publishedAt: new Date(change.timestamp === undefined ? (change.meta.dt ?? '') : change.timestamp * 1_000),
    types: ['/Article', '/Article/Wiki'],
    original: change,
  });
}

/** A comment without its marks: the name of the section that was edited, and the words of links, stay. */
const wordsOf = (comment: string): string =>
  plainText(comment.replace(/\/\*\s*(.*?)\s*\*\//g, '$1 ').replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1'));

/** Wikis are named by their language, but for some that are in all of them. */
function languageOf(host: string): string | undefined {
  const [language = '', project] = host.split('.');
  if (project === undefined || /^(www|commons|meta|species|incubator|test|simple)$/.test(language)) return undefined;
  return /^[a-z]{2,3}$/.test(language) ? language : undefined;
}

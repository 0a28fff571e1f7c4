/**
 * Wikimedia's EventStreams: changes to Wikipedia and its sister projects as they are made, over server-sent events. The
 * stream resumes from the id of an event for about a week, and may then repeat a few events.
 */
import { z } from 'zod';
import { type Page, pageOf } from '../contract/page.ts';
import type { Source } from '../contract/source.ts';
import { openEventStream } from '../fetch/event-stream.ts';
import { hostOf } from '../fetch/source-error.ts';
import { webAddress } from '../fetch/web-address.ts';
import { plainText } from '../text/plain-text.ts';
import { jsonOf, readItem, unreadOf } from '../text/read-items.ts';

export const wikipediaOptions = z.strictObject({
  url: webAddress.default('https://stream.wikimedia.org/v2/stream/recentchange'),
  /** Hosts such as `en.wikipedia.org`; all when there are none. */
  wikis: z.array(z.string()).default([]),
  bots: z.boolean().default(false),
  /** Seconds of silence after which it connects again. */
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

type Change = z.output<typeof changeShape>;

/** The stream resumes for about a week. */
const KEPT_MS = 6 * 24 * 3_600_000;

export function wikipedia(name: string, options: Options): Source {
  return {
    name,
    kind: 'wikipedia',
    replaysMs: KEPT_MS,
    async *read(context) {
      const cursor = await context.cursor();
      const events = await openEventStream(context, {
        url: options.url,
        headers: cursor === undefined ? {} : { 'last-event-id': cursor },
        stallMs: options.stall * 1_000,
      });
      for await (const { event, data, id } of events) {
        if (event !== 'message') continue;
        const { items, skipped } = readItem(jsonOf(data), changeShape);
        const [change] = items;
        const unread = unreadOf(hostOf(options.url), skipped);
        const page = change && pageOfChange(name, options, change);
        const reaches = change && timeOf(change, context.clock.now());
        yield {
          pages: page === undefined ? [] : [page],
          ...(id !== undefined && { cursor: { value: id } }),
          ...(reaches && { reaches }),
          ...(unread && { unread }),
        };
      }
    },
  };
}

/** Edits and new pages. Administrators' logs and category changes are left out. */
const CHANGE_TYPES: ReadonlySet<string> = new Set(['edit', 'new']);

/** When the change was made; undefined when it does not say. */
function timeOf({ timestamp, meta }: Change, now: Date): Date | undefined {
  const time = timestamp === undefined ? Date.parse(meta.dt ?? '') : timestamp * 1_000;
  return Number.isNaN(time) ? undefined : new Date(Math.min(time, now.getTime()));
}

function pageOfChange(source: string, { wikis, bots }: Options, change: Change): Page | undefined {
  // Canary events only show that the stream is alive.
  if (change.meta.domain === 'canary' || !CHANGE_TYPES.has(change.type)) return undefined;
  if (change.bot && !bots) return undefined;
  if (wikis.length > 0 && !wikis.includes(change.server_name)) return undefined;
  return pageOf({
    source,
    id: change.meta.id,
    url: change.meta.uri,
    title: change.title,
    added: textOf(change.comment),
    language: languageOf(change.server_name),
    publishedAt: new Date(change.timestamp === undefined ? (change.meta.dt ?? '') : change.timestamp * 1_000),
    types: ['/Article', '/Article/Wiki'],
    original: change,
  });
}

/** MediaWiki allows 500 characters; longer comments are cut. */
const MAX_COMMENT = 2_000;

/** A comment without markup; the name of the edited section and the text of links stay. */
const textOf = (comment: string): string =>
  plainText(
    comment
      .slice(0, MAX_COMMENT)
      .replace(/\/\*((?:(?!\/\*|\*\/).)*)\*\//g, (_, section: string) => `${section.trim()} `)
      .replace(/\[\[(?:[^[\]|]*\|)?([^[\]]*)\]\]/g, '$1'),
  );

/** The first label of the host is the language, except for wikis in many languages. */
function languageOf(host: string): string | undefined {
  const [language = '', project] = host.split('.');
  if (project === undefined || /^(www|commons|meta|species|incubator|test|simple)$/.test(language)) return undefined;
  return /^[a-z]{2,3}$/.test(language) ? language : undefined;
}

/**
 * Watched web pages, fetched on a schedule with conditional requests, where robots.txt allows it. The cursor of a page
 * holds its main text; passages that appear in it or vanish from it are yielded.
 */
import { z } from 'zod';
import { digestOf, pageOf } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext } from '../contract/source.ts';
import { getIfNew, validators } from '../fetch/conditional.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { createPolite, type Polite } from '../fetch/polite.ts';
import { rounds, roundsOptions } from '../fetch/rounds.ts';
import { hostOf, SourceError } from '../fetch/source-error.ts';
import { changeOf } from '../text/passages.ts';
import { createRobots } from './robots-check.ts';

export const watchOptions = roundsOptions({ every: 3_600, pause: 2 });

type Options = z.output<typeof watchOptions>;

const memoryShape = validators.extend({
  title: z.string(),
  text: z.string(),
  /** Where the page was read in the end. */
  from: z.string().optional(),
  /** It was HTML with an end. */
  hasEnd: z.boolean().optional(),
});
type Memory = z.output<typeof memoryShape>;

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TEXT = 200_000;
const MAX_TITLE = 2_000;
/** The end of a page is looked for in so many bytes: comments may follow it. */
const END_BYTES = 8_192;
const ACCEPT = 'text/html, application/xhtml+xml, text/plain;q=0.8, */*;q=0.5';

export function watch(name: string, options: Options): Source {
  return {
    name,
    kind: 'watch',
    // The next visit shows what has changed since the last one.
    replaysMs: Number.POSITIVE_INFINITY,
    read(context) {
      const polite = createPolite({ ...context, pauseMs: options.pause * 1_000 });
      const isAllowed = createRobots(context, polite);
      const visit = async (url: string): Promise<SourceArrival | undefined> => {
        if (!(await isAllowed(url))) throw new SourceError(`robots.txt of ${hostOf(url)} does not allow ${url}.`);
        return visitPage(name, options, context, polite, url);
      };
      return rounds(context, { addresses: options.urls, everyMs: options.every * 1_000, visit });
    },
  };
}

async function visitPage(
  source: string,
  { first }: Options,
  context: SourceContext,
  polite: Polite,
  url: string,
): Promise<SourceArrival | undefined> {
  const stored = await context.cursor(url);
  const memory = stored === undefined ? undefined : memoryShape.parse(JSON.parse(stored));
  const { signal } = context;
  const answer = await getIfNew(polite, { url, accept: ACCEPT, maxBytes: MAX_BYTES, known: memory, signal });
  if (answer === undefined) return undefined;
  const { headers, body } = answer;
  checkDocument(answer, url, memory);
  const article = await context.reader.page({ bytes: body, contentType: headers['content-type'], url: answer.url });
  const text = article.text.slice(0, MAX_TEXT);
  if (text === '' && memory !== undefined && memory.text !== '')
    throw new SourceError(`${url} is empty, and was not before.`);
  const title = article.title.slice(0, MAX_TITLE);
  const next: Memory = { ...answer.validators, title, text, from: answer.url, hasEnd: hasEnd(body) };
  const cursor = { key: url, value: JSON.stringify(next) };
  if (cursor.value === stored) return undefined;
  const change = changeOf(memory?.text ?? '', text);
  const isSame = change.added.length + change.removed.length === 0;
  if (isSame || (memory === undefined && first === 'skip')) return { pages: [], cursor };
  const page = pageOf({
    source,
    id: `${digestOf(url)}/${digestOf(text)}/${digestOf(memory?.text)}`,
    url,
    title,
    ...change,
    language: article.language,
    // A change happened now although the page is old; what the first visit finds did not.
    publishedAt: memory === undefined ? article.publishedAt : context.clock.now(),
    original: { watched: true, url: answer.url, etag: headers.etag, last_modified: headers['last-modified'] },
  });
  return { pages: [page], cursor };
}

/** Throws when the answer is not the page: what it lacks would count as removed, and as new when it comes back. */
function checkDocument(
  { headers, body, url: from, isDetour }: HttpAnswer,
  url: string,
  memory: Memory | undefined,
): void {
  const type = headers['content-type'];
  if (type !== undefined && !/^text\/|\bx?html|\bxml|\bjson/i.test(type))
    throw new SourceError(`${url} answered with ${type.slice(0, 100)}, which is no text.`);
  if (isDetour === true && memory?.from !== undefined && memory.from !== from)
    throw new SourceError(`${url} sends its readers to ${from} for now.`);
  if (memory?.hasEnd === true && !hasEnd(body)) throw new SourceError(`${url} is cut off in the middle.`);
}

const hasEnd = (body: Buffer): boolean =>
  /<\/html\s*>/i.test(body.toString('latin1', Math.max(0, body.length - END_BYTES)));

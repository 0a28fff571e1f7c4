/**
 * Watched web pages, fetched on a schedule with conditional requests, where robots.txt allows it. The cursor of a page
 * holds its main text; passages that appear in it or vanish from it are yielded.
 */
import { z } from 'zod';
import { shownSource, withoutSecrets } from '../../base/parse-url.ts';
import type { ChangedRow } from '../../domain/changed-rows.ts';
import { digestOf, pageOf } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext } from '../contract/source.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { createPolite, getIfNew, type Polite, validators } from '../fetch/polite.ts';
import { rounds, roundsOptions } from '../fetch/rounds.ts';
import { hostOf, SourceError } from '../fetch/source-error.ts';
import { changeOf } from '../text/passages.ts';
import { holdsIn, patternProblem } from '../watch/condition.ts';
import type { Article } from '../watch/main-text.ts';
import { readSelector } from '../watch/selector.ts';
import { createRobots } from './robots-check.ts';

const selector = z.string().superRefine((text, check) => {
  const read = readSelector(text);
  if ('problem' in read) check.addIssue(read.problem);
});
const patterns = z
  .array(z.string().max(500))
  .max(20)
  .superRefine((texts, check) => {
    const found = patternProblem(texts);
    if (found !== undefined) check.addIssue({ code: 'custom', path: [found.at], message: found.problem });
  });
const words = z.string().min(1).max(500);

export const watchOptions = roundsOptions({ every: 3_600, pause: 2 }).extend({
  /** The part that is watched, as a selector; the main text when it is left out. */
  select: selector.optional(),
  /** Selectors of what is left out. */
  ignore: z.array(selector).max(20).default([]),
  /** Patterns: a line in which one of them is found is left out. */
  ignore_text: patterns.default([]),
  /** A change is an event only when all of this comes true by it. */
  when: z
    .strictObject({
      /** The first number of the part. */
      below: z.number().optional(),
      above: z.number().optional(),
      appears: words.optional(),
      vanishes: words.optional(),
    })
    .optional(),
  /** The page is made by scripts: it is loaded in the browser of the operator. */
  browser: z.boolean().default(false),
});

type Options = z.output<typeof watchOptions>;

const memoryShape = validators.extend({
  title: z.string(),
  text: z.string(),
  /** The address from which the page came after redirects. */
  from: z.string().optional(),
  /** It was HTML with an end. */
  hasEnd: z.boolean().optional(),
  /** The condition of `when` held. */
  holds: z.boolean().optional(),
  /** How often its text has changed. */
  changes: z.number().optional(),
});
type Memory = z.output<typeof memoryShape>;

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TEXT = 200_000;
const MAX_TITLE = 2_000;
/** The limits of the rows that are stored with an event. */
const MAX_ROWS = 200;
const MAX_ROWS_TEXT = 20_000;
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
  options: Options,
  context: SourceContext,
  polite: Polite,
  url: string,
): Promise<SourceArrival | undefined> {
  const stored = await context.cursor(url);
  const memory = stored === undefined ? undefined : memoryShape.parse(JSON.parse(stored));
  const answer = await fetchPage(options, context, polite, url, memory);
  if (answer === undefined) return undefined;
  checkDocument(answer, url, memory);
  const { headers, body } = answer;
  const { article, title, text } = await readPart(options, context, answer, url, memory);
  const holds = options.when && holdsIn(text, options.when);
  const changes = text === memory?.text ? memory.changes : (memory?.changes ?? 0) + 1;
  const next: Memory = { ...answer.validators, title, text, from: answer.url, hasEnd: hasEnd(body), holds, changes };
  const cursor = { key: url, value: JSON.stringify(next) };
  if (cursor.value === stored) return undefined;
  const { rows, ...change } = changeOf(memory?.text ?? '', text);
  if (rows.length === 0 || !isWanted(options, memory, holds)) return { pages: [], cursor };
  const page = pageOf({
    source,
    id: idOf(url, text, memory),
    url: withoutSecrets(url),
    title,
    ...change,
    language: article.language,
    // A change happened now although the page is old; what the first visit finds did not.
    publishedAt: memory === undefined ? article.publishedAt : context.clock.now(),
    original: {
      watched: true,
      url: shownSource(answer.url),
      etag: headers.etag,
      last_modified: headers['last-modified'],
      ...(memory !== undefined && { rows: shownRows(rows) }),
    },
  });
  return { pages: [page], cursor };
}

/** A change may happen a second time, so it has a number. Without one is the first after a cursor of a time when they were not counted. */
const idOf = (url: string, text: string, memory: Memory | undefined): string =>
  [digestOf(url), digestOf(text), digestOf(memory?.text), memory?.changes ?? []].flat().join('/');

/** Throws when what is watched is not on the page. A part may begin empty; a whole page without text is one that cannot be read. */
async function readPart(
  { select, ignore, ignore_text: ignoreText, browser }: Options,
  { reader }: SourceContext,
  { headers, body: bytes, url: from }: HttpAnswer,
  url: string,
  memory: Memory | undefined,
): Promise<{ article: Article; title: string; text: string }> {
  const part = { select, ignore, ignoreText };
  const article = await reader.page({ bytes, contentType: headers['content-type'], url: from, part });
  if (article.isMissing === true) throw new SourceError(`${url} has nothing at ${select}: its shape has changed.`);
  if (article.isBlank === true)
    throw new SourceError(
      `${url} has no text.${browser ? '' : ' If scripts make the page, watch it with browser: true.'}`,
    );
  const text = article.text.slice(0, MAX_TEXT);
  if (text === '' && memory !== undefined && memory.text !== '')
    throw new SourceError(`${url} is empty, and was not before.`);
  return { article, title: article.title.slice(0, MAX_TITLE), text };
}

/** Returns undefined when nothing is new. */
async function fetchPage(
  { browser }: Options,
  { signal, http, browser: rendering }: SourceContext,
  polite: Polite,
  url: string,
  known: Memory | undefined,
): Promise<Awaited<ReturnType<typeof getIfNew>>> {
  if (!browser) return getIfNew(polite, { url, accept: ACCEPT, maxBytes: MAX_BYTES, known, signal });
  if (rendering === undefined)
    throw new SourceError('This server has no browser. Its operator sets SLUICE_BROWSER_URL to one.');
  return { ...(await rendering.load(http, url, signal)), validators: {} };
}

/** Whether a change is an event: the first visit where it is asked for, and what was waited for when it comes true. */
function isWanted({ first, when }: Options, memory: Memory | undefined, holds: boolean | undefined): boolean {
  if (memory === undefined && (first === 'skip' || when?.vanishes !== undefined)) return false;
  return when === undefined || (holds === true && memory?.holds !== true);
}

/** Old and new side by side, as much as is stored with an event. */
function shownRows(rows: readonly ChangedRow[]): ChangedRow[] {
  let room = MAX_ROWS_TEXT;
  return rows.slice(0, MAX_ROWS).filter(({ before = '', after = '' }) => {
    room -= before.length + after.length;
    return room >= 0;
  });
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

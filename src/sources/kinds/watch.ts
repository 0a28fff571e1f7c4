/**
 * Web pages that somebody wants watched: fetched on a schedule, where robots.txt allows it and not again while the server
 * says that nothing changed. What is remembered of a page is the text that it is there for; passages that appear in it
 * or vanish from it are yielded.
 */
import { z } from 'zod';
import { getIfNew, validators } from '../fetch/conditional.ts';
import { createPolite, type Polite } from '../fetch/polite.ts';
import { hostOf } from '../fetch/redirects.ts';
import { rounds, roundsOptions } from '../fetch/rounds.ts';
import { digestOf, pageOf } from '../page.ts';
import { type Arrival, type Desk, type Source, SourceError } from '../source.ts';
import { changeOf } from '../text/passages.ts';
import { allowAll, allowNothing, type Robots, readRobots } from '../watch/robots.ts';

export const watchOptions = roundsOptions({ every: 3_600, pause: 2 });

type Options = z.output<typeof watchOptions>;

const memoryShape = validators.extend({ title: z.string(), text: z.string() });
type Memory = z.output<typeof memoryShape>;

/** The name by which robots.txt may speak of us. */
const AGENT = 'sluice';
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TEXT = 200_000;
const ROBOTS_MS = 24 * 3_600_000;
const ACCEPT = 'text/html, application/xhtml+xml, text/plain;q=0.8, */*;q=0.5';

export function watch(name: string, options: Options): Source {
  return {
    name,
    kind: 'watch',
    read(desk) {
      const polite = createPolite({ ...desk, pauseMs: options.pause * 1_000 });
      const robots = createRobots(desk, polite);
      const look = async (url: string): Promise<Arrival | undefined> => {
        if (!(await robots(url))) throw new SourceError(`robots.txt of ${hostOf(url)} does not allow ${url}.`);
        return lookAt(name, options, desk, polite, url);
      };
      return rounds(desk, { addresses: options.urls, everyMs: options.every * 1_000, look });
    },
  };
}

/** Asks for a site's robots.txt once a day. A site without one allows everything; one that cannot answer, nothing. */
function createRobots(desk: Desk, polite: Polite): (url: string) => Promise<boolean> {
  const known = new Map<string, { at: number; robots: Promise<Robots> }>();

  async function fetchRobots(origin: string): Promise<Robots> {
    const { status, body } = await polite.get({
      url: `${origin}/robots.txt`,
      signal: desk.signal,
      maxBytes: 512 * 1024,
    });
    if (status >= 500 || status === 429) return allowNothing;
    if (status !== 200) return allowAll;
    const robots = readRobots(body.toString(), AGENT);
    polite.slow(origin, robots.delayMs);
    return robots;
  }

  return async (url) => {
    const { origin, pathname, search } = new URL(url);
    const now = desk.clock.elapsed();
    let entry = known.get(origin);
    if (entry === undefined || now - entry.at > ROBOTS_MS) {
      entry = { at: now, robots: fetchRobots(origin) };
      known.set(origin, entry);
      // What could not be learnt is asked again at the next look.
      entry.robots.then((robots) => robots === allowNothing && known.delete(origin)).catch(() => known.delete(origin));
    }
    return (await entry.robots).allows(`${pathname}${search}`);
  };
}

async function lookAt(
  source: string,
  { first }: Options,
  desk: Desk,
  polite: Polite,
  url: string,
): Promise<Arrival | undefined> {
  const stored = await desk.cursor(url);
  const memory = stored === undefined ? undefined : memoryShape.parse(JSON.parse(stored));
  const answer = await getIfNew(polite, desk, { url, accept: ACCEPT, maxBytes: MAX_BYTES, known: memory });
  if (answer === undefined) return undefined;
  const { headers, body } = answer;
  const article = await desk.reader.page({ bytes: body, contentType: headers['content-type'], url: answer.url });
  const text = article.text.slice(0, MAX_TEXT);
  const next: Memory = { ...answer.validators, title: article.title, text };
  const cursor = { key: url, value: JSON.stringify(next) };
  if (cursor.value === stored) return undefined;
  const change = changeOf(memory?.text ?? '', text);
  const isSame = change.added.length + change.removed.length === 0;
  if (isSame || (memory === undefined && first === 'skip')) return { pages: [], cursor };
  const page = pageOf({
    source,
    id: `${digestOf(url)}/${digestOf(text)}/${digestOf(memory?.text)}`,
    url,
    title: article.title,
    ...change,
    language: article.language,
    // An edit is news although the page is old; the first look is not.
    publishedAt: memory === undefined ? article.publishedAt : desk.clock.now(),
    original: { url: answer.url, etag: headers.etag, last_modified: headers['last-modified'] },
  });
  return { pages: [page], cursor };
}

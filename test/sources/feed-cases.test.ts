/**
 * The cases of feedparser and of W3C's validator: none may crash the reader, and where feedparser's case says what title,
 * link, date or content must come out, ours must say the same. Compared as text: markup is taken away on both sides.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Feed, FeedEntry } from '../../src/sources/feeds/feed.ts';
import { readFeed } from '../../src/sources/feeds/read-feed.ts';
import { dateOf } from '../../src/sources/text/dates.ts';
import { looksLikeHtml, plainText, tidy } from '../../src/sources/text/plain-text.ts';
import { hasSharedData, sharedLines } from '../stages/shared-data.ts';

interface Case {
  readonly name: string;
  readonly body_base64: string;
  readonly expect_python?: string | null;
}

/** The address that feedparser's own tests are served from; relative addresses are resolved against it. */
const ORIGIN = 'http://127.0.0.1:8097/';
const AT_LEAST = 0.95;

describe.runIf(hasSharedData)('shared: feeds', () => {
  let cases: Case[] = [];
  beforeAll(() => {
    cases = sharedLines<Case>('pages/feed-test-cases.ndjson.gz');
  });

  it('never crash the reader, whole or cut anywhere', () => {
    for (const one of cases) {
      const bytes = Buffer.from(one.body_base64, 'base64');
      for (const part of [1, 0.7, 0.3]) readFeed(bytes.subarray(0, bytes.length * part), undefined, ORIGIN);
    }
    expect(cases.length).toBeGreaterThan(1_000);
  });

  it('say the title, link, date and content that feedparser expects', () => {
    const judged = cases.flatMap((one) => judgements(one));
    const wrong = judged.filter(({ agrees }) => !agrees);
    const report = wrong.map(({ name, path, wanted, got }) => `${name}: ${path} is ${wanted}, read as ${got}`);
    console.info(`feeds: ${judged.length - wrong.length} of ${judged.length} expectations agree\n${report.join('\n')}`);
    expect(judged.length).toBeGreaterThan(80);
    expect(1 - wrong.length / judged.length, report.join('\n')).toBeGreaterThanOrEqual(AT_LEAST);
  });
});

interface Judgement {
  readonly name: string;
  readonly path: string;
  readonly wanted: string;
  readonly got: string;
  readonly agrees: boolean;
}

function judgements({ name, body_base64, expect_python }: Case): Judgement[] {
  const bytes = Buffer.from(body_base64, 'base64');
  const headers = headersIn(bytes);
  const address = new URL(headers.get('content-location') ?? name, new URL(name, ORIGIN)).href;
  const feed = readFeed(bytes, headers.get('content-type'), address);
  return expectationsOf(expect_python ?? '').flatMap(({ path, literal }) => {
    const readings = readingsOf(feed, path);
    if (readings === undefined) return [];
    const time =
      literal instanceof Date ? literal : readings.some((one) => one instanceof Date) ? dateOf(literal) : undefined;
    const wanted = time?.toISOString() ?? normal(String(literal));
    const got = readings.map((reading) => (reading instanceof Date ? reading.toISOString() : spaced(reading ?? '')));
    return [{ name, path, wanted, got: got.join(' | '), agrees: got.includes(wanted) }];
  });
}

/** Cases say in a comment with which headers they are to be served. */
function headersIn(bytes: Buffer): Map<string, string> {
  const lines = [...bytes.toString('latin1').matchAll(/^Header:\s+([\w-]+):\s*(.*?)\s*$/gim)];
  return new Map(lines.map(([, name, value]) => [name!.toLowerCase(), value!]));
}

const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();
const normal = (text: string): string => spaced(looksLikeHtml(text) ? plainText(text) : tidy(text));

const COMPARISON =
  /((?:feed|entries\[0\])(?:\.\w+|\['\w+'\]|\[\d+\])+)\s*==\s*(u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*"|\([\d, ]+\))/g;

function expectationsOf(python: string): { path: string; literal: string | Date }[] {
  return [...python.matchAll(COMPARISON)].map(([, path, literal]) => ({
    path: path!.replace(/\['(\w+)'\]/g, '.$1'),
    literal: literalOf(literal!),
  }));
}

function literalOf(python: string): string | Date {
  if (python.startsWith('(')) {
    const [year, month, day, hour, minute, second] = python.slice(1, -1).split(',').map(Number);
    return new Date(Date.UTC(year!, month! - 1, day, hour, minute, second));
  }
  const body = python.replace(/^u/, '').slice(1, -1);
  return body.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|([nrt])|(.))/gi,
    (_, x?: string, u?: string, c?: string, same?: string) =>
      c === undefined
        ? (same ?? String.fromCodePoint(Number.parseInt(x ?? u!, 16)))
        : { n: '\n', r: '\r', t: '\t' }[c]!,
  );
}

/** Our values for a path of feedparser's; undefined when the path is about something else. */
function readingsOf(feed: Feed | undefined, path: string): (string | Date | undefined)[] | undefined {
  const [, scope, name] = path.match(/^(feed|entries\[0\])\.(\w+?)(?:_detail\.value|\[0\]\.value)?$/) ?? [];
  if (name === undefined) return undefined;
  const entry: FeedEntry | undefined = feed?.entries[0];
  const dates = scope === 'feed' ? [feed?.updated] : [entry?.published, entry?.updated];
  switch (name) {
    case 'title':
      return [scope === 'feed' ? feed?.title : entry?.title];
    case 'link':
      return [scope === 'feed' ? feed?.link : entry?.link];
    case 'description':
    case 'summary':
    case 'subtitle':
    case 'tagline':
    case 'content':
      return scope === 'feed' ? [feed?.description] : [entry?.content, entry?.summary];
    case 'updated_parsed':
    case 'published_parsed':
    case 'created_parsed':
    case 'updated':
    case 'published':
    case 'created':
      return dates;
    default:
      return undefined;
  }
}

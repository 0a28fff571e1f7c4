/**
 * The address that somebody pasted, and the requests of its discovery: so many, so many bytes and so much time in all,
 * each address once.
 */
import type { Clock } from '../../base/clock.ts';
import { parseUrl, withShownSources } from '../../base/parse-url.ts';
import type { Page } from '../contract/page.ts';
import type { SourceContext } from '../contract/source.ts';
import type { HttpAnswer, HttpRequest, SourceHttp } from '../fetch/fetch-url.ts';
import { SourceError } from '../fetch/source-error.ts';
import { createSource, readSource, type SourceConfig } from '../kinds/kinds.ts';
import type { DocumentReader } from '../reading/document-reader.ts';
import type { SourceDraft } from './services.ts';

export const MOST_REQUESTS = 48;
const MOST_BYTES = 24 * 1024 * 1024;
/** The most bytes of one answer: pages of video sites have over a megabyte. */
const MOST_OF_ONE = 4 * 1024 * 1024;

/** Streams and sockets are not opened: what they bring takes longer than anybody waits. */
export function boundedHttp(http: SourceHttp, signal: AbortSignal): SourceHttp {
  const answers = new Map<string, Promise<HttpAnswer>>();
  let bytes = 0;
  const ask = async ({ url, headers }: HttpRequest): Promise<HttpAnswer> => {
    if (answers.size > MOST_REQUESTS || bytes > MOST_BYTES)
      throw new SourceError('This address leads to too much to look at.');
    const answer = await http.get({ url, headers: headers ?? {}, maxBytes: MOST_OF_ONE, signal });
    bytes += answer.body.length;
    return answer;
  };
  const refuse = (): never => {
    throw new SourceError('It is a stream.');
  };
  return {
    get(request) {
      const known = answers.get(request.url);
      if (known !== undefined) return known;
      const answer = Promise.withResolvers<HttpAnswer>();
      answers.set(request.url, answer.promise);
      ask(request).then(answer.resolve, answer.reject);
      return answer.promise;
    },
    stream: refuse,
    socket: refuse,
  };
}

const MOST = 2_000;

/** Returns undefined when the text is no address of the web. */
export function readAddress(pasted: string): URL | undefined {
  const text = pasted.trim();
  if (text.length > MOST) return undefined;
  const url = parseUrl(writtenOut(text));
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
  if (!isWeb) return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  return url;
}

function writtenOut(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text.replace(/^feed:/i, 'https:');
  if (/^feed:https?:/i.test(text)) return text.slice('feed:'.length);
  const [, user, server] = /^@?([\w.-]{1,100})@([a-z0-9.-]{3,253})$/i.exec(text) ?? [];
  if (user !== undefined) return `https://${server}/@${user}`;
  const [, subreddit] = /^\/?r\/(\w{2,21})\/?$/.exec(text) ?? [];
  if (subreddit !== undefined) return `https://www.reddit.com/r/${subreddit}/`;
  const [, handle] = /^@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5})$/i.exec(text) ?? [];
  if (handle !== undefined) return `https://bsky.app/profile/${handle}`;
  // A name without a dot is a word, and `word:` would be a scheme.
  return /^[^\s/?#:]+\.[^\s/?#]+/.test(text) ? `https://${text}` : '';
}

export interface DiscoveryTools {
  readonly clock: Clock;
  /** It refuses private addresses. */
  readonly http: SourceHttp;
  readonly reader: DocumentReader;
  readonly signal: AbortSignal;
}

interface SourceSample {
  /** The newest first. */
  readonly events: readonly Page[];
  /** It is undefined when too little is known. */
  readonly perDay: number | undefined;
  /** Why it could not be read. */
  readonly problem: string | undefined;
}

const SHOWN = 3;
const DAY_MS = 86_400_000;

/** One look needs no pauses between requests, and no papers of other days. */
const FOR_ONE_LOOK: Readonly<Record<string, number>> = { pause: 0, days: 1 };

/** Tries a source as the server would run it, and stores nothing: its newest events, and how often they come. */
export async function sampleOf(draft: SourceDraft, tools: DiscoveryTools): Promise<SourceSample> {
  const config = readSource({ kind: draft.kind, ...draft.options });
  if ('problems' in config) return { events: [], perDay: undefined, problem: config.problems[0]?.message };
  if (draft.isStream === true) return { events: [], perDay: undefined, problem: undefined };
  const { pages, problem } = await firstRound(config, tools);
  // Lists are read from their end on, so that what has no time is newest when it comes last.
  const newest = pages.toReversed().toSorted((one, other) => timeOf(other) - timeOf(one));
  return { events: newest.slice(0, SHOWN), perDay: perDay(newest, tools.clock.now()), problem };
}

async function firstRound(
  config: SourceConfig,
  tools: DiscoveryTools,
): Promise<{ pages: readonly Page[]; problem: string | undefined }> {
  const pages: Page[] = [];
  let problem: string | undefined;
  const trouble = (message: string) => {
    problem ??= withShownSources(message);
  };
  const context: SourceContext = { ...tools, trouble, live: () => {}, lost: () => {}, cursor: async () => undefined };
  const quick = Object.entries(FOR_ONE_LOOK).filter(([name]) => name in config.options);
  try {
    const source = createSource({ ...config, options: { ...config.options, ...Object.fromEntries(quick) } });
    for await (const arrival of source.read(context)) {
      pages.push(...arrival.pages);
      // The end of a round: all addresses were visited.
      if (arrival.failing !== undefined || arrival.reaches !== undefined) break;
    }
  } catch (error) {
    trouble(error instanceof Error ? error.message : String(error));
  }
  return { pages, problem };
}

const timeOf = ({ publish_time: time }: Page): number =>
  typeof time === 'string' ? Date.parse(`${time}Z`) : Number.NEGATIVE_INFINITY;

/** By the times of what is listed. A list that ended long ago has a low rate, although its entries stand close together. */
function perDay(newest: readonly Page[], now: Date): number | undefined {
  const times = newest.map(timeOf).filter(Number.isFinite);
  const [last, oldest] = [times[0], times.at(-1)];
  if (last === undefined || oldest === undefined) return undefined;
  const age = Math.max(now.getTime() - oldest, 1);
  const rate =
    times.length === 1
      ? 1 / Math.max(age, DAY_MS)
      : Math.min(times.length / age, (times.length - 1) / Math.max(last - oldest, 1));
  // Two digits: a list bears no more.
  return Number((rate * DAY_MS).toPrecision(2));
}

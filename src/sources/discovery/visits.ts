/**
 * The address that somebody pasted, and the requests of its discovery: so many, so many bytes and so much time in all,
 * each address once.
 */
import { parseUrl } from '../../base/parse-url.ts';
import type { HttpAnswer, HttpRequest, SourceHttp } from '../fetch/fetch-url.ts';
import { SourceError } from '../fetch/source-error.ts';

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

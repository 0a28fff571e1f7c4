/** The requests of one discovery: so many, so many bytes and so much time in all, and each address asked for once. */
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

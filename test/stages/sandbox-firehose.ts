/** Firehose in the sandbox, as the stages that stand before it use it. */
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** One request for the stream. */
export interface Connect {
  readonly at: number;
  readonly query: URLSearchParams;
  readonly lastId: string | undefined;
  readonly status: number | undefined;
}

export const connectsOf = ({ calls, url }: Sandbox): Connect[] =>
  calls
    .filter(({ path }) => path.startsWith('/v1/stream'))
    .map(({ at, path, headers, status }) => ({
      at: at.getTime(),
      query: new URL(path, url).searchParams,
      lastId: headers['last-event-id']?.toString(),
      status,
    }));

/** Posts a page that has this text, and answers the `id:` of its update. */
export function postPage(sandbox: Sandbox, text: string): string {
  const { cursor } = sandbox.post('firehose', { url: 'https://example.com/a', added: [text] });
  if (cursor === undefined) throw new Error('no rule matched');
  return cursor;
}

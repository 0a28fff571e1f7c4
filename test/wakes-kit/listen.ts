/** A client of revision 2026-07-28 that listens to a resource until it is told of a wake, and leaves. */
import { request as httpRequest } from 'node:http';
import { createParser } from 'eventsource-parser';

export interface ToldOfWake {
  readonly wakeId: string;
  readonly matches: number;
  /** The notification as it came. */
  readonly text: string;
}

interface Listening {
  readonly server: string;
  readonly key: string;
  readonly uri: string;
  /** How long it waits once it listens. */
  patience(signal: AbortSignal): Promise<unknown>;
}

const REVISION = '2026-07-28';
const METHOD = 'subscriptions/listen';

/** Resolves to undefined when nothing came in its time. It fails when the server is gone, or refuses. */
export async function listenOnce({ server, key, uri, patience }: Listening): Promise<ToldOfWake | undefined> {
  const heard = Promise.withResolvers<ToldOfWake | undefined>();
  const enough = new AbortController();
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'kit', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = httpRequest(`${server}/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': REVISION,
      'mcp-method': METHOD,
    },
  });
  const parser = createParser({
    onEvent({ data }) {
      const { method, params } = JSON.parse(data) as { method?: string; params: { _meta: Record<string, unknown> } };
      if (method === 'notifications/subscriptions/acknowledged')
        void patience(enough.signal).then(() => heard.resolve(undefined));
      if (method !== 'notifications/resources/updated') return;
      const { _meta: told } = params;
      const { 'sluice/wake_id': wakeId, 'sluice/matches': matches } = told;
      heard.resolve({ wakeId: String(wakeId), matches: Number(matches), text: data });
    },
  });
  request.on('error', heard.reject);
  request.on('response', (response) => {
    if (response.headers['content-type'] !== 'text/event-stream') heard.reject(new Error('It was refused.'));
    response.on('error', heard.reject);
    response.on('data', (chunk: Buffer) => parser.feed(chunk.toString()));
    response.on('end', () => heard.reject(new Error('The server has gone.')));
  });
  request.end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: METHOD,
      params: { notifications: { resourceSubscriptions: [uri] }, _meta: meta },
    }),
  );
  try {
    return await heard.promise;
  } finally {
    enough.abort();
    request.destroy();
  }
}

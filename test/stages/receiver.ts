/** A real HTTP server that takes deliveries and answers them as a test wants. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
}

/** Answers 200 unless told otherwise. */
export async function openReceiver(
  answer: (response: ServerResponse, received: Received, request: IncomingMessage) => void = (response) =>
    void response.end('ok'),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('error', () => {});
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body };
      received.push(one);
      answer(response, one, request);
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** So many turns take less time than the shortest timer. What is not so by then takes longer, and spinning would only slow it. */
const TURNS_AT_FIRST = 200;

/** Lets everything run until something is so. Who has to ask for it leaves whoever is asked the time to get there. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; ; turn++) {
    const answer = condition();
    if (await answer) return;
    await new Promise<void>((resolve) => {
      if (typeof answer !== 'boolean') setTimeout(resolve, 10);
      else if (turn < TURNS_AT_FIRST) setImmediate(resolve);
      else setTimeout(resolve, 1);
    });
  }
}

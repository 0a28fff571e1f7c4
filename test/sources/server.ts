/** A web server on this machine that answers as a test says, and remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** How often a path was asked for. */
  asked(path: string): number;
}

export type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

export type Upgrader = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export async function openServer(answer: Answerer, host = '127.0.0.1', upgrade?: Upgrader): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    asked: (path) => requests.filter(({ url }) => url === path).length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

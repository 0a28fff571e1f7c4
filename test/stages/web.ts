/** A stand-in for the web: one server on this machine that answers for every host, and counts what it was asked. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VisitOptions } from '../../src/service/visits/visits.ts';

export interface WebRequest {
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface WebAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** How a stand-in web is reached, also from another process. */
export interface WebReach {
  readonly port: number;
  /** The address of a path on a host that this server answers for. */
  url(host: string, path?: string): string;
  /** How visits reach it: its names resolve to this machine, which counts as public. */
  readonly visits: Partial<VisitOptions>;
}

export interface Web extends WebReach, AsyncDisposable {
  readonly requests: WebRequest[];
  /** Requests for a path on a host. */
  asked(host: string, path: string): number;
}

export const reachWeb = (port: number): WebReach => ({
  port,
  url: (host, path = '/') => `http://${host}:${port}${path}`,
  visits: {
    isPublic: () => true,
    resolve: (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    pauseMs: 0,
  },
});

export async function openWeb(answer: (request: WebRequest) => WebAnswer | Promise<WebAnswer>): Promise<Web> {
  const requests: WebRequest[] = [];
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = (request.headers.host ?? '').split(':')[0]!;
    const asked = { host, path: request.url ?? '/', headers: request.headers };
    requests.push(asked);
    const { status = 200, headers = {}, body = '' } = await answer(asked);
    response.writeHead(status, headers);
    response.end(body);
  }
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...reachWeb(port),
    requests,
    asked: (host, path) => requests.filter((one) => one.host === host && one.path === path).length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A feed with these titles, the newest first. */
export const rss = (titles: readonly string[]): WebAnswer => ({
  headers: { 'content-type': 'application/rss+xml' },
  body: `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${titles
    .map(
      (title) => `<item><guid>${title}</guid><title>${title}</title><link>https://news.example/${title}</link></item>`,
    )
    .join('')}</channel></rss>`,
});

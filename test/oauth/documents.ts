/** A host that serves documents of clients over TLS, on the loopback address. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { OutletOptions } from '../../src/service/outlets/outlets.ts';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.ts';

export interface DocumentHost extends AsyncDisposable {
  /** The address of a document at this path. */
  url(path: string): string;
  /** The answers, by their paths. */
  readonly answers: Map<string, DocumentAnswer>;
  /** The paths that were asked for. */
  readonly asked: string[];
}

export interface DocumentAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Interim answers that come first. */
  readonly interim?: number;
  /** While it is undefined, the answer never comes. */
  readonly body: string | undefined;
}

export async function startDocumentHost(): Promise<DocumentHost> {
  setDefaultCACertificates([...getCACertificates('default'), CERTIFICATE]);
  const answers = new Map<string, DocumentAnswer>();
  const asked: string[] = [];
  const server: Server = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
    asked.push(request.url!);
    const answer = answers.get(request.url!) ?? { status: 404, body: '{}' };
    for (let count = 0; count < (answer.interim ?? 0); count++) response.writeContinue();
    if (answer.body === undefined) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `https://client.test:${port}${path}`,
    answers,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Every name is this machine: what a developer sets with SLUICE_WEBHOOK_ALLOW_PRIVATE. */
export const LOCAL_NAMES: Pick<OutletOptions, 'allowPrivate' | 'resolve'> = {
  allowPrivate: true,
  resolve: (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
};

export const documentOf = (url: string, change: object = {}): string =>
  JSON.stringify({
    client_id: url,
    client_name: 'Agent of client.test',
    redirect_uris: ['http://127.0.0.1/callback', 'https://client.test/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    ...change,
  });

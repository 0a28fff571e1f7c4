/** The server on a real socket, behind a proxy whose address is the public one, and the two who meet there. */
import { type AddressInfo, connect, createServer } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import type { OutletOptions } from '../../src/service/outlets/outlets.ts';
import { type App, type HeldClock, OPERATOR_KEY, startApp } from '../stages/http-app.ts';

export interface Served extends AsyncDisposable {
  readonly app: App;
  /** The public address, which is also the issuer. */
  readonly url: string;
  /** A person follows this address in a browser, signs in and allows what is asked; the address of the answer. */
  allow(authorizationUrl: URL, scopes?: readonly string[]): Promise<URL>;
}

const REAL_TIME: HeldClock = { ...systemClock, forward: () => {} };

export async function serve(
  options: { realTime?: boolean; delivery?: Partial<OutletOptions>; consoleDir?: string } = {},
): Promise<Served> {
  let port = 0;
  const proxy = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    // A browser keeps its connections: without this, the proxy would wait for it at the end.
    onward.on('close', () => socket.destroySoon());
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const app = await startApp({
    publicUrl: url,
    ...(options.realTime && { clock: REAL_TIME }),
    ...(options.delivery && { delivery: options.delivery }),
    ...(options.consoleDir && { consoleDir: options.consoleDir }),
  });
  await app.http.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.http.server.address() as AddressInfo);
  return {
    app,
    url,
    allow: (authorizationUrl, scopes) => allow(url, authorizationUrl, scopes),
    async [Symbol.asyncDispose]() {
      app.http.server.closeAllConnections();
      await app[Symbol.asyncDispose]();
      await new Promise((closed) => proxy.close(closed));
    },
  };
}

/** As the page in the console does it, with the cookie that a browser keeps. */
async function allow(
  url: string,
  authorizationUrl: URL,
  scopes: readonly string[] = ['read', 'full', 'events'],
): Promise<URL> {
  const page = await fetch(authorizationUrl, { redirect: 'manual' });
  const location = new URL(page.headers.get('location') ?? 'none:');
  if (location.origin !== url) return location;
  const request = new URLSearchParams(location.hash.split('?')[1]).get('request')!;
  const opened = await fetch(`${url}/api.CreateSession`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  });
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'content-type': 'application/json', 'x-sluice-session': '1', origin: url, cookie };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  };
  const { token, problem, redirect: refused } = await post('/oauth/consent', { request });
  if (token === undefined) throw new Error(problem ?? refused ?? 'nothing was asked');
  const { redirect, message } = await post('/oauth/consent/decision', { request, token, allow: true, scopes });
  if (redirect === undefined) throw new Error(message);
  return new URL(redirect);
}

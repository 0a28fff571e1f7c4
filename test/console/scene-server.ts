/**
 * A scene's service behind one address that stays: the browser keeps what it has loaded of the console, and each scene is
 * only a reload. Requests carry the session of the account that looks: the cookie's own time is not that of the scene.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { consoleDir } from '../../src/app/start.ts';
import { addKey } from '../../src/service/access/keys.ts';
import type { Service } from '../../src/service/service.ts';
import { httpOn } from '../stages/http-app.ts';

interface Looked extends AsyncDisposable {
  /** From now on the browser looks as this account. */
  as(accountId: string): Promise<void>;
}

/** The parts of a service that the browser looks at. */
type Shown = Pick<Service, 'context'>;

interface SceneServer extends AsyncDisposable {
  readonly url: string;
  /** An empty page of the same address: whoever waits there between two scenes keeps the process that has run the console. */
  readonly waiting: string;
  show(service: Shown): Promise<Looked>;
}

const WAITING = '/waiting';

export async function openSceneServer(): Promise<SceneServer> {
  let app: FastifyInstance | undefined;
  let now = (): Date => new Date();
  let session = '';
  const server = createServer((request, response) => {
    if (request.url === WAITING) return void response.writeHead(200, { 'content-type': 'text/html' }).end();
    if (app === undefined) return void response.writeHead(503).end();
    request.headers.cookie = `sluice_session=${session}`;
    // The browser has the clock of the scene, and would take that of the machine for another one.
    response.setHeader('date', now().toUTCString());
    app.routing(request, response);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    waiting: url + WAITING,
    async show(service) {
      const shown = await appOf(service);
      await shown.ready();
      app = shown;
      now = service.context.clock.now;
      return {
        async as(accountId) {
          session = await sessionOf(shown, service, accountId);
        },
        async [Symbol.asyncDispose]() {
          app = undefined;
          server.closeAllConnections();
          await shown.close();
        },
      };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const appOf = (service: Shown): Promise<FastifyInstance> => httpOn(service.context, { consoleDir: consoleDir() });

async function sessionOf(app: FastifyInstance, { context }: Shown, accountId: string): Promise<string> {
  const key = { accountId, name: 'looks', scope: 'full' as const, expiresAt: undefined };
  const { secret } = await addKey(context.store, context.clock.now(), key);
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await app.inject({ method: 'POST', url: '/api.CreateSession', headers, payload: {} });
  return /sluice_session=([^;]+)/.exec(String(answer.headers['set-cookie']))![1]!;
}

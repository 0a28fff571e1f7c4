/** A real server that SIGKILL ends between the steps of a wake, on the store that it leaves. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { type Started, startServer } from '../black-box/server.ts';

const SETTINGS = { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', SLUICE_WEBHOOK_RETRIES: '0.2,0.2,0.2,0.2,0.2,0.2' };

interface Wake {
  readonly id: string;
  readonly state: string;
  readonly text: string;
}

/** A server with a rule that is killed and started again on the same folder. */
async function openServer() {
  let server: Started = await startServer(SETTINGS);
  const call = async <Body>(name: string, input: object): Promise<Body> =>
    (await server.call('POST', `/api.${name}`, input)).body as Body;
  await call('CreateRule', { name: 'Kit', intent: '', platforms: ['x'], overrides: { x: 'sluicekit' } });
  let posts = 0;
  return {
    call,
    push: () => server.push('x', [{ data: { id: `${++posts}`, text: `sluicekit ${posts}` } }]),
    wakes: async () => (await call<{ wakes: Wake[] }>('ListWakes', { limit: 50 })).wakes,
    kill: () => server.end('SIGKILL'),
    async restart() {
      server = await startServer(SETTINGS, server.dataDir);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

it('an agent that asks has each wake once, with a kill of the server after every step', {
  timeout: 180_000,
}, async () => {
  await using server = await openServer();
  const killed = async () => {
    await server.kill();
    await server.restart();
  };
  const next = async () => (await server.call<{ wake: Wake | null }>('NextWake', { agent: 'kit' })).wake;
  await server.call('CreateWebhook', { url: 'wake:kit', format: 'wake' });
  await killed();
  await server.push();
  await killed();
  const wake = (await next())!;
  await killed();
  expect(await next()).toEqual(wake);
  await server.push();
  expect(await server.call('AcknowledgeWake', { wake_id: wake.id })).toEqual({ first: true });
  await killed();
  expect(await server.call('AcknowledgeWake', { wake_id: wake.id })).toEqual({ first: false });
  const second = (await next())!;
  expect([JSON.parse(wake.text), JSON.parse(second.text)]).toMatchObject([{ matches: 1 }, { matches: 1 }]);
  expect(second.id).not.toBe(wake.id);
  await server.call('AcknowledgeWake', { wake_id: second.id });
  expect(await next()).toBeNull();
  expect((await server.wakes()).map(({ state }) => state)).toEqual(['acknowledged', 'acknowledged']);
});

it('a receiver gets the wake again, with its id, from a server that was killed before it heard the answer', {
  timeout: 180_000,
}, async () => {
  await using server = await openServer();
  const ids: string[] = [];
  const again = Promise.withResolvers<void>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    ids.push((JSON.parse(await text(request)) as { wake_id: string }).wake_id);
    if (ids.length === 1) {
      await server.kill();
      response.destroy();
      await server.restart();
    } else {
      response.end();
      again.resolve();
    }
  };
  const receiver = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await server.call('CreateWebhook', { url, format: 'wake' });
  await server.push();
  await again.promise;
  expect(new Set(ids)).toEqual(new Set([ids[0]]));
  expect(await server.call('AcknowledgeWake', { wake_id: ids[0] })).toEqual({ first: true });
  await server.kill();
  await server.restart();
  expect(await server.wakes()).toMatchObject([{ id: ids[0], state: 'acknowledged' }]);
  receiver.closeAllConnections();
  receiver.close();
});

/** The program as a process of its own, killed between any two of the steps that a match takes from X to its receivers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EventSource } from 'eventsource';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { KEY, type Started, startServer } from '../black-box/server.ts';
import { openReceiver, type Receiver, until } from '../stages/receiver.ts';

interface Match {
  readonly id: string;
  readonly platform_post_id: string;
}

interface Stage {
  readonly sandbox: Sandbox;
  readonly receiver: Receiver;
  readonly folder: string;
  /** The receiver answers no delivery while this is on. */
  readonly hold: { isOn: boolean };
}

const matchesIn = (body: string): Match[] => (JSON.parse(body) as { matches: Match[] }).matches;

const settings = ({ sandbox, folder }: Stage, point: string) => ({
  SLUICE_X_BEARER_TOKEN: 'x-token',
  SLUICE_X_BASE_URL: sandbox.url,
  SLUICE_X_LEVEL: 'enterprise',
  SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
  NODE_OPTIONS: `--import ${new URL('./kill-point.ts', import.meta.url).pathname}`,
  KILL_POINT: point,
  KILL_FLAG: join(folder, `flag-${point}`),
});

/** Started, connected, and with every post that there was before. */
async function open(stage: Stage, point: string, posts: readonly string[]): Promise<Started> {
  const server = await startServer(settings(stage, point), join(stage.folder, 'data'));
  if (point === 'parsed') await begin(server, stage);
  await until(async () => {
    const { body } = await server.call('GET', '/api.Status');
    const { x } = body['platforms'] as { x: { state: string; complete_through: string | null } };
    return x.state === 'live' && x.complete_through !== null;
  });
  await until(async () => (await listed(server)).length >= posts.length);
  expect((await listed(server)).toSorted()).toEqual(posts);
  return server;
}

async function begin(server: Started, { receiver }: Stage): Promise<void> {
  const rule = { name: 'storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
  expect((await server.call('POST', '/api.CreateRule', rule)).status).toBe(200);
  expect((await server.call('POST', '/api.CreateWebhook', { url: receiver.url })).status).toBe(200);
}

async function listed(server: Started): Promise<string[]> {
  const { body } = await server.call('POST', '/matches', { limit: 1_000 });
  return (body['matches'] as Match[]).map(({ platform_post_id }) => platform_post_id);
}

const isDelivered = ({ receiver }: Stage, id: string): boolean =>
  receiver.received.some(({ body }) => matchesIn(body).some((match) => match.platform_post_id === id));

/** Resolves when a live subscriber has the match of this post. */
async function seenLive({ url }: Started, id: string, post: () => void): Promise<void> {
  const source = new EventSource(`${url}/matches/stream`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${KEY}` } }),
  });
  try {
    await new Promise<void>((opened) => source.addEventListener('open', () => opened()));
    const seen = new Promise<void>((resolve) => {
      source.addEventListener('match', ({ data }) => {
        if ((JSON.parse(String(data)) as Match).platform_post_id === id) resolve();
      });
    });
    post();
    await seen;
  } finally {
    source.close();
  }
}

/** Posts, and answers when the program is where it is to be killed; the first three kill themselves. */
const POINTS: Readonly<Record<string, (server: Started, id: string, post: () => void, stage: Stage) => Promise<void>>> =
  {
    parsed: async (_, __, post) => post(),
    begun: async (_, __, post) => post(),
    committed: async (_, __, post) => post(),
    async visible(server, id, post) {
      post();
      await until(async () => (await listed(server)).includes(id));
    },
    'written to a subscriber': (server, id, post) => seenLive(server, id, post),
    async 'sent to a webhook'(_, id, post, stage) {
      stage.hold.isOn = true;
      post();
      await until(() => isDelivered(stage, id));
    },
    async 'acknowledged by a webhook'(_, id, post, stage) {
      stage.hold.isOn = false;
      post();
      await until(() => isDelivered(stage, id));
    },
  };
const KILLS_ITSELF = ['parsed', 'begun', 'committed'];
/** Nothing of it was durable: it is X that has it still. */
const IS_LOST = ['parsed', 'begun'];

/** How many matches are durable, with nobody there who could add to them. */
function storedIn({ folder }: Stage): number {
  const db = new DatabaseSync(join(folder, 'data', 'sluice.db'));
  try {
    return db.prepare('SELECT count(*) AS count FROM matches').get()!['count'] as number;
  } finally {
    db.close();
  }
}

describe('B1 a program that is killed', () => {
  it('has every match once, and tells of each, whatever step it was at', async () => {
    const hold = { isOn: false };
    await using sandbox = await startSandbox({ xLevel: 'enterprise', xToken: 'x-token' });
    await using receiver = await openReceiver((response) => (hold.isOn ? undefined : void response.end('ok')));
    const folder = mkdtempSync(join(tmpdir(), 'sluice-kill-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await using servers = new AsyncDisposableStack();
    const stage: Stage = { sandbox, receiver, folder, hold };
    const posts: string[] = [];
    for (const [index, [point, reach]] of Object.entries(POINTS).entries()) {
      const id = String(1_900_000_000_000_000_001n + BigInt(index));
      const server = servers.use(await open(stage, point, posts));
      const died = new Promise((resolve) => void server.process.once('exit', (_, signal) => resolve(signal)));
      const text = `a storm, killed when ${point}`;
      await reach(server, id, () => void sandbox.post('x', { data: { id, text } }), stage);
      if (!KILLS_ITSELF.includes(point)) await server.end('SIGKILL');
      expect(await died, point).toBe('SIGKILL');
      expect(storedIn(stage), point).toBe(index + (IS_LOST.includes(point) ? 0 : 1));
      posts.push(id);
    }
    hold.isOn = false;
    servers.use(await open(stage, 'nothing', posts));
    await until(() => posts.every((id) => isDelivered(stage, id)));
    expect(differing(receiver)).toEqual([]);
  });
});

/** Deliveries that came again under the same id with other bytes, and matches that came under two. */
function differing({ received }: Receiver): string[] {
  const bodies = new Map<string, string>();
  const deliveries = new Map<string, string>();
  const wrong: string[] = [];
  for (const { headers, body } of received) {
    const delivery = String(headers['webhook-id']);
    if ((bodies.get(delivery) ?? body) !== body) wrong.push(delivery);
    bodies.set(delivery, body);
    for (const { id } of matchesIn(body)) {
      if ((deliveries.get(id) ?? delivery) !== delivery) wrong.push(id);
      deliveries.set(id, delivery);
    }
  }
  return wrong;
}

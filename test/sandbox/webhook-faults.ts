/** The switches of X's webhooks, as a receiver sees them that knows the secret. */
import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { FaultName } from '../../sandbox/faults/catalogue.ts';
import type { FakeClock } from '../stages/fake-clock.ts';
import { openReceiver, type Received, type Receiver, until } from '../stages/receiver.ts';
import type { LavaSandbox } from './reader.ts';

const SECRET = 'consumer-secret';
const WEBHOOKS = '/2/webhooks';
const LINKS = '/2/tweets/search/webhooks';

const sign = (content: string): string => `sha256=${createHmac('sha256', SECRET).update(content).digest('base64')}`;

interface Linked extends AsyncDisposable {
  readonly receiver: Receiver;
  readonly id: string;
  /** The messages that came with a right signature. */
  messages(): { data?: { text: string }; meta?: object; replay_job_status?: { job_id: string; job_state: string } }[];
  /** The requests that came and are no challenge. */
  deliveries(): readonly Received[];
}

/** A receiver that is registered and linked. It answers challenges, and 401 to what is not signed. */
async function linked(sandbox: LavaSandbox): Promise<Linked> {
  const receiver = await openReceiver((response, { path, body, headers }) => {
    const token = new URL(path, 'http://here').searchParams.get('crc_token');
    if (token !== null) return void response.end(JSON.stringify({ response_token: sign(token) }));
    response.statusCode = headers['x-twitter-webhooks-signature'] === sign(body) ? 200 : 401;
    response.end();
  });
  const made = await sandbox.call(WEBHOOKS, { method: 'POST', body: { url: receiver.url } });
  const { id } = made.json<{ data: { id: string } }>().data;
  await sandbox.call(`${LINKS}/${id}?tweet.fields=created_at`, { method: 'POST' });
  const deliveries = () => receiver.received.filter(({ body }) => body !== '');
  return {
    receiver,
    id,
    deliveries,
    messages: () =>
      deliveries()
        .filter(({ body, headers }) => headers['x-twitter-webhooks-signature'] === sign(body))
        .map(({ body }) => JSON.parse(body) as ReturnType<Linked['messages']>[number]),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

const texts = (hook: Linked): string[] => hook.messages().flatMap(({ data }) => data?.text ?? []);

const isValid = async (sandbox: LavaSandbox): Promise<boolean | undefined> =>
  (await sandbox.call(WEBHOOKS)).json<{ data: { valid: boolean }[] }>().data[0]?.valid;

type Case = (sandbox: LavaSandbox, hook: Linked, clock: FakeClock) => Promise<void>;
type Name = Extract<FaultName, `X${string}`>;

async function x33(sandbox: LavaSandbox, hook: Linked): Promise<void> {
  const before = hook.receiver.received.length;
  sandbox.throwFault('X33');
  await until(() => hook.receiver.received.length === before + 1);
  expect(await isValid(sandbox)).toBe(true);
}

async function x34(sandbox: LavaSandbox, hook: Linked): Promise<void> {
  sandbox.throwFault('X34', { copies: 3 });
  sandbox.posts('one');
  await until(() => texts(hook).length === 3);
}

async function x35(sandbox: LavaSandbox, hook: Linked): Promise<void> {
  sandbox.throwFault('X35');
  sandbox.posts('one', 'two', 'three');
  await until(() => texts(hook).length === 3);
  expect(texts(hook)).toEqual(['lava three', 'lava two', 'lava one']);
}

async function x36(sandbox: LavaSandbox, hook: Linked, clock: FakeClock): Promise<void> {
  sandbox.throwFault('X36');
  sandbox.posts('one');
  await until(() => sandbox.fired('X36') === 1);
  expect(hook.deliveries()).toEqual([]);
  await redelivered(hook, clock);
}

async function x37(sandbox: LavaSandbox, hook: Linked, clock: FakeClock): Promise<void> {
  sandbox.throwFault('X37');
  sandbox.posts('one');
  await until(() => hook.deliveries().length === 1);
  expect(texts(hook)).toEqual([]);
  await redelivered(hook, clock);
}

async function x38(sandbox: LavaSandbox, hook: Linked): Promise<void> {
  sandbox.throwFault('X38', { kind: 'invalid' });
  expect(await isValid(sandbox)).toBe(false);
  sandbox.posts('withheld');
  await sandbox.call(`${WEBHOOKS}/${hook.id}`, { method: 'PUT' });
  expect(await isValid(sandbox)).toBe(true);
  sandbox.throwFault('X38', { kind: 'unlinked' });
  expect((await sandbox.call(LINKS)).json<{ data: { links: unknown[] } }>().data.links).toEqual([]);
  sandbox.throwFault('X38', { kind: 'gone' });
  expect(await isValid(sandbox)).toBeUndefined();
  expect(hook.deliveries()).toEqual([]);
}

async function x39(sandbox: LavaSandbox, hook: Linked, clock: FakeClock): Promise<void> {
  sandbox.posts('one');
  await until(() => texts(hook).length === 1);
  await clock.pass(120_000);
  const minute = (ago: number) =>
    new Date(clock.now().getTime() - ago).toISOString().replaceAll(/\D/g, '').slice(0, 12);
  const body = { webhook_id: hook.id, from_date: minute(180_000), to_date: minute(0) };
  const replay = () => sandbox.call(`${WEBHOOKS}/replay`, { method: 'POST', body });
  sandbox.throwFault('X39', { kind: 'refused' });
  expect((await replay()).status).toBe(403);
  sandbox.throwFault('X39', { kind: 'incomplete' });
  const { job_id } = (await replay()).json<{ job_id: string }>();
  await until(() => hook.messages().length === 2);
  expect(hook.messages()[1]!.replay_job_status).toMatchObject({ job_id, job_state: 'Incomplete' });
  expect((await replay()).status).toBe(200);
  await until(() => hook.messages().length === 4);
  expect(hook.messages()[2]).toMatchObject({ data: { text: 'lava one' }, meta: { replay: true } });
  expect(hook.messages()[3]!.replay_job_status).toMatchObject({ job_state: 'Complete' });
}

async function x40(sandbox: LavaSandbox, hook: Linked, clock: FakeClock): Promise<void> {
  sandbox.throwFault('X40');
  sandbox.posts('one');
  await until(() => texts(hook).length === 1);
  await clock.pass(5_000);
  await until(() => texts(hook).length === 2);
}

async function x41(sandbox: LavaSandbox, hook: Linked, clock: FakeClock): Promise<void> {
  sandbox.throwFault('X41', { seconds: 4 });
  sandbox.posts('one');
  await redelivered(hook, clock);
  expect(hook.deliveries()).toHaveLength(1);
}

/** X tries again after five seconds. */
async function redelivered(hook: Linked, clock: FakeClock): Promise<void> {
  await clock.pass(5_000);
  await until(async () => {
    await clock.pass(0);
    return texts(hook).length === 1;
  });
}

const CASES: ReadonlyMap<Name, Case> = new Map<Name, Case>([
  ['X33', x33],
  ['X34', x34],
  ['X35', x35],
  ['X36', x36],
  ['X37', x37],
  ['X38', x38],
  ['X39', x39],
  ['X40', x40],
  ['X41', x41],
]);

export const WEBHOOK_FAULTS: readonly Name[] = [...CASES.keys()];

/** The test of one switch, with a webhook that is linked. */
export const withWebhook = (name: Name) => async (sandbox: LavaSandbox, clock: FakeClock) => {
  await using hook = await linked(sandbox);
  await CASES.get(name)!(sandbox, hook, clock);
};

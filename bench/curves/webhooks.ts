/**
 * The cost of a delivered match, from its push on, with more and more webhooks. Each webhook wants one rule of its
 * own. However many there are, the same pushes lead to the same deliveries: a hundred pushes, each of a hundred events
 * for one webhook, which are one batch.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openAdmin } from '../../src/app/admin.ts';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import { createSeal, SEALING_KEY_BYTES } from '../../src/delivery/webhooks/seal.ts';
import { newWebhookSecret } from '../../src/delivery/webhooks/signature.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import { MAX_WEBHOOKS } from '../../src/service/limits.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Started, startServer } from '../../test/black-box/server.ts';
import { openReceiver, until } from '../../test/stages/receiver.ts';
import { filledFolder } from '../ingest-rules.ts';
import { residentMb } from '../resident.ts';
import { microsAnEvent, threadSeconds } from '../thread-cpu.ts';
import { type CurveOptions, type CurvePoint, sizesOf } from './point.ts';

const SIZES = { quick: [1, 100], usual: [1, 10, 100, 1_000, 10_000] };
const [PUSHES, BATCH] = [100, 100];

export async function* webhooksCurve(options: CurveOptions): AsyncGenerator<CurvePoint> {
  for (const size of sizesOf(options, SIZES)) yield await pointOf(size);
}

async function pointOf(size: number): Promise<CurvePoint> {
  let delivered = 0;
  await using receiver = await openReceiver((response, { body }) => {
    delivered += (JSON.parse(body) as { matches: readonly unknown[] }).matches.length;
    response.end();
  });
  const key = randomBytes(SEALING_KEY_BYTES);
  const settings = { SLUICE_SEALING_KEY: key.toString('base64'), SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', NODE_OPTIONS: '' };
  let keys: readonly string[] = [];
  const dataDir = await filledFolder(async (folder) => {
    keys = await fill({ ...settings, SLUICE_DATA_DIR: folder }, size, receiver.url);
  });
  await using server = await startServer(settings, dataDir);
  await until(async () => (await server.call('GET', '/readyz')).status === 200);
  const pushed = async (round: number) => {
    delivered = 0;
    for (let push = 0; push < PUSHES; push++) await pushFor(server, keys, { size, push, round });
    await until(async () => delivered >= PUSHES * BATCH);
  };
  // The first round warms up.
  await pushed(0);
  const pid = server.process.pid!;
  const before = threadSeconds(pid);
  await pushed(1);
  const { all } = microsAnEvent(before, threadSeconds(pid), PUSHES * BATCH);
  return { curve: 'webhooks', size, cpu_micros: { 'a delivered match': all }, resident_mb: residentMb(pid) };
}

const wordOf = (webhook: number): string => `storm${webhook}`;

/** A hundred events for one webhook; the pushes go to webhooks of as many accounts as there are. */
async function pushFor(
  server: Started,
  keys: readonly string[],
  { size, push, round }: { size: number; push: number; round: number },
): Promise<void> {
  const [account, place] = [push % keys.length, Math.floor(push / keys.length)];
  const own = Math.min(MAX_WEBHOOKS, size - account * MAX_WEBHOOKS);
  const word = wordOf(account * MAX_WEBHOOKS + (place % own));
  const events = Array.from({ length: BATCH }, (_, index) => {
    const id = String(1 + index + BATCH * (push + PUSHES * round));
    return { data: { id, text: `${word} was seen at sea, says report ${id}` } };
  });
  const { status, body } = await server.push('x', events, keys[account]);
  if (status !== 200 || body['matches'] !== BATCH)
    throw new Error(`a push was answered ${status}, ${JSON.stringify(body)}`);
}

/** Accounts with as many webhooks as one may have, each with a rule. Answers a key of each account. */
async function fill(settings: Record<string, string>, size: number, url: string): Promise<string[]> {
  const accounts = Math.ceil(size / MAX_WEBHOOKS);
  const keys: string[] = [];
  const ids: string[] = [];
  {
    await using admin = await openAdmin(settings);
    for (let number = 0; number < accounts; number++) {
      const name = `account-${number}`;
      ids.push((await admin.addAccount(name, { xRules: MAX_WEBHOOKS })).id);
      keys.push((await admin.addKey(name, { name: 'bench', scope: 'full', expiresAt: undefined })).secret);
    }
  }
  await using store = await openSqlite(join(settings['SLUICE_DATA_DIR']!, 'sluice.db'));
  const seal = createSeal(Buffer.from(settings['SLUICE_SEALING_KEY']!, 'base64'));
  const secret = seal.seal(newWebhookSecret());
  for (let number = 0; number < size; number++)
    await addWebhook(store, { number, accountId: ids[Math.floor(number / MAX_WEBHOOKS)]!, url, secret });
  return keys;
}

async function addWebhook(
  store: Store,
  { number, accountId, url, secret }: { number: number; accountId: string; url: string; secret: string },
): Promise<void> {
  const createdAt = systemClock.now();
  const id = newId('rule', createdAt);
  const platforms = { x: { value: wordOf(number), flags: {} } };
  await store.addRule({ id, accountId, name: wordOf(number), intent: '', createdAt, platforms }, {});
  await store.setRuleStatus(id, 'x', { status: 'active', platformRuleId: id });
  const webhook: Webhook = {
    id: newId('hook', createdAt),
    accountId,
    url,
    description: '',
    ruleIds: [id],
    platforms: undefined,
    events: ['match'],
    format: 'json',
    every: undefined,
    status: 'active',
    reason: undefined,
    createdAt,
    secrets: { current: secret, previous: undefined, previousUntil: undefined },
    health: { lastFailureAt: undefined, failingSince: undefined },
  };
  await store.addWebhook(webhook, MAX_WEBHOOKS);
}

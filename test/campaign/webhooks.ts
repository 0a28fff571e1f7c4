/**
 * Deliveries under fire: receivers that fail at random in every way, and a server that is killed in the middle, again
 * and again. Then it counts: every match reached every webhook that it was owed to, or is in a delivery that failed
 * with a reason; an id always stood for the same bytes, and no match was in two deliveries.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { type Random, randomFrom } from '../../bench/random.ts';
import { type Started, type StartServer, startServer } from '../black-box/server.ts';
import { openReceiver, type Received } from '../stages/receiver.ts';
import { givenUpOf } from './given-up.ts';

const SETTINGS = {
  SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
  // Days become seconds; thirteen attempts leave little to chance.
  SLUICE_WEBHOOK_RETRIES: '0.1,0.2,0.3,0.5,0.5,0.5,1,1,1,1,1,1',
};
const FAILING = 0.3;

export interface WebhooksOptions {
  readonly start?: StartServer;
  readonly webhooks: number;
  /** Every round brings each webhook one delivery. */
  readonly rounds: number;
  readonly kills: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

export interface WebhooksResult {
  readonly deliveries: number;
  readonly attempts: number;
  readonly refused: number;
  /** Matches that are neither delivered nor in a failed delivery. */
  readonly lost: number;
  /** Ids that stood for other bytes at another time. */
  readonly changed: number;
  /** Matches that were in more than one delivery of a webhook. */
  readonly doubled: number;
  /** Deliveries that a receiver accepted more than once. */
  readonly repeated: number;
  readonly forged: number;
}

interface Tally {
  attempts: number;
  refused: number;
  changed: number;
  forged: number;
  readonly bodies: Map<string, string>;
  readonly accepted: Map<string, number>;
}

export async function webhooksUnderFire(options: WebhooksOptions): Promise<WebhooksResult> {
  const { start = startServer, webhooks, rounds, kills, report = () => {} } = options;
  const random = randomFrom(options.seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-webhooks-'));
  const secrets = new Map<string, string>();
  const tally: Tally = { attempts: 0, refused: 0, changed: 0, forged: 0, bodies: new Map(), accepted: new Map() };
  await using receiver = await openReceiver((response, received) => take(tally, secrets, random, response, received));
  try {
    let server = await start(SETTINGS, dataDir);
    for (let index = 0; index < webhooks; index++) await addWebhook(server, receiver.url, index, secrets);
    const everyRounds = Math.max(1, Math.floor(rounds / (kills + 1)));
    for (let round = 0; round < rounds; round++) {
      await server.push(
        'firehose',
        Array.from({ length: webhooks }, (_, index) => pageOfContent(index, round)),
      );
      await pause(1_000);
      if ((round + 1) % everyRounds !== 0 || (round + 1) / everyRounds > kills) continue;
      await pause(random() * 1_000);
      await server.end('SIGKILL');
      report(`kill ${(round + 1) / everyRounds}: ${tally.accepted.size} deliveries accepted so far`);
      server = await start(SETTINGS, dataDir);
    }
    const result = await settle(server, tally, webhooks * rounds);
    await server.end('SIGTERM');
    return result;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const pageOfContent = (webhook: number, round: number) => ({
  id: `${webhook}-${round}`,
  url: 'https://a.test/',
  title: `word${webhook}`,
});

/** Each webhook has a rule of its own. */
async function addWebhook(server: Started, url: string, index: number, secrets: Map<string, string>): Promise<void> {
  const overrides = { firehose: `title:word${index}` };
  const rule = await server.call('POST', '/api.CreateRule', {
    name: `${index}`,
    intent: '',
    platforms: ['firehose'],
    overrides,
  });
  const { body } = await server.call('POST', '/api.CreateWebhook', {
    url: `${url}/${index}`,
    rule_ids: [rule.body['rule_id']],
  });
  secrets.set(`/${index}`, body['secret'] as string);
}

function take(
  tally: Tally,
  secrets: ReadonlyMap<string, string>,
  random: Random,
  response: ServerResponse,
  received: Received,
): void {
  const id = received.headers['webhook-id'] as string;
  tally.attempts++;
  if (!isGenuine(secrets.get(received.path)!, received)) tally.forged++;
  if ((tally.bodies.get(id) ?? received.body) !== received.body) tally.changed++;
  tally.bodies.set(id, received.body);
  if (random() < FAILING) {
    tally.refused++;
    refuse(response, random());
    return;
  }
  tally.accepted.set(id, (tally.accepted.get(id) ?? 0) + 1);
  response.end('ok');
}

function isGenuine(secret: string, { headers, body }: Received): boolean {
  try {
    const given = headers as Record<string, string>;
    new StandardWebhook(secret).verify(body, given);
    new SvixWebhook(secret).verify(body, given);
    return true;
  } catch {
    return false;
  }
}

function refuse(response: ServerResponse, how: number): void {
  if (how < 0.2) response.socket?.destroy();
  else if (how < 0.4) response.writeHead(500).end('no');
  else if (how < 0.6) response.writeHead(429, { 'retry-after': '1' }).end();
  else if (how < 0.75) response.writeHead(302, { location: '/elsewhere' }).end();
  else if (how < 0.97) response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
  // The rest is never answered.
}

/** Waits until nothing is under way, and counts. */
async function settle(server: Started, tally: Tally, expected: number): Promise<WebhooksResult> {
  const failed = await givenUpOf(server);

  const carried = new Map<string, number>();
  let settled = 0;
  for (const [id, body] of tally.bodies) {
    const { matches } = JSON.parse(body) as { matches: { id: string }[] };
    for (const match of matches) carried.set(match.id, (carried.get(match.id) ?? 0) + 1);
    if (tally.accepted.has(id) || failed.has(id)) settled += matches.length;
  }
  return {
    deliveries: tally.bodies.size,
    attempts: tally.attempts,
    refused: tally.refused,
    lost: expected - settled,
    changed: tally.changed,
    doubled: [...carried.values()].filter((count) => count > 1).length,
    repeated: [...tally.accepted.values()].filter((count) => count > 1).length,
    forged: tally.forged,
  };
}

/** Attempts under way at a kill, at most: only those may be accepted a second time. */
export const IN_FLIGHT = 64;

/** `npm run campaign -- webhooks [--kills N] [--seed N]`: 10,000 deliveries. */
export async function webhooksCampaign(options: { kills?: number; seed?: number }): Promise<boolean> {
  const { kills = 20, seed = Date.now() % 2 ** 32 } = options;
  console.log(`webhooks: 100 webhooks, 130 rounds, ${kills} kills, seed ${seed}`);
  const report = (line: string) => console.log(line);
  const result = await webhooksUnderFire({ webhooks: 100, rounds: 130, kills, seed, report });
  console.log(JSON.stringify(result));
  const { lost, changed, doubled, repeated, forged, refused } = result;
  return lost + changed + doubled + forged === 0 && repeated <= kills * IN_FLIGHT && refused > 1_000;
}

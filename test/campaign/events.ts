/**
 * Events under fire: agents that subscribe by `events/subscribe` and bring a new secret with every refresh, receivers that
 * fail in every way, and a server that is killed in the middle, again and again. Then it counts: every match of every
 * subscription was accepted, or is in the log as given up; an event has one id; and no cursor lay beyond what was settled.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Random, randomFrom } from '../../bench/random.ts';
import { createCursors } from '../../src/service/outlets/cursors.ts';
import { findMatchId } from '../../src/store/order.ts';
import { KEY, type Started, type StartServer, startServer } from '../black-box/server.ts';
import { openReceiver, type Received } from '../stages/receiver.ts';
import { givenUpOf } from './given-up.ts';

const SETTINGS = {
  SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
  // A quarter of an hour becomes a second; with four attempts, some events are given up.
  SLUICE_EVENT_RETRIES: '0.1,0.2,0.5',
};
const FAILING = 0.3;

export interface EventsOptions {
  readonly start?: StartServer;
  readonly subscriptions: number;
  /** Every round brings each subscription one event. */
  readonly rounds: number;
  readonly kills: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

export interface EventsResult {
  readonly events: number;
  readonly attempts: number;
  readonly refused: number;
  readonly rotations: number;
  /** Matches that are neither accepted nor in the log as given up. */
  readonly lost: number;
  /** Ids that stood for other bytes at another time, and matches with more than one id. */
  readonly changed: number;
  /** Events that were sent with a cursor beyond an event that was not settled. */
  readonly ahead: number;
  readonly forged: number;
  /** Ids of events that are in the log as given up. */
  readonly givenUp: ReadonlySet<string>;
}

interface Subscriber {
  readonly ruleId: string;
  readonly url: string;
  /** The newest first. */
  secrets: string[];
  cursor: string | null;
}

interface Tally {
  attempts: number;
  refused: number;
  forged: number;
  changed: number;
  rotations: number;
  /** By the path of the receiver. */
  readonly subscribers: Map<string, Subscriber>;
  readonly bodies: Map<string, string>;
  readonly idOfMatch: Map<string, string>;
  /** When each event was accepted, in turns. */
  readonly accepted: Map<string, number>;
  /** Every cursor that a subscriber saw, and when. */
  readonly told: { readonly path: string; readonly turn: number; readonly cursor: string }[];
  turn: number;
}

export async function eventsUnderFire(options: EventsOptions): Promise<EventsResult> {
  const { start = startServer, subscriptions, rounds, kills, report = () => {} } = options;
  const random = randomFrom(options.seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-events-'));
  const tally: Tally = {
    attempts: 0,
    refused: 0,
    forged: 0,
    changed: 0,
    rotations: 0,
    turn: 0,
    told: [],
    subscribers: new Map(),
    bodies: new Map(),
    idOfMatch: new Map(),
    accepted: new Map(),
  };
  await using receiver = await openReceiver((response, received) => take(tally, random, response, received));
  try {
    let server = await start(SETTINGS, dataDir);
    for (let index = 0; index < subscriptions; index++) await addSubscriber(server, tally, receiver.url, index);
    const everyRounds = Math.max(1, Math.floor(rounds / (kills + 1)));
    for (let round = 0; round < rounds; round++) {
      await pushRound(server, subscriptions, round);
      await refreshSome(server, tally, round, rounds);
      if ((round + 1) % everyRounds !== 0 || (round + 1) / everyRounds > kills) continue;
      await pause(random() * 1_000);
      await server.end('SIGKILL');
      report(`kill ${(round + 1) / everyRounds}: ${tally.accepted.size} events accepted so far`);
      server = await start(SETTINGS, dataDir);
    }
    const result = await settle(server, tally, subscriptions * rounds);
    await server.end('SIGTERM');
    return { ...result, ahead: aheadIn(dataDir, tally, result.givenUp) };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const pushRound = (server: Started, subscriptions: number, round: number) =>
  server.push(
    'firehose',
    Array.from({ length: subscriptions }, (_, index) => ({
      id: `${index}-${round}`,
      url: 'https://a.test/',
      title: `word${index}`,
    })),
  );

async function addSubscriber(server: Started, tally: Tally, url: string, index: number): Promise<void> {
  const rule = await server.call('POST', '/api.CreateRule', {
    name: `${index}`,
    intent: '',
    platforms: ['firehose'],
    overrides: { firehose: `title:word${index}` },
  });
  const subscriber = { ruleId: String(rule.body['rule_id']), url: `${url}/${index}`, secrets: [], cursor: null };
  tally.subscribers.set(`/${index}`, subscriber);
  await subscribe(server, tally, subscriber);
}

/** Each brings a new secret, and the cursor that it stored last. */
async function subscribe(server: Started, tally: Tally, subscriber: Subscriber): Promise<void> {
  const secret = newSecret();
  // The receiver knows the secret before it is used.
  subscriber.secrets = [secret, ...subscriber.secrets].slice(0, 3);
  const params = {
    name: 'match.created',
    arguments: { rule_id: subscriber.ruleId },
    cursor: subscriber.cursor,
    delivery: { mode: 'webhook', url: subscriber.url, secret },
  };
  const { text } = await server.call(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'events/subscribe', params },
    {
      key: KEY,
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    },
  );
  const answer = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result?: { cursor: string } };
  if (answer.result === undefined) throw new Error(`A subscription was refused: ${text}`);
  subscriber.cursor = answer.result.cursor;
  tally.told.push({ path: new URL(subscriber.url).pathname, turn: ++tally.turn, cursor: answer.result.cursor });
}

/** Every subscription is refreshed ten times in all, a few in each round. */
async function refreshSome(server: Started, tally: Tally, round: number, rounds: number): Promise<void> {
  const every = Math.max(1, Math.floor(rounds / 10));
  for (const [index, subscriber] of [...tally.subscribers.values()].entries()) {
    if ((index + round) % every !== 0) continue;
    await subscribe(server, tally, subscriber);
    tally.rotations++;
  }
}

function take(tally: Tally, random: Random, response: ServerResponse, received: Received): void {
  const subscriber = tally.subscribers.get(received.path)!;
  const message = JSON.parse(received.body) as { challenge?: string; data?: { match_id: string }; cursor?: string };
  if (!subscriber.secrets.some((secret) => isSigned(secret, received))) tally.forged++;
  if (message.challenge !== undefined) {
    response.end(JSON.stringify({ challenge: message.challenge }));
    return;
  }
  tally.attempts++;
  tally.told.push({ path: received.path, turn: ++tally.turn, cursor: message.cursor! });
  noteBody(tally, received, message.data!.match_id);
  if (random() < FAILING) {
    tally.refused++;
    refuse(response, random());
    return;
  }
  const id = received.headers['webhook-id'] as string;
  tally.accepted.set(id, tally.accepted.get(id) ?? tally.turn);
  subscriber.cursor = message.cursor ?? subscriber.cursor;
  response.writeHead(204).end();
}

function noteBody(tally: Tally, { headers, body, path }: Received, matchId: string): void {
  const id = headers['webhook-id'] as string;
  const match = `${path} ${matchId}`;
  if ((tally.bodies.get(id) ?? body) !== body || (tally.idOfMatch.get(match) ?? id) !== id) tally.changed++;
  tally.bodies.set(id, body);
  tally.idOfMatch.set(match, id);
}

function isSigned(secret: string, { headers, body }: Received): boolean {
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const wanted = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(content)
    .digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${wanted}`);
}

function refuse(response: ServerResponse, how: number): void {
  if (how < 0.3) response.socket?.destroy();
  else if (how < 0.6) response.writeHead(503).end('no');
  else if (how < 0.8) response.writeHead(401).end();
  else response.writeHead(429, { 'retry-after': '1' }).end();
}

/** Waits until nothing is under way, and counts. */
async function settle(server: Started, tally: Tally, expected: number): Promise<Omit<EventsResult, 'ahead'>> {
  const givenUp = await givenUpOf(server);
  const settled = [...tally.bodies.keys()].filter((id) => tally.accepted.has(id) || givenUp.has(id)).length;
  const { attempts, refused, rotations, changed, forged } = tally;
  return {
    events: tally.bodies.size,
    attempts,
    refused,
    rotations,
    lost: expected - settled,
    changed,
    forged,
    givenUp,
  };
}

/** Cursors that were told while an event before them was neither accepted nor given up in the end. */
function aheadIn(dataDir: string, tally: Tally, givenUp: ReadonlySet<string>): number {
  const cursors = createCursors(Buffer.from(readFileSync(join(dataDir, 'webhooks.key'), 'utf8'), 'base64'));
  const file = new DatabaseSync(join(dataDir, 'sluice.db'), { readOnly: true });
  const { id: accountId } = file.prepare('SELECT id FROM accounts').get() as { id: string };
  file.close();
  const events = Map.groupBy(tally.idOfMatch, ([match]) => match.split(' ')[0]!);
  let ahead = 0;
  for (const { path, turn, cursor } of tally.told) {
    const reached = cursors.read(accountId, 'event', 'cursor', cursor);
    const isAhead = (events.get(path) ?? []).some(
      ([match, id]) =>
        findMatchId(match.split(' ')[1]!)!.from <= reached &&
        !givenUp.has(id) &&
        (tally.accepted.get(id) ?? Number.POSITIVE_INFINITY) > turn,
    );
    if (isAhead) ahead++;
  }
  return ahead;
}

/** `npm run campaign -- events [--kills N] [--seed N]`: 10,000 events to 100 subscriptions. */
export async function eventsCampaign(options: { kills?: number; seed?: number }): Promise<boolean> {
  const { kills = 20, seed = Date.now() % 2 ** 32 } = options;
  console.log(`events: 100 subscriptions, 100 rounds, ${kills} kills, seed ${seed}`);
  const report = (line: string) => console.log(line);
  const { givenUp, ...result } = await eventsUnderFire({ subscriptions: 100, rounds: 100, kills, seed, report });
  console.log(JSON.stringify({ ...result, givenUp: givenUp.size }));
  const { lost, changed, ahead, forged, refused } = result;
  return lost + changed + ahead + forged === 0 && refused > 1_000 && givenUp.size > 0;
}

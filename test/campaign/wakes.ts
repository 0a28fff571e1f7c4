/**
 * Wake contracts under fire: receivers that fail three times in ten, and a server that is killed in the middle of every
 * round and comes back an hour later, so that windows end. Then it counts: each match is in exactly one wake or digest of
 * each webhook, an id always stood for the same bytes, and no window had more wakes than its contract allows. Among the contracts are
 * quiet hours, digests when so many wait, and terms over several matches; one webhook has no contract, and a silence instead.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { randomFrom } from '../../bench/random.ts';
import { readId } from '../../src/base/ids.ts';
import { type Started, type StartServer, startServer } from '../black-box/server.ts';
import { openReceiver, type Received } from '../stages/receiver.ts';

const HOUR = 3_600_000;
const FAILING = 0.3;
const SHIFTED = resolve(import.meta.dirname, '../stages/shifted-clock.mjs');
const SETTINGS = {
  SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
  // Days become seconds; thirteen attempts leave little to chance.
  SLUICE_WEBHOOK_RETRIES: '0.1,0.2,0.3,0.5,0.5,0.5,1,1,1,1,1,1',
  NODE_OPTIONS: `--import=${SHIFTED}`,
};

interface Contract {
  readonly per?: 'match' | 'story';
  readonly at_most?: string;
  readonly quiet?: object;
  readonly digest?: object;
  readonly when?: object;
}

/** The undefined one stands for no contract. */
const CONTRACTS: readonly (Contract | undefined)[] = [
  { per: 'match', at_most: '7/hour' },
  { per: 'story', at_most: '20/hour' },
  { per: 'story' },
  { per: 'match', at_most: '60/day' },
  { quiet: { from: '03:00', to: '09:30', zone: 'Europe/Berlin' }, digest: { at: '12:00', zone: 'America/New_York' } },
  { per: 'story', at_most: '5/hour', digest: { when_waiting: 40 } },
  { when: { count: 7, distinct: 'site', within: '10m' }, digest: { at: '06:00', when_waiting: 90 } },
  undefined,
];
const SILENCED_HOURS = 3;

export interface WakesOptions {
  readonly start?: StartServer;
  /** Each ends with a kill. */
  readonly rounds: number;
  readonly eventsOfRound: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

export interface WakesResult {
  /** Matches owed, of all webhooks together. */
  readonly owed: number;
  readonly wakes: number;
  readonly held: number;
  readonly digests: number;
  readonly refused: number;
  /** Matches that are in no wake and no digest. */
  readonly lost: number;
  /** Matches that are in more than one of a webhook. */
  readonly doubled: number;
  /** Digests that count other than what they list, and ids that stood for other bytes at another time. */
  readonly wrong: number;
  /** Windows with more wakes than the contract allows. */
  readonly overrun: number;
}

interface Body {
  readonly type: 'matches' | 'digest';
  /** It is undefined for matches that come without a contract. */
  readonly wake?: boolean;
  readonly matches: readonly { readonly id: string }[];
  readonly digest?: {
    readonly match_count: number;
    readonly story_count: number;
    readonly stories: readonly { readonly size: number; readonly match_ids: readonly string[] }[];
  };
}

/** The deliveries that one webhook was sent and took, by their ids: a receiver knows repeats by it. */
interface Inbox {
  readonly sent: Map<string, string>;
  readonly taken: Set<string>;
  refused: number;
  changed: number;
}

export async function wakesUnderFire(options: WakesOptions): Promise<WakesResult> {
  const { start = startServer, rounds, eventsOfRound, report = () => {} } = options;
  const random = randomFrom(options.seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-wakes-'));
  const inboxes = CONTRACTS.map((): Inbox => ({ sent: new Map(), taken: new Set(), refused: 0, changed: 0 }));
  await using receiver = await openReceiver((response, received) => {
    const inbox = inboxes[Number(received.path.slice(1))]!;
    // The first attempt always fails, so that there is a fault in every run.
    const isRefused = random() < FAILING || inbox.sent.size === 0;
    take(inbox, received, isRefused);
    response.writeHead(isRefused ? 500 : 200).end();
  });
  const startAt = (hours: number) => start({ ...SETTINGS, TEST_CLOCK_AHEAD: String(hours * HOUR) }, dataDir);
  try {
    let server = await startAt(0);
    await setUp(server, receiver.url);
    for (let round = 0; round < rounds; round++) {
      const events = Array.from({ length: eventsOfRound }, (_, index) => eventOf(round, index));
      await server.push('firehose', events);
      await pause(random() * 2_000);
      await server.end('SIGKILL');
      report(`kill ${round + 1}: ${inboxes.map(({ taken }) => taken.size).join(', ')} deliveries taken so far`);
      server = await startAt(round + 1);
    }
    const expected = rounds * eventsOfRound;
    await settle(server, inboxes, expected);
    await server.end('SIGTERM');
    // The last digest of a day goes out on the day after.
    server = await startAt(rounds + 25);
    await settle(server, inboxes, expected);
    const isWhole = () => inboxes.every((inbox) => countedIn(inbox) >= expected);
    for (let turn = 0; turn < 400 && !isWhole(); turn++) await pause(100);
    await server.end('SIGTERM');
    return resultOf(inboxes, expected);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** Thirty stories a round, and a few that go on for ever. */
const eventOf = (round: number, index: number) => ({
  id: `${round}-${index}`,
  url: `https://site${index}.test/${round}`,
  title:
    index % 5 === 0 ? `word storm hits harbour town ${index % 3}` : `word report number ${round} item ${index % 30}`,
});

async function setUp(server: Started, url: string): Promise<void> {
  await server.call('POST', '/api.CreateRule', {
    name: 'word',
    intent: '',
    platforms: ['firehose'],
    overrides: { firehose: 'title:word' },
  });
  for (const [index, wake] of CONTRACTS.entries()) {
    const { status, text } = await server.call('POST', '/api.CreateWebhook', { url: `${url}/${index}`, wake });
    if (status !== 200) throw new Error(text);
  }
  const until = new Date(Date.now() + SILENCED_HOURS * HOUR).toISOString();
  const silence = { text: 'hits harbour', until, reason: 'A storm is known of.' };
  const { status, text } = await server.call('POST', '/api.CreateSilence', silence);
  if (status !== 200) throw new Error(text);
}

function take(inbox: Inbox, { headers, body }: Received, isRefused: boolean): void {
  const id = headers['webhook-id'] as string;
  if ((inbox.sent.get(id) ?? body) !== body) inbox.changed++;
  inbox.sent.set(id, body);
  if (isRefused) inbox.refused++;
  else inbox.taken.add(id);
}

const bodiesOf = ({ sent, taken }: Inbox): [string, Body][] =>
  [...taken].map((id) => [id, JSON.parse(sent.get(id)!) as Body]);

const sizeOf = ({ matches, digest }: Body): number => matches.length + (digest?.match_count ?? 0);

const countedIn = (inbox: Inbox): number => bodiesOf(inbox).reduce((sum, [, body]) => sum + sizeOf(body), 0);

/** Until the server has nothing under way but digests that wait for the end of their window. */
async function settle(server: Started, inboxes: readonly Inbox[], expected: number): Promise<void> {
  for (let turn = 0; turn < 400; turn++) {
    if (inboxes.every((inbox) => countedIn(inbox) >= expected)) return;
    const { body } = await server.call('POST', '/api.ListDeliveries', { status: 'pending', limit: 200 });
    const pending = body['deliveries'] as { digest?: true; matches: number; attempts: unknown[] }[];
    const waiting = pending.filter(({ digest, attempts }) => digest === true && attempts.length === 0);
    const held = waiting.reduce((sum, { matches }) => sum + matches, 0);
    const taken = inboxes.reduce((sum, inbox) => sum + countedIn(inbox), 0);
    if (waiting.length === pending.length && taken + held >= expected * inboxes.length) return;
    await pause(100);
  }
}

function resultOf(inboxes: readonly Inbox[], expected: number): WakesResult {
  const result = { wakes: 0, held: 0, digests: 0, refused: 0, lost: 0, doubled: 0, wrong: 0, overrun: 0 };
  for (const [index, inbox] of inboxes.entries()) {
    const seen = new Map<string, number>();
    // A large digest counts more than it lists: then the sum must be right.
    let unlisted = 0;
    for (const [, { matches, digest, type, wake }] of bodiesOf(inbox)) {
      const listed = (digest?.stories ?? []).flatMap(({ match_ids }) => match_ids);
      for (const id of [...matches.map((match) => match.id), ...listed]) seen.set(id, (seen.get(id) ?? 0) + 1);
      const isMarked =
        CONTRACTS[index] === undefined && type === 'matches' ? wake === undefined : wake === (type === 'matches');
      if (isMiscounted(digest, listed.length) || !isMarked) result.wrong++;
      unlisted += (digest?.match_count ?? 0) - listed.length;
      result.wakes += matches.length;
      result.held += digest?.match_count ?? 0;
      result.digests += digest === undefined ? 0 : 1;
    }
    result.refused += inbox.refused;
    result.wrong += inbox.changed;
    result.lost += Math.max(0, expected - seen.size - unlisted);
    result.doubled += Math.max(0, seen.size + unlisted - expected);
    result.doubled += [...seen.values()].filter((count) => count > 1).length;
    result.overrun += overrunsOf(inbox, CONTRACTS[index]);
  }
  return { owed: expected * inboxes.length, ...result };
}

/** Sizes of stories, all of which are listed, add up to the count. */
function isMiscounted(digest: Body['digest'], listed: number): boolean {
  if (digest === undefined) return false;
  const { match_count, story_count, stories } = digest;
  const sum = stories.reduce((total, { size }) => total + size, 0);
  return listed > match_count || (stories.length === story_count ? sum !== match_count : sum >= match_count);
}

/** The id of a delivery tells when it was decided. */
function overrunsOf(inbox: Inbox, contract: Contract | undefined): number {
  if (contract?.at_most === undefined) return 0;
  const [most, window] = contract.at_most.split('/');
  const length = window === 'hour' ? HOUR : 24 * HOUR;
  const wakes = new Map<number, number>();
  for (const [id, { matches }] of bodiesOf(inbox)) {
    const from = Math.floor(readId('dlv', id)!.time / length);
    wakes.set(from, (wakes.get(from) ?? 0) + matches.length);
  }
  return [...wakes.values()].filter((count) => count > Number(most)).length;
}

/** `npm run campaign -- wakes [--kills N] [--seed N]`: 10,000 matches. */
export async function wakesCampaign(options: { kills?: number; seed?: number }): Promise<boolean> {
  const { kills = 20, seed = Date.now() % 2 ** 32 } = options;
  const eventsOfRound = Math.ceil(10_000 / CONTRACTS.length / kills);
  console.log(
    `wakes: ${CONTRACTS.length} webhooks, ${kills} rounds of ${eventsOfRound} events, a kill in each, seed ${seed}`,
  );
  const report = (line: string) => console.log(line);
  const result = await wakesUnderFire({ rounds: kills, eventsOfRound, seed, report });
  console.log(JSON.stringify(result));
  const { owed, wakes, held, lost, doubled, wrong, overrun, refused } = result;
  return lost + doubled + wrong + overrun === 0 && wakes + held === owed && held > 0 && refused > 0;
}

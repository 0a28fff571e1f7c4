/**
 * `npm run campaign -- neighbours [--times N]`: for every operation, one account asks for it as often as its limits let it, while
 * another pushes one event and reads its matches, again and again. Told is the processor's time that the server's main thread
 * spends from a request of the other account to its answer, beside that with nobody else: a busy machine adds nothing to it.
 * It fails where the 99th percentile is more than twice as much, also when it is measured again with more requests.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openAdmin } from '../../src/app/admin.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { type Answer, type Started, startServer } from '../black-box/server.ts';

const NAMES = Object.keys(operations) as OperationName[];
/** The usual limit of a key. */
const REQUESTS_A_MINUTE = 600;
const LOUD_EVERY_MS = 60_000 / REQUESTS_A_MINUTE;
const QUIET_EVERY_MS = 20;
const MOST_TIMES = 2;
const P99 = 0.99;
/** Two odd requests of two hundred decide. A row that seems to be over is measured again with so many times as many. */
const TIMES_AGAIN = 5;
/** Matches of each account before anything is measured. */
const MATCHES = 200;

export interface NeighbourRow {
  readonly operation: OperationName;
  /** Answers to the one who asks for the operation, by their status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Answers to the other one that were no success. */
  readonly refused: number;
  /** Milliseconds of the other one's requests. */
  readonly quiet: readonly number[];
}

export interface NeighbourOptions {
  /** Requests of the other account, for each operation. */
  readonly samples: number;
  readonly names?: readonly OperationName[];
  readonly report?: (row: NeighbourRow) => void;
}

export interface NeighbourResult {
  readonly alone: readonly number[];
  readonly rows: readonly NeighbourRow[];
}

export async function neighbours({ samples, names = NAMES, report }: NeighbourOptions): Promise<NeighbourResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-neighbours-'));
  const keys = await addAccounts(dataDir, ['quiet', ...names, ...names.map(again)]);
  await using server = await startServer({ SLUICE_RATE_LIMIT: String(REQUESTS_A_MINUTE) }, dataDir);
  const quiet = await prepare(server, keys.get('quiet')!);
  await quietRequests(server, quiet, samples);
  const alone: number[] = [];
  async function beside(operation: OperationName, account: string, times: number): Promise<NeighbourRow> {
    const loud = await prepare(server, keys.get(account)!);
    // The usual time is measured beside each: a server that has run for long is another one.
    alone.push(...(await quietRequests(server, quiet, times)).times);
    const leaving = new AbortController();
    const loudness = loudRequests(server, operation, loud, leaving.signal);
    const measured = await quietRequests(server, quiet, times);
    leaving.abort();
    const row = { operation, statuses: await loudness, refused: measured.refused, quiet: measured.times };
    report?.(row);
    return row;
  }
  const rows: NeighbourRow[] = [];
  for (const name of names) rows.push(await beside(name, name, samples));
  for (const [at, row] of rows.entries())
    if (isOver(row, alone)) rows[at] = await beside(row.operation, again(row.operation), samples * TIMES_AGAIN);
  return { alone, rows };
}

/** The account of an operation that is measured again. */
const again = (name: string): string => `${name}-again`;

const isOver = ({ quiet }: NeighbourRow, alone: readonly number[]): boolean =>
  percentile(quiet, P99) > MOST_TIMES * percentile(alone, P99);

/** Each operation is asked for by an account of its own, so that none begins with its limits used up. */
async function addAccounts(dataDir: string, names: readonly string[]): Promise<Map<string, string>> {
  await using admin = await openAdmin({ SLUICE_DATA_DIR: dataDir });
  const keys = new Map<string, string>();
  for (const name of names) {
    await admin.addAccount(name, { plan: 'paid', xRules: 25 });
    const { secret } = await admin.addKey(name, { name: 'campaign', scope: 'full', expiresAt: undefined });
    keys.set(name, secret);
  }
  // The account that is measured is never refused for its own sake.
  await admin.changeLimits('quiet', { requests_per_key: null, requests_per_account: null });
  return keys;
}

interface Party {
  readonly key: string;
  /** The ids that stand for those of examples, by the word before their underscore. */
  readonly ids: Readonly<Record<string, string>>;
}

const aDayOn = (): string => new Date(Date.now() + 86_400_000).toISOString();

/** How an account gets one of each kind. Nothing of it reaches for the network: sources and webhooks are paused. */
const MADE: Readonly<Record<string, readonly [path: string, input: () => object]>> = {
  rule: [
    '/api.CreateRule',
    () => ({ name: 'Storms', intent: 'storms at sea', platforms: ['x'], overrides: { x: 'storm' } }),
  ],
  hook: ['/api.CreateWebhook', () => ({ url: 'https://example.com/hook' })],
  source: [
    '/api.CreateSource',
    () => ({ kind: 'feeds', name: 'News', options: { urls: ['https://example.com/feed.xml'] }, paused: true }),
  ],
  silence: ['/api.CreateSilence', () => ({ until: aDayOn(), reason: 'The campaign.', text: 'calm' })],
  view: ['/api.CreateView', () => ({ name: 'Mine', query: 'text=a' })],
  feed: ['/api.CreateFeed', () => ({ name: 'Mine' })],
  key: ['/api.CreateKey', () => ({ name: 'campaign', scope: 'read' })],
};

/** Operations that use up what they are about: each request has one of its own. */
const USED_UP: Readonly<Partial<Record<OperationName, string>>> = {
  deleteRule: 'rule',
  deleteWebhook: 'hook',
  deleteSource: 'source',
  endSilence: 'silence',
  deleteView: 'view',
  deleteFeed: 'feed',
  revokeKey: 'key',
};

/** Inputs in the place of examples whose time is over. */
const INPUTS: Readonly<Partial<Record<OperationName, () => object>>> = {
  createSilence: () => ({ until: aDayOn(), reason: 'The campaign.', text: 'calm' }),
};

async function make(server: Started, key: string, kind: string): Promise<string> {
  const [path, input] = MADE[kind]!;
  const made = await server.call('POST', path, input(), { key });
  const id = idIn(made, kind);
  if (id === undefined) throw new Error(`${path}: ${made.text}`);
  return id;
}

/** The ids of two kinds in one answer differ by the word before their underscore. */
const idIn = ({ text }: Answer, kind: string): string | undefined =>
  text.split('"').find((part) => part.startsWith(`${kind}_`) && part.length > kind.length + 20);

let posted = 0;
const post = () => ({ data: { id: String(++posted), text: `a storm ${posted}` } });

async function prepare(server: Started, key: string): Promise<Party> {
  const call = (path: string, body: object) => server.call('POST', path, body, { key });
  const ids: Record<string, string> = {};
  for (const kind of Object.keys(MADE)) ids[kind] = await make(server, key, kind);
  await call('/api.UpdateWebhook', { webhook_id: ids['hook'], paused: true });
  await server.push('x', Array.from({ length: MATCHES }, post), key);
  const { text } = await call('/matches', { limit: 1 });
  const match = /"id":"(match_[^"]+)"/.exec(text)?.[1] ?? 'match_none';
  return { key, ids: { ...ids, match } };
}

/** The account, with what the request needs to find: a deleted rule to restore, or a thing that is there to be used up. */
async function readied(server: Started, name: OperationName, party: Party): Promise<Party | Answer> {
  const { key, ids } = party;
  if (name === 'restoreRule') await server.call('POST', '/api.DeleteRule', { rule_id: ids['rule'] }, { key });
  const kind = USED_UP[name];
  if (kind === undefined) return party;
  const [path, input] = MADE[kind]!;
  const made = await server.call('POST', path, input(), { key });
  const id = idIn(made, kind);
  return id === undefined ? made : { key, ids: { ...ids, [kind]: id } };
}

/** The example of the operation, with ids of the account that asks. */
async function requestOf(server: Started, name: OperationName, asking: Party): Promise<Answer> {
  const party = await readied(server, name, asking);
  // The limits of the account let it make no more for now.
  if ('status' in party) return party;
  const { key, ids } = party;
  if (operations[name].ndjson !== undefined) return server.push('x', [post()], key);
  const [methods, path] = ROUTES[name].split(' ') as [string, string];
  const input = JSON.stringify(INPUTS[name]?.() ?? operations[name].example.input).replace(
    /"([a-z]+)_[0-9a-z]{20,}"/g,
    (id, kind: string) => (ids[kind] === undefined ? id : `"${ids[kind]}"`),
  );
  if (methods.includes('POST')) return server.call('POST', path, undefined, { key, raw: input });
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries(JSON.parse(input) as Record<string, unknown>))
    query.set(field, String(value));
  return server.call('GET', `${path}?${query.toString()}`, undefined, { key });
}

/** As often as the limits let it, whether or not the last one was answered. Answers the statuses. */
async function loudRequests(server: Started, name: OperationName, loud: Party, leaving: AbortSignal) {
  const statuses: Record<number, number> = {};
  const asked: Promise<void>[] = [];
  const ask = async () => {
    const { status } = await requestOf(server, name, loud);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  while (!leaving.aborted) {
    asked.push(ask());
    await setTimeout(LOUD_EVERY_MS);
  }
  await Promise.all(asked);
  return statuses;
}

async function quietRequests(server: Started, { key }: Party, samples: number) {
  const times: number[] = [];
  let refused = 0;
  for (let sample = 0; sample < samples; sample++) {
    const pause = setTimeout(QUIET_EVERY_MS);
    const before = mainMs(server);
    // The rate of an account is its own: half of the requests are pushes, and the rest reads of what they found.
    const { status } = await (sample % 2 === 0
      ? server.push('x', [post()], key)
      : server.call('POST', '/matches', { limit: 10 }, { key }));
    times.push(mainMs(server) - before);
    if (status !== 200) refused++;
    await pause;
  }
  return { times, refused };
}

/** Milliseconds that the main thread of the server has run, as the scheduler of Linux counts them. */
function mainMs({ process: { pid } }: Started): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

export const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * share))]!;

export async function neighboursCampaign({ times: samples = 200 }: { times?: number }): Promise<boolean> {
  const { alone, rows } = await neighbours({
    samples,
    report: ({ operation, statuses, quiet }) =>
      console.log(
        `${operation.padEnd(22)} p50 ${percentile(quiet, 0.5).toFixed(1)} ms, p99 ${percentile(quiet, P99).toFixed(1)} ms; ${JSON.stringify(statuses)}`,
      ),
  });
  const usual = percentile(alone, P99);
  console.log(`alone                  p50 ${percentile(alone, 0.5).toFixed(1)} ms, p99 ${usual.toFixed(1)} ms`);
  const over = rows.filter((row) => isOver(row, alone));
  for (const { operation, quiet } of over)
    console.log(`${operation}: ${(percentile(quiet, P99) / usual).toFixed(1)} times the usual p99`);
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  console.log(`${rows.length} operations; over twice: ${over.length}; refused to the other account: ${refused}`);
  return over.length === 0 && refused === 0;
}

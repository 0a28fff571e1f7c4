/**
 * `npm run bench -- delivering`: a push of one event that matches one rule, while thousands of matches are delivered to a
 * receiver that takes its time, against the same push while they wait; on both databases. What the deliveries cost by
 * themselves is measured beside it and taken off. The bar: at most 1.3 times the CPU.
 */
import { setTimeout } from 'node:timers/promises';
import { type Started, startServer } from '../test/black-box/server.ts';
import { startPostgresWithTables } from '../test/stages/postgres.ts';
import { openReceiver } from '../test/stages/receiver.ts';
import { cpuBelowUs } from './scale.ts';
import { threadSeconds } from './thread-cpu.ts';

const BACKLOG = 15_000;
const AT_ONCE = 3_000;
const ROUNDS = 2;
/** The receiver takes this time for an answer. */
const ANSWER_MS = 200;
const WINDOW_MS = 5_000;
const PUSH_EVERY_MS = 50;
/** Attempts under way end within this time. */
const REST_MS = 1_500;

interface Cost {
  /** Milliseconds of CPU of a push, with nothing delivered meanwhile. */
  readonly quiet: number;
  /** Milliseconds of CPU of a push while a backlog is delivered, without the deliveries. */
  readonly delivering: number;
  /** Milliseconds of CPU of a delivery of a hundred matches. */
  readonly delivery: number;
  readonly delivering_over_quiet: number;
}

export interface DeliveringFigures {
  readonly backlog: number;
  readonly sqlite: Cost;
  readonly postgres: Cost;
}

export async function benchDelivering({ quick = false }: { quick?: boolean }): Promise<DeliveringFigures> {
  const backlog = quick ? BACKLOG / 3 : BACKLOG;
  const rounds = quick ? 1 : ROUNDS;
  await using database = await startPostgresWithTables();
  const sqlite = await costOn({}, backlog, rounds);
  const postgres = await costOn({ SLUICE_STORE_URL: await database.newDatabase() }, backlog, rounds);
  return { backlog, sqlite, postgres };
}

/** The figures of a window: seconds of CPU, pushes and deliveries in it. */
interface Window {
  cpu: number;
  pushes: number;
  deliveries: number;
}

async function costOn(settings: Record<string, string>, backlog: number, rounds: number): Promise<Cost> {
  await using stand = await standOn(settings);
  const [quiet, alone, both] = [none(), none(), none()];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    await stand.fill(backlog);
    const pushed = await stand.pushed();
    // To its end: what is written ahead of the receiver belongs to the deliveries.
    const delivered = await stand.delivered();
    await stand.fill(backlog);
    const together = await stand.delivered(true);
    await stand.delivered();
    if (round === 0) continue;
    add(quiet, pushed);
    add(alone, delivered);
    add(both, together);
  }
  const delivery = alone.cpu / alone.deliveries;
  const costs = {
    quiet: (1_000 * quiet.cpu) / quiet.pushes,
    delivering: (1_000 * (both.cpu - both.deliveries * delivery)) / both.pushes,
    delivery: 1_000 * delivery,
  };
  return { ...costs, delivering_over_quiet: costs.delivering / costs.quiet };
}

const none = (): Window => ({ cpu: 0, pushes: 0, deliveries: 0 });

function add(sum: Window, { cpu, pushes, deliveries }: Window): void {
  sum.cpu += cpu;
  sum.pushes += pushes;
  sum.deliveries += deliveries;
}

/** A server with a rule, a webhook that is paused, and its receiver. */
export async function standOn(settings: Record<string, string>) {
  pushed = 0;
  await using parts = new AsyncDisposableStack();
  const got = { deliveries: 0, matches: 0, body: '' };
  const receiver = parts.use(
    await openReceiver((response, { body }) => {
      const { matches } = JSON.parse(body) as { matches: readonly unknown[] };
      got.deliveries++;
      got.matches += matches.length;
      if (body.length > got.body.length) got.body = body;
      void setTimeout(ANSWER_MS).then(() => response.end());
    }),
  );
  const server = parts.use(await startServer({ SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', ...settings }));
  const rule = { name: 'Storms', intent: 'storms at sea', platforms: ['x'], overrides: { x: 'storm' } };
  await server.call('POST', '/api.CreateRule', rule);
  const { body } = await server.call('POST', '/api.CreateWebhook', { url: receiver.url });
  const pause = (paused: boolean) =>
    server.call('POST', '/api.UpdateWebhook', { webhook_id: body['webhook_id'], paused });
  await pause(true);
  const measured = async (work: () => Promise<number>): Promise<Window> => {
    const [cpu, before] = [cpuOf(server), got.deliveries];
    const pushes = await work();
    return { cpu: cpuOf(server) - cpu, pushes, deliveries: got.deliveries - before };
  };
  const kept = parts.move();
  return {
    dataDir: server.dataDir,
    receiver: receiver.url,
    /** The longest body that was delivered. */
    longest: () => got.body,
    fill: (matches: number) => fill(server, matches),
    pushed: () => measured(() => pushFor(server, WINDOW_MS)),
    /** Until nothing waits, or while events are pushed. */
    async delivered(isPushed = false): Promise<Window> {
      await pause(false);
      const window = await measured(async () => {
        if (isPushed) return pushFor(server, WINDOW_MS);
        while (got.matches < pushed) await setTimeout(PUSH_EVERY_MS);
        return 0;
      });
      await pause(true);
      await setTimeout(REST_MS);
      return window;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Every event matches, and all are delivered in the end. */
let pushed = 0;
const post = () => ({ data: { id: String(++pushed), text: `a storm ${pushed}` } });

async function fill(server: Started, matches: number): Promise<void> {
  for (let from = 0; from < matches; from += AT_ONCE) await server.push('x', Array.from({ length: AT_ONCE }, post));
}

/** One push after the other, at a pace. Answers how many. */
async function pushFor(server: Started, milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let pushes = 0;
  for (; performance.now() < end; pushes++) {
    const pause = setTimeout(PUSH_EVERY_MS);
    const { status } = await server.push('x', [post()]);
    if (status !== 200) throw new Error(`a push was answered with ${status}`);
    await pause;
  }
  return pushes;
}

/** Counts the CPU of the server with its threads, and of the database where it is one of its own. */
function cpuOf({ process: { pid }, settings }: Started): number {
  const own = Object.values(threadSeconds(pid!)).reduce((sum, seconds) => sum + seconds, 0);
  return own + ('SLUICE_STORE_URL' in settings ? cpuBelowUs('postgres') : 0);
}

/** One run of the simulation: a seed decides everything that happens in it. */
import { withSeededBytes } from './chance.ts';
import { keepRules, publishPosts, pushEvents } from './clients.ts';
import type { FaultCounts } from './faults.ts';
import { checkAccount } from './oracle.ts';
import { createReader } from './reader.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createWorld, furnish } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly hours: number;
  /** Hears everything that happens, as it happens. */
  readonly onNote?: (line: string) => void;
}

export interface SimulationResult extends FaultCounts {
  readonly nodes: number;
  readonly rules: number;
  readonly events: number;
  readonly matches: number;
  /** Webhook requests, and matches that subscribers heard. */
  readonly attempts: number;
  readonly heard: number;
  readonly violations: readonly string[];
  /** Equal for two runs in which the same happened. */
  readonly digest: string;
}

const HOUR = 3_600_000;
/** After the last fault: what waits for a retry is tried, and subscribers come back. */
const REST_HOURS = 0.25;

export const simulate = ({ seed, hours, onNote }: SimulationOptions): Promise<SimulationResult> =>
  withSeededBytes(seed, () => run(createScheduler(seed, onNote), 1 + (seed % 3), hours));

async function run(scheduler: Scheduler, nodes: number, hours: number): Promise<SimulationResult> {
  const world = await createWorld(scheduler, nodes);
  const { ledger, faults, receiver } = world;
  const furnished = furnish(world);
  await scheduler.runUntil(scheduler.now + 60_000);
  const { owners, pusher } = await furnished;
  const end = scheduler.now + hours * HOUR;
  const readers = owners.map((owner) => createReader(world, owner));
  const reading = readers.map((reader) => reader.run(end));
  await scheduler.runUntil(scheduler.now + 10_000);
  const working = [faults.run(end), publishPosts(world, end), pushEvents(world, pusher, end)];
  for (const owner of owners) working.push(keepRules(world, owner, end));
  const left = new Set([...working, ...reading]);
  for (const one of left) void one.then(() => left.delete(one));
  await scheduler.runUntil(end + REST_HOURS * HOUR);
  if (left.size > 0) ledger.violations.push(`${left.size} clients are still waiting for something`);
  await world.checkCursor();
  let matches = 0;
  for (const [at, owner] of owners.entries()) matches += await checkAccount(world, owner, readers[at]!.heard);
  await world.store[Symbol.asyncDispose]();
  return {
    ...faults.counts,
    nodes,
    rules: ledger.rules.length,
    events: ledger.events.size,
    matches,
    attempts: receiver.attempts,
    heard: readers.reduce((sum, { heard }) => sum + heard.length, 0),
    violations: ledger.violations,
    digest: scheduler.digest(),
  };
}

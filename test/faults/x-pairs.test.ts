/** Two faults of X at a time, through the whole service: every post is there once, or the record says that it may be missing. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultName } from '../../sandbox/faults/catalogue.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { type ServiceStage, serviceStage } from './service-stage.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const PAIRS = 12;
/** X allows 50. */
const CONNECTS = 45;

type Strike = readonly [FaultName, (sandbox: Sandbox, seconds: number) => void];

/** Faults under which nothing is lost that nobody can notice. */
const STRIKES: readonly Strike[] = [
  ['X1', (sandbox) => sandbox.throwFault('X1')],
  ['X3', (sandbox) => sandbox.throwFault('X3')],
  ['X4', (sandbox) => sandbox.throwFault('X4', { at: 'record' })],
  ['X4', (sandbox, seconds) => sandbox.throwFault('X4', { after_bytes: seconds * 7 })],
  ['X5', (sandbox) => sandbox.throwFault('X5', { how: 'fin', times: 3 })],
  ['X6', (sandbox) => sandbox.throwFault('X6', { times: 2 })],
  ['X7', (sandbox, seconds) => sandbox.throwFault('X7', { seconds })],
  ['X8', (sandbox, seconds) => sandbox.throwFault('X8', { seconds })],
  ['X10', (sandbox) => sandbox.throwFault('X10')],
  ['X11', (sandbox) => sandbox.throwFault('X11', { with_data: true })],
  ['X12', (sandbox) => sandbox.throwFault('X12', { copies: 10 })],
  ['X12', (sandbox) => sandbox.throwFault('X12', { copies: 10, reconnect: true })],
  ['X14', (sandbox) => sandbox.throwFault('X14')],
  ['X15', (sandbox, seconds) => sandbox.throwFault('X15', { seconds: seconds * 5 })],
  ['X16', (sandbox, seconds) => sandbox.throwFault('X16', { seconds })],
  ['X17', (sandbox) => sandbox.throwFault('X17', { times: 2 })],
  ['X18', (sandbox) => sandbox.throwFault('X18')],
  ['X19', (sandbox) => sandbox.throwFault('X19')],
  ['X24', (sandbox) => sandbox.throwFault('X24', { kind: 'delete-all' })],
  ['X27', (sandbox) => sandbox.throwFault('X27')],
  ['X28', (sandbox) => sandbox.throwFault('X28')],
  ['X32', (sandbox) => sandbox.throwFault('X32', { times: 2 })],
];

const trouble = fc.record({
  strike: fc.constantFrom(...STRIKES),
  seconds: fc.integer({ min: 1, max: 90 }),
  after: fc.constantFrom<'nothing' | 'restart' | 'kill'>('nothing', 'nothing', 'restart', 'kill'),
});
const of = (name: FaultName, seconds: number) => ({
  strike: STRIKES.find(([one]) => one === name)!,
  seconds,
  after: 'nothing' as const,
});
const scene = fc.record({
  level: fc.constantFrom<'payg' | 'enterprise'>('payg', 'enterprise'),
  troubles: fc.array(trouble, { minLength: 2, maxLength: 2 }),
});
const certain = (level: 'payg' | 'enterprise') => ({ level, troubles: [of('X15', 80), of('X17', 60)] });

describe('two faults of X', () => {
  it('leave every post there once, or a gap that says otherwise', async () => {
    let [fired, missed] = [0, 0];
    await fc.assert(
      fc.asyncProperty(scene, async ({ level, troubles }) => {
        await using opened = new AsyncDisposableStack();
        let stage = opened.use(await serviceStage({ level }));
        await stage.live();
        const posted = new Map<string, Date>();
        for (const { strike, seconds, after } of troubles) {
          strike[1](stage.sandbox, seconds);
          await postFor(stage, seconds, posted);
          if (after === 'nothing') continue;
          if (after === 'kill') await stage.kill();
          else await stage.test.service.close();
          await stage.pass(3 * SECOND);
          stage = opened.use(await serviceStage({ level, beside: stage }));
        }
        await postFor(stage, 5, posted);
        stage.sandbox.clearFaults();
        await settle(stage);
        missed += await missedIn(stage, posted);
        checkConnects(stage);
        for (const { strike } of troubles) fired += Math.min(1, stage.sandbox.fired(strike[0]));
      }),
      // The first loses posts for certain, the second has them back.
      { numRuns: PAIRS, examples: [[certain('payg')], [certain('enterprise')]] },
    );
    // Some have nothing to strike, such as a backfill where there is none.
    expect(fired).toBeGreaterThan(PAIRS);
    expect(missed).toBeGreaterThan(0);
  });
});

async function postFor(stage: ServiceStage, seconds: number, posted: Map<string, Date>): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    const hasRules = stage.sandbox.rules('x').length > 0;
    const id = stage.post();
    // A post that no rule matches there is nobody's to miss.
    if (hasRules) posted.set(id, stage.clock.now());
    await stage.pass(SECOND);
  }
}

/** Connected, and with everything that can be had back. */
async function settle(stage: ServiceStage): Promise<void> {
  await stage.live(5 * SECOND);
  await stage.until(async () => (await stage.gaps()).every(({ to }) => to !== null), 5 * SECOND);
  await stage.until(() => stage.sandbox.rules('x').length === 1, 5 * SECOND);
  await stage.pass(21 * SECOND);
  stage.post('the last storm');
  await stage.pass(SECOND);
}

/** How many posts are not there; each of them must be in a gap. */
async function missedIn(stage: ServiceStage, posted: ReadonlyMap<string, Date>): Promise<number> {
  const posts = await stage.posts();
  const stored = new Set(posts);
  expect(posts).toHaveLength(stored.size);
  const missing = (await stage.gaps()).filter(({ recovered }) => !recovered);
  for (const [id, at] of posted) {
    const time = at.toISOString();
    const isKnownToMiss = missing.some(({ from, to }) => from <= time && time <= to!);
    expect(stored.has(id) || isKnownToMiss, `${id} of ${time} is there, or in a gap`).toBe(true);
  }
  return [...posted.keys()].filter((id) => !stored.has(id)).length;
}

function checkConnects(stage: ServiceStage): void {
  const times = stage.streamCalls().map(({ at }) => at);
  for (const at of times) {
    expect(times.filter((one) => one > at - 15 * MINUTE && one <= at).length).toBeLessThanOrEqual(CONNECTS);
  }
}

/** Resuming, under any mix of what breaks a stream: everything that was matched arrives, and what did not is a gap. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type FirehoseStage, firehoseStage } from '../../../test/stages/firehose-stage.ts';
import type { StreamItem } from '../platform.ts';
import { FIREHOSE_DELAY_MS } from './stream-position.ts';

type Act =
  | { readonly kind: 'post'; readonly count: number; readonly late: number }
  | { readonly kind: 'cut'; readonly bytes: number }
  | { readonly kind: 'end' | 'forget' | 'restart' | 'repeat' | 'jump' }
  | { readonly kind: 'outage'; readonly hours: number };

/** How long before it reached the log an event was matched. */
const late = fc.nat({ max: FIREHOSE_DELAY_MS });

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('post' as const), count: fc.nat(20), late }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('cut' as const), bytes: fc.nat(3_000) }) },
  fc.record({ kind: fc.constantFrom('end', 'forget', 'restart', 'repeat', 'jump') }),
  fc.record({ kind: fc.constant('outage' as const), hours: fc.integer({ min: 1, max: 40 }) }),
);

interface Posted {
  readonly id: string;
  readonly at: number;
}

async function perform(stage: FirehoseStage, one: Act, posted: Posted[]): Promise<void> {
  const post = (lateMs = 0) => posted.push({ id: stage.post(), at: stage.clock.now().getTime() - lateMs });
  switch (one.kind) {
    case 'post':
      for (let sent = 0; sent < one.count; sent++) post(one.late);
      break;
    case 'cut':
      stage.sandbox.throwFault('F2', { after_bytes: one.bytes });
      break;
    case 'end':
      stage.sandbox.throwFault('F1');
      break;
    case 'forget':
      stage.isForgetful = !stage.isForgetful;
      break;
    case 'repeat':
      stage.sandbox.throwFault('F5', { count: 3 });
      break;
    case 'jump':
      stage.sandbox.throwFault('F4', { count: 3 });
      break;
    case 'restart':
      await stage.leave();
      stage.follow();
      break;
    case 'outage':
      await stage.leave();
      post();
      await stage.clock.pass(one.hours * 3_600_000);
      post();
      stage.follow();
  }
  await stage.clock.pass(1_700);
}

/** Gaps that were not made good for, as they were last told. */
function lostSpans(stage: FirehoseStage): { from: number; to: number }[] {
  const last = new Map(stage.of('gap').map(({ gap }) => [gap.from.getTime(), gap]));
  return [...last.values()]
    .filter(({ recovered }) => !recovered)
    .map(({ from, to }) => ({ from: from.getTime(), to: to?.getTime() ?? Number.POSITIVE_INFINITY }));
}

/** A mark says that the stream is complete up to a moment: every earlier event has arrived, or a gap was reported. */
function expectHonestMarks({ items }: FirehoseStage, posted: readonly Posted[]): void {
  const seen = new Set<string>();
  const gaps = new Map<number, Gap>();
  for (const item of items) {
    if (item.kind === 'arrival') seen.add(item.postId);
    if (item.kind === 'gap') gaps.set(item.gap.from.getTime(), item.gap);
    if (item.kind !== 'mark') continue;
    const open = [...gaps.values()].filter(({ recovered }) => !recovered);
    for (const { id, at } of posted) {
      if (at >= item.through.getTime() || seen.has(id)) continue;
      const isTold = open.some(({ from, to }) => from.getTime() <= at && at <= (to?.getTime() ?? at));
      expect(isTold, `${id} is missing at ${item.through.toISOString()}`).toBe(true);
    }
  }
}

type Gap = Extract<StreamItem, { kind: 'gap' }>['gap'];

it('loses nothing that is not in a gap, and yields nothing that was not sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 25 }), async (acts) => {
      await using stage = await firehoseStage();
      stage.follow();
      await stage.live();
      // With an id to resume by: without one, a long replay cannot show that it is whole.
      const posted: Posted[] = [{ id: stage.post(), at: stage.clock.now().getTime() }];
      await stage.until(() => stage.ids().length === 1);
      for (const one of acts) await perform(stage, one, posted);
      stage.isForgetful = false;
      stage.sandbox.clearFaults();
      posted.push({ id: stage.post(), at: stage.clock.now().getTime() });
      await stage.clock.pass(400_000);
      await stage.until(() => stage.ids().includes(posted.at(-1)!.id));
      await stage.live();

      const seen = new Set(stage.ids());
      const spans = lostSpans(stage);
      const untold = posted.filter(({ at }) => !spans.some(({ from, to }) => from <= at && at <= to));
      expect(untold.filter(({ id }) => !seen.has(id))).toEqual([]);
      expectHonestMarks(stage, posted);
      for (const id of seen) expect(posted.some((one) => one.id === id)).toBe(true);
      expect(stage.of('broken')).toEqual([]);
      // A jump is looked into over a second connection, which may be cut as well: then nothing is shown.
      const hours = acts.reduce((sum, one) => sum + (one.kind === 'outage' ? one.hours : 0), 0);
      const isWhole = hours < 23 && acts.every(({ kind }) => kind !== 'jump');
      expect(spans.filter(({ to }) => isWhole && to < Number.POSITIVE_INFINITY)).toEqual([]);
      const times = stage.connects().map(({ at }) => at);
      for (const [index, at] of times.entries()) expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(3_000);
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import type { Arrival } from '../../platforms/platform.ts';
import type { Found } from '../ingest/live-records.ts';
import { endDoubts, lookAgain } from './consume-stream.ts';
import type { Consumer } from './consumer.ts';
import { createOrderedCursor } from './ordered-cursor.ts';

const found = (ruleId: string) => ({ ruleId }) as Found;
const eventOf = (...ruleIds: string[]) => ({ matches: ruleIds.map((ruleId) => ({ ruleId })) });

function stage() {
  const clock = fakeClock();
  const order = createOrderedCursor();
  const known = new Set<string>();
  const calls: unknown[] = [];
  const answers = {
    judge: (unknown: readonly string[]): object => ({
      events: [eventOf('named')],
      unknown: unknown.filter((id) => !known.has(id)),
      isLate: false,
    }),
    resolveDoubts: (doubted: readonly Found[], isLast: boolean) => ({
      events: isLast ? [eventOf('doubted')] : [],
      doubted: isLast ? [] : doubted,
    }),
  };
  const consumer = {
    order,
    clock,
    lookedAt: clock.elapsed(),
    platform: { name: 'x' },
    metrics: { stream: (platform: string, counter: string) => void calls.push(`${platform} ${counter}`) },
    registrations: { resolve: (_: string, id: string) => (known.has(id) ? {} : undefined) },
    verdicts: slow({
      judge: async ({ postId }: Arrival, unknown: readonly string[]) => {
        calls.push(['judge', postId, [...unknown]]);
        return answers.judge(unknown);
      },
      resolveDoubts: async ({ postId }: Arrival, doubted: readonly Found[], isLast: boolean) => {
        calls.push(['resolveDoubts', postId, doubted.map(({ ruleId }) => ruleId), isLast]);
        return answers.resolveDoubts(doubted, isLast);
      },
    }),
    batch: slow({ add: async (events: readonly object[]) => void calls.push(['add', events.length]) }),
    pause: () => undefined,
  } as unknown as Consumer;
  const hold = (postId: string, unknown: readonly string[], doubted: readonly string[] = []) => {
    const arrival = { postId } as Arrival;
    const until = clock.elapsed() + 60_000;
    order.pass({ cursor: postId, through: clock.now() }, { arrival, unknown, doubted: doubted.map(found), until });
  };
  const taken = () => calls.splice(0);
  return { clock, order, known, consumer, answers, hold, taken };
}

describe('an arrival that waits for a registration', () => {
  it('is looked at once a second, and judged as soon as one of its registrations is known', async () => {
    const { clock, order, known, consumer, hold, taken } = stage();
    hold('1', ['a', 'b']);
    known.add('a');
    await clock.pass(999);
    await lookAgain(consumer);
    expect(taken()).toEqual([]);
    await clock.pass(1);
    await lookAgain(consumer);
    expect(taken()).toEqual([
      ['judge', '1', ['a', 'b']],
      ['add', 1],
    ]);
    expect(order.held).toMatchObject([{ unknown: ['b'] }]);
    await lookAgain(consumer);
    expect(taken()).toEqual([]);
    known.add('b');
    await clock.pass(1_000);
    await lookAgain(consumer);
    expect(taken()).toEqual([
      ['judge', '1', ['b']],
      ['add', 1],
    ]);
    expect([order.held, order.reached()?.cursor]).toEqual([[], '1']);
  });

  it('is not judged again while none of them is known, and is given up after its minute, counted', async () => {
    const { clock, order, consumer, hold, taken } = stage();
    hold('1', ['a']);
    await clock.pass(59_999);
    await lookAgain(consumer);
    expect([taken(), order.held.length]).toEqual([[], 1]);
    await clock.pass(1_000);
    await lookAgain(consumer);
    expect([taken(), order.held.length]).toEqual([['x orphan'], 0]);
  });

  it('is done with when it cannot be read any more, and counted when its registration has gone', async () => {
    const { clock, order, known, consumer, answers, hold, taken } = stage();
    hold('1', ['a']);
    known.add('a');
    answers.judge = () => ({ rejected: 'it is broken' });
    await clock.pass(1_000);
    await lookAgain(consumer);
    expect([taken(), order.held]).toEqual([[['judge', '1', ['a']]], []]);
    hold('2', ['a']);
    answers.judge = () => ({ events: [], unknown: [], isLate: true });
    await clock.pass(1_000);
    await lookAgain(consumer);
    expect([taken(), order.held]).toEqual([[['judge', '2', ['a']], 'x late', ['add', 0]], []]);
  });

  it('is in doubt no longer about a rule that the registration names', async () => {
    const { clock, order, known, consumer, hold, taken } = stage();
    hold('1', ['a'], ['named', 'other']);
    known.add('a');
    await clock.pass(1_000);
    await lookAgain(consumer);
    expect(taken()).toEqual([
      ['judge', '1', ['a']],
      ['add', 1],
      ['resolveDoubts', '1', ['other'], false],
      ['add', 0],
    ]);
    expect(order.held).toMatchObject([{ unknown: [], doubted: [{ ruleId: 'other' }] }]);
  });
});

describe('an arrival in doubt', () => {
  it('waits for a comparison, and at its end is settled for good', async () => {
    const { clock, order, consumer, hold, taken } = stage();
    hold('1', [], ['r']);
    await clock.pass(1_000);
    await lookAgain(consumer);
    expect(taken()).toEqual([
      ['resolveDoubts', '1', ['r'], false],
      ['add', 0],
    ]);
    await clock.pass(59_000);
    await lookAgain(consumer);
    expect(taken()).toEqual([
      ['resolveDoubts', '1', ['r'], true],
      ['add', 1],
    ]);
    expect([order.held, order.reached()?.cursor]).toEqual([[], '1']);
  });

  it('is settled when the stream ends, while one that waits for a registration holds the cursor', async () => {
    const { order, consumer, hold, taken } = stage();
    hold('1', [], ['r']);
    hold('2', ['a'], ['r']);
    hold('3', []);
    await endDoubts(consumer);
    expect(taken()).toEqual([
      ['resolveDoubts', '1', ['r'], true],
      ['add', 1],
      ['resolveDoubts', '2', ['r'], true],
      ['add', 1],
    ]);
    expect(order.held.map(({ arrival }) => arrival.postId)).toEqual(['2']);
    expect(order.reached()?.cursor).toBe('1');
  });
});

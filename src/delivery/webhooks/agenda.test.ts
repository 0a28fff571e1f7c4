import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createWebhookAgenda } from './agenda.ts';

const stand = () => {
  const clock = fakeClock();
  const agenda = createWebhookAgenda(clock);
  const inMs = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds);
  return { clock, agenda, inMs };
};

describe('the agenda', () => {
  it('keeps the earliest time asked for, and gives out each check once', () => {
    const { agenda, inMs } = stand();
    agenda.checkWebhook('a', inMs(5_000));
    agenda.checkWebhook('a', inMs(0));
    agenda.checkWebhook('a', inMs(9_000));
    agenda.checkWebhook('b', inMs(1));
    agenda.checkAccount('one', 0);
    expect(agenda.takeDue()).toEqual([{ accountId: 'one' }, { webhookId: 'a' }]);
    expect(agenda.takeDue()).toEqual([]);
  });

  it('checks all at once when all are due, and nothing twice', async () => {
    const { agenda, inMs, clock } = stand();
    agenda.checkWebhook('a', inMs(0));
    agenda.checkWebhook('b', inMs(10));
    agenda.checkAll(0);
    expect(agenda.takeDue()).toEqual([{}]);
    await clock.pass(10);
    expect(agenda.takeDue()).toEqual([{ webhookId: 'b' }]);
  });

  it('sleeps until a check is due, and is woken by an earlier one or a signal', async () => {
    const { agenda, inMs, clock } = stand();
    const stop = new AbortController();
    let woken = 0;
    const sleep = async () => {
      await agenda.untilDue(stop.signal);
      woken++;
    };
    void sleep();
    await clock.pass(1_000_000);
    expect(woken).toBe(0);
    agenda.checkWebhook('a', inMs(500));
    await clock.pass(0);
    expect(woken).toBe(1);
    void sleep();
    agenda.checkWebhook('b', inMs(800));
    await clock.pass(499);
    expect(woken).toBe(1);
    await clock.pass(1);
    expect(woken).toBe(2);
    expect(agenda.takeDue()).toEqual([{ webhookId: 'a' }]);
    void sleep();
    stop.abort();
    await clock.pass(0);
    expect(woken).toBe(3);
  });

  /** One that sleeps until a check in five hours. */
  async function asleep() {
    const parts = stand();
    parts.agenda.checkWebhook('a', parts.inMs(5 * 3_600_000));
    const state = { isAwake: false };
    void parts.agenda.untilDue(new AbortController().signal).then(() => Object.assign(state, { isAwake: true }));
    await parts.clock.pass(0);
    return { ...parts, state };
  }

  it.each([-3_600_000, 86_400_000])(
    'checks all with the next request when the clock was set by %i ms',
    async (step) => {
      const { agenda, clock, state } = await asleep();
      clock.set(step);
      agenda.checkAccount('one', 100);
      await clock.pass(0);
      expect(state.isAwake).toBe(true);
      expect(agenda.takeDue()).toEqual([{}]);
      expect(agenda.takeDue()).toEqual([]);
    },
  );

  it('notices within a minute that the clock was set', async () => {
    const { agenda, clock, state } = await asleep();
    clock.set(86_400_000);
    await clock.pass(60_000);
    expect(state.isAwake).toBe(true);
    expect(agenda.takeDue()).toEqual([{}]);
  });
});

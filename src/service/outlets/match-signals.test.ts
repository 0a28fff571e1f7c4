import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createMatchSignals, type Watch } from './match-signals.ts';

/** Whether a promise has resolved yet. */
function noted(promise: Promise<unknown>): () => boolean {
  let isDone = false;
  const wait = async () => {
    await promise;
    isDone = true;
  };
  void wait();
  return () => isDone;
}

function stand() {
  const clock = fakeClock();
  const stop = new AbortController();
  const stored = { latest: 0, asked: 0, fails: false };
  const signals = createMatchSignals({
    clock,
    signal: stop.signal,
    store: {
      async latest() {
        stored.asked++;
        if (stored.fails) throw new Error('away');
        return stored.latest;
      },
    },
  });
  const never = new AbortController().signal;
  /** Whether the watch wakes without time passing. */
  const wakes = async (watch: Watch) => {
    const ended = new AbortController();
    const isAwake = noted(watch.next(ended.signal));
    await clock.pass(0);
    const woke = isAwake();
    ended.abort();
    return woke;
  };
  const commit = (accountIds: string[], ruleIds: string[], latest = 1) =>
    signals.committed({ latest, ruleIds: new Set(ruleIds), accountIds });
  return { clock, stop, stored, signals, never, wakes, commit };
}

describe('requests that wait for matches', () => {
  it('are woken by a match of their rule, or of any rule of their account, and by no other', async () => {
    const { signals, wakes, commit } = stand();
    using all = signals.watch('one');
    using rule = signals.watch('one', 'rule_1');
    using other = signals.watch('two');
    commit(['one'], ['rule_2']);
    expect([await wakes(all), await wakes(rule), await wakes(other)]).toEqual([true, false, false]);
    commit(['one'], ['rule_1']);
    expect([await wakes(all), await wakes(rule), await wakes(other)]).toEqual([true, true, false]);
    expect(await wakes(all)).toBe(false);
  });

  it('are woken by a match that came between their reading and their waiting', async () => {
    const { signals, wakes, commit } = stand();
    using watch = signals.watch('one');
    commit(['one'], ['rule_1']);
    expect(await wakes(watch)).toBe(true);
  });

  it('hear of what another node stored, for their account or, when that is unknown, for any', async () => {
    const { signals, wakes } = stand();
    using one = signals.watch('one', 'rule_1');
    using two = signals.watch('two');
    signals.committedElsewhere(['two']);
    expect([await wakes(one), await wakes(two)]).toEqual([false, true]);
    signals.committedElsewhere(undefined);
    expect([await wakes(one), await wakes(two)]).toEqual([true, true]);
  });

  it('are woken within a second by what a process stored that says nothing, also after the store failed', async () => {
    const { clock, signals, stored, never } = stand();
    using watch = signals.watch('one');
    await clock.pass(0);
    stored.fails = true;
    await clock.pass(1_000);
    stored.fails = false;
    stored.latest = 5;
    const isAwake = noted(watch.next(never));
    await clock.pass(999);
    expect(isAwake()).toBe(false);
    await clock.pass(1);
    expect(isAwake()).toBe(true);
  });

  it('are not woken again by their own process’s commit when the store is asked', async () => {
    const { clock, signals, stored, wakes, commit } = stand();
    using watch = signals.watch('one');
    await clock.pass(0);
    stored.latest = 5;
    commit(['one'], ['rule_1'], 5);
    expect(await wakes(watch)).toBe(true);
    await clock.pass(2_000);
    expect(await wakes(watch)).toBe(false);
  });

  it('look again every five seconds, and for each of thousands of rules every minute', async () => {
    const { clock, signals, never } = stand();
    using one = signals.watch('one');
    using few = signals.watchRule('one', 'rule_1');
    const [own, first] = [noted(one.next(never)), noted(few.next(never))];
    await clock.pass(5_000);
    expect([own(), first()]).toEqual([true, true]);
    const many = Array.from({ length: 4_000 }, (_, index) => signals.watchRule('one', `rule_${index}`));
    const looked = many.map((watch) => noted(watch.next(never)));
    const again = noted(one.next(never));
    await clock.pass(5_000);
    expect([again(), looked.some((hasLooked) => hasLooked())]).toEqual([true, false]);
    await clock.pass(55_000);
    expect(looked.every((hasLooked) => hasLooked())).toBe(true);
    for (const watch of many) watch[Symbol.dispose]();
  });

  it('cost the store nothing once the last one has gone, or the service stops', async () => {
    const { clock, signals, stored, stop } = stand();
    const watch = signals.watch('one');
    await clock.pass(3_000);
    expect([signals.watching, stored.asked]).toEqual([1, 4]);
    watch[Symbol.dispose]();
    await clock.pass(10_000);
    expect([signals.watching, stored.asked, clock.sleepers]).toEqual([0, 4, 0]);
    using again = signals.watch('one');
    await clock.pass(0);
    expect([stored.asked, again === undefined]).toEqual([5, false]);
    stop.abort();
    await clock.pass(10_000);
    expect(stored.asked).toBe(5);
  });

  it('share one reading of the store, but none that began before a match came', async () => {
    const { signals, commit } = stand();
    const answers: ((value: number) => void)[] = [];
    const look = () => new Promise<number>((resolve) => answers.push(resolve));
    const [one, two] = [signals.once('q', look), signals.once('q', look)];
    expect([answers.length, one === two]).toEqual([1, true]);
    void signals.once('other', look);
    expect(answers).toHaveLength(2);
    commit(['one'], ['rule_1']);
    const after = signals.once('q', look);
    expect(answers).toHaveLength(3);
    for (const [index, answer] of answers.entries()) answer(index);
    expect([await one, await after]).toEqual([0, 2]);
    void signals.once('q', look);
    expect(answers).toHaveLength(4);
  });
});

/** Outages of X, short and long, and what can be had back afterwards. */
import { expect } from 'vitest';
import { row } from './rows.ts';
import { expectBeginning, type ServiceStage } from './service-stage.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A post every so often for a while; answers their ids. */
async function postFor(stage: ServiceStage, milliseconds: number, everyMs: number): Promise<string[]> {
  const ids: string[] = [];
  for (let left = milliseconds; left > 0; left -= everyMs) {
    ids.push(stage.post());
    await stage.pass(everyMs, Math.min(everyMs, 10 * SECOND));
  }
  return ids;
}

const recoveries = (stage: ServiceStage) =>
  stage.streamCalls().filter(({ query }) => query.has('start_time') || query.has('end_time'));
const isAllThere = (stage: ServiceStage, ids: readonly string[]) => async () => {
  const posts = new Set(await stage.posts());
  return ids.every((id) => posts.has(id));
};
const timeOf = (query: URLSearchParams, name: string): number => Date.parse(query.get(name) ?? '');

export function xReplayRows(): void {
  row('X14', 'an outage of 90 s asks for 2 minutes, and what comes twice is stored once', async (scene) => {
    const stage = await scene.service({ level: 'enterprise' });
    const before = await postFor(stage, 2 * MINUTE, 10 * SECOND);
    const last = stage.post();
    await stage.stored(before.length + 1);
    const from = stage.clock.now();
    await stage.test.service.close();
    const missed = await postFor(stage, 90 * SECOND, 10 * SECOND);
    stage.sandbox.throwFault('X14', { seconds: 60 });
    const next = await scene.service({ level: 'enterprise', beside: stage });
    await next.live();
    expect(next.streamCalls().at(-1)!.query.get('backfill_minutes')).toBe('2');
    await next.until(isAllThere(next, missed));
    // A replay has come through when something else comes.
    const [open] = await next.gaps();
    expect(open?.to).toBeNull();
    expectBeginning(open, from);
    await next.pass(21 * SECOND);
    expect(await next.gaps()).toMatchObject([{ from: open?.from, to: expect.any(String), recovered: true }]);
    expect(await next.posts()).toHaveLength(new Set([...before, last, ...missed]).size);
    // 90 s before the outage and the last post itself: two minutes and one more, less the outage.
    expect(next.counts.dup).toBe(10);
  });

  row('X15', 'a longer outage is recovered beside the live stream, and only then called recovered', async (scene) => {
    const stage = await scene.service({ level: 'enterprise' });
    stage.post();
    await stage.stored(1);
    const from = stage.clock.now();
    await stage.pass(5 * SECOND);
    stage.sandbox.throwFault('X15', { seconds: 30 * 60 });
    const missed = await postFor(stage, 30 * MINUTE, 30 * SECOND);
    const [open, ...more] = await stage.gaps();
    expect([open?.to, more]).toEqual([null, []]);
    expectBeginning(open, from);
    let most = 0;
    await stage.until(async () => {
      most = Math.max(most, stage.sandbox.connections('x'));
      return (await stage.gaps())[0]?.recovered === true;
    }, SECOND);
    expect(stage.state()).toBe('live');
    expect(await isAllThere(stage, missed)()).toBe(true);
    const [job, ...others] = recoveries(stage);
    expect(others).toEqual([]);
    expect(timeOf(job!.query, 'start_time')).toBe(Date.parse(open!.from) - MINUTE);
    expect(timeOf(job!.query, 'end_time')).toBeGreaterThanOrEqual(from.getTime() + 30 * MINUTE);
    expect(job!.query.has('backfill_minutes')).toBe(false);
    expect(most).toBeLessThanOrEqual(2);
    expect(new Set(await stage.posts()).size).toBe(missed.length + 1);
  });

  row('X16', 'where nothing is replayed a gap stays a gap: no right, a refusal, or more than a day', async (scene) => {
    for (const level of ['payg', 'enterprise'] as const) {
      const stage = await scene.service({ level });
      const kept = stage.post();
      await stage.stored(1);
      const from = stage.clock.now();
      stage.sandbox.throwFault('X16', { seconds: 600 });
      const missed = await postFor(stage, 5 * MINUTE, MINUTE);
      await stage.until(async () => (await stage.gaps())[0]?.to != null, 10 * SECOND);
      const [gap, ...others] = await stage.gaps();
      expect([gap?.recovered, others]).toEqual([false, []]);
      expectBeginning(gap, from);
      await stage.pass(HOUR, MINUTE);
      expect(await stage.posts()).toEqual([kept]);
      expect(missed).toHaveLength(5);
      // Whoever has the right asks a few times; asking on would change nothing.
      const refused = stage.streamCalls().filter(({ status }) => status === 403).length;
      expect(refused).toBeGreaterThanOrEqual(level === 'payg' ? 0 : 1);
      expect(refused).toBeLessThanOrEqual(level === 'payg' ? 0 : 4);
      expect(stage.state()).toBe('live');
    }
    const stage = await scene.service({ level: 'enterprise' });
    stage.post();
    await stage.stored(1);
    const from = stage.clock.now();
    await stage.test.service.close();
    const tooOld = stage.post();
    await stage.pass(20 * HOUR, HOUR);
    const late = stage.post();
    await stage.pass(6 * HOUR, HOUR);
    const next = await scene.service({ level: 'enterprise', beside: stage });
    await next.until(async () => (await next.gaps()).at(-1)?.recovered === true, SECOND);
    // Everything that is more than a day old is given up, and nothing else.
    const gaps = await next.gaps();
    const [given, back] = [gaps.slice(0, -1), gaps.at(-1)!];
    expectBeginning(given[0], from);
    expect(given.every(({ to, recovered }, index) => !recovered && to === gaps[index + 1]!.from)).toBe(true);
    expect(Date.parse(back.to!) - Date.parse(back.from)).toBeGreaterThan(23 * HOUR);
    expect(await next.posts()).toContain(late);
    expect(await next.posts()).not.toContain(tooOld);
  });

  row('X17', 'a recovery that is cut begins anew, and its gap stays open until one ends in order', async (scene) => {
    const stage = await scene.service({ level: 'enterprise' });
    stage.post();
    await stage.stored(1);
    stage.sandbox.throwFault('X15', { seconds: 600 });
    stage.sandbox.throwFault('X17', { times: 4 });
    const missed = await postFor(stage, 10 * MINUTE, 30 * SECOND);
    await stage.until(() => stage.sandbox.fired('X17') >= 2, 100);
    expect(await stage.gaps()).toMatchObject([{ to: null, recovered: false }]);
    await stage.until(async () => (await stage.gaps())[0]?.recovered === true, 100);
    expect(recoveries(stage)).toHaveLength(5);
    const starts = recoveries(stage).map(({ query }) => query.get('start_time'));
    expect(new Set(starts).size).toBe(1);
    expect((await stage.posts()).length).toBe(missed.length + 1);
    expect(await isAllThere(stage, missed)()).toBe(true);
    expect(stage.counts.dup).toBeGreaterThan(0);
  });
}

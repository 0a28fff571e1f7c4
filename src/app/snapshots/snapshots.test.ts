import { existsSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { randomFrom } from '../../../bench/random.ts';
import {
  AT,
  addRule as add,
  found,
  serviceOn,
  snapshotStage as stage,
  start,
} from '../../../test/stages/snapshot-stage.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Language } from '../../rules/language.ts';
import { languages } from '../../rules/languages.ts';
import type { SnapshotOrder } from './make-snapshot.ts';
import { createSnapshots } from './snapshots.ts';

describe('a snapshot of the rules', () => {
  it('is made at the first start with many rules, for its owner alone, and the next start parses no rule', async () => {
    await using on = await stage();
    const ids = [];
    for (const word of ['storm', 'rain', 'storm -rain', '"heavy storm"', 'sto*']) ids.push(await add(on, word));
    await add(on, 'storm', 'firehose');
    await using first = await start(on, 'making');
    expect(statSync(on.file).mode & 0o777).toBe(0o600);
    const { x, firehose } = languages({ level: 'enterprise' });
    let parsed = 0;
    const counted = (language: Language): Language => ({
      ...language,
      parse(text, mending) {
        parsed++;
        return language.parse(text, mending);
      },
      queryOf(text) {
        parsed++;
        return language.queryOf(text);
      },
    });
    const counting = serviceOn(on, { x: counted(x), firehose: counted(firehose) });
    await counting.start();
    expect(parsed).toBe(0);
    for (const text of ['storm', 'rain', 'heavy storm', 'storm and rain', 'sun'])
      for (const platform of ['x', 'firehose'] as const)
        expect(found(counting, text, platform)).toEqual(found(first, text, platform));
    expect(found(counting, 'heavy storm')).toHaveLength(3);
    await counting.close();
  });

  it('has the rules that a start without it has: every one that is matched, on each of its platforms, and no other', async () => {
    await using on = await stage();
    const ids = [];
    for (const word of ['storm', 'storm a', 'storm b', 'storm c', 'storm d', 'storm e']) ids.push(await add(on, word));
    const text = { value: 'storm', flags: {} };
    const rule = { accountId: on.account.id, name: '', intent: '', createdAt: AT };
    await on.store.addRule({ ...rule, id: 'rule_both', platforms: { x: text, firehose: text } }, {});
    for (const name of ['x', 'firehose'] as const)
      await on.store.setRuleStatus('rule_both', name, { status: 'active', platformRuleId: '7' });
    await on.store.setRuleStatus(ids[0]!, 'x', { status: 'failed' });
    await on.store.setRuleStatus(ids[1]!, 'x', { status: 'missing' });
    await on.store.changeRule(on.account.id, ids[2]!, { paused: true });
    await on.store.deleteRule(on.account.id, ids[3]!);
    await using plain = serviceOn({ store: on.store, parts: { ...on.parts, manyRules: 1_000 } });
    await plain.start();
    expect(existsSync(on.file)).toBe(false);
    await using service = await start(on, 'making');
    for (const platform of ['x', 'firehose'] as const) {
      expect(found(service, 'storm a b c d e', platform)).toEqual(found(plain, 'storm a b c d e', platform));
      expect(service.context.matching.size(platform)).toBe(plain.context.matching.size(platform));
    }
    expect(found(service, 'storm a b c d e')).toHaveLength(5);
    expect(service.context.matching.size('firehose')).toBe(1);
  });

  it('is made in a thread, too, which tells of rules that are no longer valid', async () => {
    await using on = await stage();
    for (const word of ['storm', 'rain', 'snow', 'hail']) await add(on, word);
    const broken = await add(on, '(');
    const inThread = { store: on.store, parts: { ...on.parts, make: undefined } };
    await using service = serviceOn(inThread);
    await service.start();
    expect(on.said).toContain('a snapshot of the rules is written');
    expect(found(service, 'storm')).toHaveLength(1);
    expect(on.said).toContain('a stored rule is no longer valid and is not matched');
    await vi.waitFor(async () =>
      expect((await on.store.rule(on.account.id, broken))?.platforms.x?.status).toBe('failed'),
    );
  });

  it('is not made of few rules', async () => {
    await using on = await stage();
    for (const word of ['storm', 'rain']) await add(on, word);
    await using service = await start(on, 'not making');
    expect(found(service, 'storm')).toHaveLength(1);
    expect(existsSync(on.file)).toBe(false);
  });

  it('is followed by the changes since: rules that came, went, came back, changed and rest', async () => {
    await using on = await stage();
    const { store, account } = on;
    const ids: string[] = [];
    for (const word of ['storm', 'storm a', 'storm b', 'storm c', 'storm d']) ids.push(await add(on, word));
    await (await start(on, 'making')).close();
    await store.deleteRule(account.id, ids[0]!);
    const keep = { at: AT, until: new Date(AT.getTime() + 1e9) };
    await store.deleteRule(account.id, ids[1]!, undefined, keep);
    await store.deleteRule(account.id, ids[2]!, undefined, keep);
    await store.restoreRule(account.id, ids[2]!, { now: AT, limits: {}, ids: { x: '1' }, gaps: [] });
    await store.changeRule(account.id, ids[3]!, {
      platforms: { x: { value: 'snow', flags: {}, platformRuleId: '2' } },
    });
    await store.changeRule(account.id, ids[4]!, { paused: true });
    const late = await add(on, 'storm late');
    await using service = await start(on, 'not making');
    expect(found(service, 'storm a b c d late')).toEqual([`${ids[2]} 1 storm b`, `${late} 1 storm late`].toSorted());
    expect(found(service, 'snow')).toEqual([`${ids[3]} 2 snow`]);
  });

  it('takes what changes while it is read for newer', async () => {
    await using on = await stage();
    for (const word of ['storm', 'rain', 'snow', 'hail']) await add(on, word);
    await (await start(on, 'making')).close();
    const service = serviceOn(on);
    const started = service.start();
    service.context.matching.put({
      id: 'rule_new',
      accountId: on.account.id,
      version: 7,
      texts: { x: { value: 'storm', flags: {} } },
    });
    await started;
    expect(found(service, 'storm')).toHaveLength(2);
    await service.close();
  });

  it('settles what a crash left, as a start without it does', async () => {
    await using on = await stage();
    for (const word of ['storm', 'rain', 'snow', 'hail']) await add(on, word);
    await (await start(on, 'making')).close();
    const rule = { accountId: on.account.id, name: '', intent: '', createdAt: AT };
    const texts = { x: { value: 'storm', flags: {} } };
    await on.store.addRule({ ...rule, id: 'rule_undone', platforms: texts }, {});
    await on.store.addRule({ ...rule, id: 'rule_finished', platforms: texts }, {});
    await on.store.setRuleStatus('rule_finished', 'x', { status: 'pending', platformRuleId: '5' });
    await using service = await start(on, 'not making');
    expect(found(service, 'storm')).toContain('rule_finished 1 storm');
    expect(found(service, 'storm')).toHaveLength(2);
    expect(await on.store.rule(on.account.id, 'rule_undone')).toBeUndefined();
  });
});

/** A clock whose sleeps end when the test says so. */
function steppedClock() {
  let wake = () => {};
  const clock: Clock = {
    ...systemClock,
    sleep: (_, signal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        signal?.addEventListener('abort', () => resolve());
      }),
  };
  return {
    clock,
    async look() {
      wake();
      await setImmediate();
    },
  };
}

describe('the making of snapshots', () => {
  async function running(size: number) {
    const on = await stage();
    const { clock, look } = steppedClock();
    const made: SnapshotOrder[] = [];
    const make = async (order: SnapshotOrder) => {
      made.push(order);
      return { rules: size, isRenewed: true, unreadable: [] };
    };
    const matching = { changes: 0, size: () => size };
    const stopping = new AbortController();
    const snapshots = createSnapshots({
      ...on.parts,
      store: { ...on.store, markRuleChanges: async () => 1 },
      clock,
      make,
    });
    const ended = snapshots.run(matching, stopping.signal);
    const stop = async () => {
      stopping.abort();
      await ended;
    };
    return { matching, made, look, stop, [Symbol.asyncDispose]: () => on[Symbol.asyncDispose]() };
  }

  it('waits for ten thousand changes, and counts from there', async () => {
    await using on = await running(10);
    on.matching.changes = 9_999;
    await on.look();
    expect(on.made).toHaveLength(0);
    on.matching.changes = 10_000;
    await on.look();
    await on.look();
    expect(on.made).toHaveLength(1);
    on.matching.changes = 20_000;
    await on.look();
    expect(on.made).toHaveLength(2);
    await on.stop();
    expect(on.made).toHaveLength(2);
  });

  it('takes texts of deleted rules out of the file within a day, and does nothing where nothing has changed', async () => {
    await using on = await running(10);
    for (let looks = 0; looks < 1_500; looks++) await on.look();
    expect(on.made).toHaveLength(0);
    on.matching.changes = 1;
    for (let looks = 0; looks < 1_440; looks++) await on.look();
    expect(on.made).toHaveLength(1);
    await on.stop();
  });

  it('makes one at a stop after a thousand changes, and none of few rules', async () => {
    await using on = await running(10);
    on.matching.changes = 999;
    await on.stop();
    expect(on.made).toHaveLength(0);
    await using more = await running(10);
    more.matching.changes = 1_000;
    await more.stop();
    expect(more.made).toHaveLength(1);
    await using few = await running(3);
    few.matching.changes = 50_000;
    await few.look();
    await few.stop();
    expect(few.made).toHaveLength(0);
  });
});

describe('snapshots over a long time', () => {
  const WORDS = [
    'storm',
    'rain',
    'snow',
    'hail',
    'storm -rain',
    '"storm rain"',
    'sno*',
    '(snow OR hail) rain',
    'has:links',
  ];
  const TEXTS = ['storm', 'storm rain', 'snow hail', 'rain snow', 'snowy hail storm', 'nothing'];

  it('are as good as the rules, whatever happens in between', async () => {
    const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now());
    console.log(`seed ${seed}`);
    const random = randomFrom(seed);
    const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
    await using on = await stage();
    const ids: string[] = [];
    for (const word of WORDS) ids.push(await add(on, word));
    await (await start(on, 'making')).close();
    const keep = { at: AT, until: new Date(AT.getTime() + 1e9) };
    const text = () => ({ platforms: { x: { value: one(WORDS), flags: {}, platformRuleId: '1' } } });
    const steps: (() => Promise<unknown>)[] = [
      async () => ids.push(await add(on, one(WORDS))),
      () => on.store.deleteRule(on.account.id, one(ids), undefined, keep),
      () => on.store.restoreRule(on.account.id, one(ids), { now: AT, limits: {}, ids: { x: '1' }, gaps: [] }),
      () => on.store.changeRule(on.account.id, one(ids), { paused: random() < 0.5 }),
      () => on.store.changeRule(on.account.id, one(ids), text()),
      () => on.store.changeRule(on.account.id, one(ids), text()),
      () => on.renew(),
    ];
    for (let starts = 0; starts < 8; starts++) {
      for (let times = 0; times < 12; times++) await one(steps)();
      const service = await start(on, 'not making');
      const oracle = serviceOn({
        ...on,
        parts: {
          ...on.parts,
          manyRules: Number.POSITIVE_INFINITY,
          config: { ...on.parts.config, dataDir: '/nowhere' },
        },
      });
      await oracle.start();
      for (const words of TEXTS) expect(found(service, words), `seed ${seed}, ${words}`).toEqual(found(oracle, words));
      await service.close();
      await oracle.close();
    }
  });
});

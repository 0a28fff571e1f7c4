import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import type { Rule } from '../../domain/rule.ts';
import { changesSince, loadRules, type RuleSnapshot } from './load-rules.ts';

const ruleOf = (id: string): Rule =>
  ({ id, accountId: 'a', createdAt: new Date(0), platforms: { x: { status: 'active', platformRuleId: id } } }) as Rule;

interface Change {
  readonly number: number;
  readonly accountId: string;
  readonly ruleId: string;
}

function stage({ stored = ['one', 'two'], shape = 'local', log = [] as Change[], isDamaged = false } = {}) {
  const rules = stored.map(ruleOf);
  const loaded: string[][] = [];
  const asked = { every: 0, unfinished: 0, restored: 0, closed: 0 };
  const warned: string[] = [];
  const everyRule = async function* (count: 'every' | 'unfinished', slices: Rule[][]) {
    asked[count]++;
    yield* slices;
  };
  const deps = {
    clock: fakeClock(),
    log: { info: () => {}, warn: (_: object, message: string) => void warned.push(message), error: () => {} },
    store: slow({
      isShared: false,
      everyRule: () => everyRule('every', [rules]),
      unfinishedRules: () => everyRule('unfinished', []),
      rulesNamed: async (ids: readonly string[]) => rules.filter((rule) => ids.includes(rule.id)),
      ruleChanges: async (after: number, limit: number) => log.filter(({ number }) => number > after).slice(0, limit),
    }),
    registrations: { want: () => {} },
    suspensions: { isSuspended: () => false },
    budgets: { isResting: () => false },
    locks: {},
    platforms: { x: { shape }, firehose: { shape: 'local' } },
    matching: slow({
      restore: async () => {
        asked.restored++;
        if (isDamaged) throw new Error('The image is cut.');
      },
      load: async (slices: AsyncIterable<({ id: string } | { gone: string })[]>) => {
        for await (const slice of slices)
          loaded.push(slice.map((rule) => ('gone' in rule ? `gone ${rule.gone}` : rule.id)));
      },
    }),
  } as unknown as Parameters<typeof loadRules>[0];
  const snapshot = {
    position: 5,
    unreadable: [{ accountId: 'a', ruleId: 'two' }],
    [Symbol.asyncDispose]: async () => void asked.closed++,
  } as unknown as RuleSnapshot;
  const snapshots = { open: async () => snapshot, run: async () => {} };
  return { deps, loaded, asked, warned, snapshots };
}

const never = () => new AbortController().signal;
const change = (number: number, ruleId: string): Change => ({ number, accountId: 'a', ruleId });

describe('the rules at a start', () => {
  it('are read one by one where there is no snapshot', async () => {
    const { deps, loaded, asked } = stage();
    await loadRules(deps, undefined, never());
    await loadRules(deps, { open: async () => undefined, run: async () => {} }, never());
    expect([loaded, asked.every, asked.restored]).toEqual([
      [
        ['one', 'two'],
        ['one', 'two'],
      ],
      2,
      0,
    ]);
  });

  it('come from the snapshot, with what it lacks and what changed since', async () => {
    const log = [
      change(5, 'old'),
      change(6, 'one'),
      change(7, 'deleted'),
      change(8, 'alert alert_1'),
      change(9, 'one'),
    ];
    const { deps, loaded, asked, snapshots } = stage({ log });
    await loadRules(deps, snapshots, never());
    expect(loaded).toEqual([['two'], ['one', 'gone deleted']]);
    expect(asked).toEqual({ every: 0, unfinished: 1, restored: 1, closed: 1 });
  });

  it('are all gone through where an upstream must hold their texts', async () => {
    const { deps, asked, snapshots } = stage({ shape: 'upstream' });
    await loadRules(deps, snapshots, never());
    expect([asked.every, asked.unfinished]).toEqual([1, 0]);
  });

  it('are read one by one where the snapshot is damaged, which is said', async () => {
    const { deps, loaded, warned, asked, snapshots } = stage({ isDamaged: true });
    await loadRules(deps, snapshots, never());
    expect([loaded, warned.length, asked.closed]).toEqual([[['one', 'two']], 1, 1]);
  });

  it('are not read any further once the service is to stop', async () => {
    const { deps, loaded, asked, snapshots } = stage();
    const stopped = AbortSignal.abort(new Error('stop'));
    await expect(loadRules(deps, undefined, stopped)).rejects.toThrow('stop');
    await expect(loadRules(deps, snapshots, stopped)).rejects.toThrow('stop');
    expect([loaded, asked.restored, asked.closed]).toEqual([[], 0, 1]);
    const stopping = new AbortController();
    Object.assign(deps.matching, {
      load: async (slices: AsyncIterable<unknown>) => {
        stopping.abort(new Error('stop now'));
        for await (const _ of slices) loaded.push(['read']);
      },
    });
    await expect(loadRules(deps, undefined, stopping.signal)).rejects.toThrow('stop now');
    expect(loaded).toEqual([]);
  });
});

describe('the changes since a position', () => {
  it('are read 250 at a time, each rule once in each', async () => {
    const log = Array.from({ length: 251 }, (_, at) => change(at + 1, at % 2 === 0 ? 'one' : 'two'));
    const { deps } = stage({ log });
    const slices: number[] = [];
    for await (const slice of changesSince(deps.store, 0)) slices.push(slice.length);
    expect(slices).toEqual([2, 1]);
  });
});

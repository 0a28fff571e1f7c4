import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import { newId } from '../../base/ids.ts';
import type { PlatformRule, Rule } from '../../domain/rule.ts';
import {
  finishAbandoned,
  finishOrUndo,
  isAboutToBeStored,
  isUnderWay,
  type ReconcileDeps,
  reconciled,
} from './reconcile.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-15T08:30:00.000Z');

const on = (status: string, platformRuleId?: string): PlatformRule =>
  ({ value: 'storm', flags: {}, status, platformRuleId }) as PlatformRule;
const WHOLE = { x: on('active', 'x1') };
const ANSWERED = { x: on('pending', 'x1'), firehose: on('active', 'f1') };
const UNANSWERED = { x: on('pending', 'x1'), firehose: on('pending') };

const ruleOf = (id: string, platforms: Rule['platforms'], createdAt = START - 2 * MINUTE): Rule =>
  ({ id, accountId: 'a', name: id, intent: '', platforms, createdAt: new Date(createdAt), paused: false }) as Rule;

function stage({ rules = [] as Rule[], isShared = true, resting = [] as string[], isComplete = false } = {}) {
  const clock = fakeClock();
  const done = {
    undone: [] as string[],
    activated: [] as unknown[],
    expected: [] as Rule[],
    released: [] as unknown[],
  };
  const warned: string[] = [];
  const deps = {
    clock,
    log: { info: () => {}, warn: (_: object, message: string) => void warned.push(message), error: () => {} },
    store: slow({
      isShared,
      rule: async (_: string, id: string) => rules.find((rule) => rule.id === id),
      undoRule: async (_: string, id: string) => !isComplete && done.undone.push(id) > 0,
      setRuleStatus: async (...change: unknown[]) => void done.activated.push(change),
      unfinishedRules: async function* () {
        yield rules.filter(({ platforms }) => Object.values(platforms).some(({ status }) => status === 'pending'));
      },
    }),
    registrations: slow({
      want: (rule: Rule) => void done.expected.push(rule),
      release: async (texts: unknown) => {
        done.released.push(texts);
        throw new Error('The upstream is away.');
      },
    }),
    suspensions: { isSuspended: () => false },
    budgets: { isResting: (_: string, platform: string) => resting.includes(platform) },
    locks: { run: async <T>(_: string, work: () => Promise<T>) => work() },
  } as unknown as ReconcileDeps;
  return { clock, deps, done, warned };
}

async function all(deps: ReconcileDeps, rules: Rule[]): Promise<string[][]> {
  const slices: string[][] = [];
  const stored = (async function* () {
    yield rules;
  })();
  for await (const slice of reconciled(deps, stored)) slices.push(slice.map(({ id }) => id));
  return slices;
}

describe('a rule that a crash left', () => {
  it('is left as it is when it is whole', async () => {
    const whole = ruleOf('r', WHOLE);
    const { deps, done } = stage({ rules: [whole] });
    expect(await finishOrUndo(deps, whole)).toBe(whole);
    expect([done.undone, done.activated]).toEqual([[], []]);
  });

  it('is finished when every platform has answered for it', async () => {
    const rule = ruleOf('r', ANSWERED);
    const { deps, done, warned } = stage({ rules: [rule] });
    expect(await finishOrUndo(deps, rule)).toBe(rule);
    expect(done.activated).toEqual([['r', 'x', { status: 'active', platformRuleId: 'x1' }]]);
    expect(done.undone).toEqual([]);
    expect(warned).toEqual(['a rule was not wholly created before a stop: it is finished']);
  });

  it('is undone when a platform has never answered for it', async () => {
    const rule = ruleOf('r', UNANSWERED);
    const { deps, done, warned } = stage({ rules: [rule] });
    expect(await finishOrUndo(deps, rule)).toBeUndefined();
    expect([done.undone, warned]).toEqual([['r'], ['a rule was not wholly created before a stop: it is undone']]);
  });

  it('stays when its node completes it meanwhile', async () => {
    const rule = ruleOf('r', UNANSWERED);
    const { deps, warned } = stage({ rules: [rule], isComplete: true });
    expect([await finishOrUndo(deps, rule), warned]).toEqual([rule, []]);
  });
});

describe('a young rule on a shared store', () => {
  it('may be on its way for a minute', () => {
    const { deps } = stage();
    expect(isUnderWay(deps, ruleOf('r', UNANSWERED, START - MINUTE + 1))).toBe(true);
    expect(isUnderWay(deps, ruleOf('r', UNANSWERED, START - MINUTE))).toBe(false);
    expect(isUnderWay(deps, ruleOf('r', WHOLE, START))).toBe(false);
    expect(isUnderWay(stage({ isShared: false }).deps, ruleOf('r', UNANSWERED, START))).toBe(false);
  });

  it('may be about to be stored for a minute after its id was made', () => {
    const { deps } = stage();
    expect(isAboutToBeStored(deps, newId('rule', new Date(START - MINUTE + 1)))).toBe(true);
    expect(isAboutToBeStored(deps, newId('rule', new Date(START - MINUTE)))).toBe(false);
    expect(isAboutToBeStored(deps, 'nothing')).toBe(false);
  });
});

describe('the stored rules at a start', () => {
  it('are those that are whole, and upstreams are told to hold them', async () => {
    const rules = [ruleOf('whole', WHOLE), ruleOf('undone', UNANSWERED), ruleOf('young', UNANSWERED, START)];
    const { deps, done } = stage({ rules });
    expect(await all(deps, rules)).toEqual([['whole']]);
    expect(done.undone).toEqual(['undone']);
    expect(done.expected).toEqual([rules[0]]);
  });

  it('are left out when they are gone by the time that they are looked at in turn', async () => {
    const { deps, done } = stage();
    expect(await all(deps, [ruleOf('gone', UNANSWERED)])).toEqual([[]]);
    expect([done.undone, done.expected]).toEqual([[], []]);
  });

  it('are not expected on a platform that the account has no budget for', async () => {
    const rule = ruleOf('r', { x: on('active', 'x1'), firehose: on('active', 'f1') });
    const { deps, done } = stage({ rules: [rule], resting: ['x'] });
    await all(deps, [rule]);
    expect(done.expected).toEqual([{ ...rule, platforms: { firehose: rule.platforms.firehose } }]);
  });
});

describe('what a node that is no more has left', () => {
  it('is settled, and the texts of what is undone are released, also when an upstream is away', async () => {
    const rules = [ruleOf('undone', UNANSWERED), ruleOf('young', UNANSWERED, START)];
    const { deps, done, warned } = stage({ rules });
    await finishAbandoned(deps);
    await new Promise((resolve) => setImmediate(resolve));
    expect([done.undone, done.released]).toEqual([['undone'], [UNANSWERED]]);
    expect(warned.at(-1)).toBe('an upstream did not release the text of a rule');
  });

  it('is not released when it was finished', async () => {
    const { deps, done } = stage({ rules: [ruleOf('r', UNANSWERED)], isComplete: true });
    await finishAbandoned(deps);
    expect(done.released).toEqual([]);
  });
});

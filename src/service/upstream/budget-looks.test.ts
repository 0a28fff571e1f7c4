import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import type { Account } from '../../domain/account.ts';
import type { Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import { type Budgets, createBudgets } from './budgets.ts';

const MINUTE = 60_000;

interface Staged {
  readonly accounts: Record<string, number | undefined>;
  readonly price?: number;
  readonly isUpstream?: boolean;
  /** The account whose gap an earlier run left open. */
  readonly gapOf?: string;
}

/** Accounts with their budgets; what each has read is the test's. */
function stage({ accounts, price = 0.5, isUpstream = true, gapOf }: Staged) {
  const clock = fakeClock('2026-11-30T23:55:00.000Z');
  const rows = new Map<string, Account>(
    Object.entries(accounts).map(([id, xBudget]) => [id, { id, name: id, xBudget } as Account]),
  );
  const reads = new Map<string, number>();
  const done: (string | unknown[])[] = [];
  const shares: unknown[] = [];
  const open = { platform: 'x', from: clock.now(), to: undefined, recovered: false } as const;
  const gaps: Gap[] = gapOf === undefined ? [] : [{ ...open, accountId: gapOf, cause: 'budget_spent' }];
  const loaded = { isLoaded: true };
  const faults = { hold: false, gaps: false, accounts: undefined as Promise<void> | undefined };
  const ruleOf = (value: string, paused = false) => ({ paused, platforms: { x: { value, flags: {} } } });
  const store = slow({
    accounts: async () => {
      await faults.accounts;
      return [...rows.values()];
    },
    usage: async (id: string, platform: Platform, month: number) => {
      expect(platform).toBe('x');
      return { reads: reads.get(`${id} ${month}`) ?? 0 };
    },
    changeAccount: async (id: string, { xSpentIn }: { xSpentIn: number | null }, note: { what: string }) => {
      done.push([note.what, id, xSpentIn]);
      rows.set(id, { ...rows.get(id)!, xSpentIn: xSpentIn ?? undefined });
    },
    async *rules() {
      yield [ruleOf('storm'), ruleOf('paused', true), { paused: false, platforms: {} }];
      yield [ruleOf('rain')];
    },
    gaps: async () => gaps.filter(({ to }) => to === undefined),
    openGaps: async () => [
      { ...open, cause: 'budget_spent' },
      { ...open, accountId: 'c', cause: 'account_suspended' },
      ...gaps.filter(({ to }) => to === undefined),
    ],
    noteGaps: async (noted: readonly Gap[]) => {
      if (faults.gaps) throw new Error('away');
      for (const { from: _, ...gap } of noted) {
        done.push([gap.to === undefined ? 'gap begins' : 'gap ends', gap.accountId, gap.cause]);
        for (const one of gaps) if (one.accountId === gap.accountId) Object.assign(one, gap);
        if (gap.to === undefined) gaps.push({ ...gap, from: clock.now() });
      }
    },
  });
  const budgets: Budgets = createBudgets({
    store,
    clock,
    prices: { x: price, firehose: 9 },
    isUpstream: (platform: Platform) => isUpstream && platform === 'x',
    isSuspended: () => false,
    matching: Object.assign(loaded, {
      rules: {
        x: {
          live: { suspendAccounts: (_: string, ids: ReadonlySet<string>) => void done.push(['suspend', 'x', ...ids]) },
        },
      },
    }),
    registrations: slow({
      release: async ({ x }: { x: { value: string } }) => void done.push(['release', x.value]),
      pin: async ({ x }: { x: { value: string } }) => ({
        hold: async () => {
          if (faults.hold) throw new Error('away');
          done.push(['hold', x.value]);
        },
        keep: () => void done.push(['keep', x.value]),
        [Symbol.asyncDispose]: async () => {},
      }),
    }),
    log: {
      info: (_: object, message: string) => void done.push(message),
      warn: (_: object, message: string) => void done.push(message),
    },
    lasting: {
      open: async () => {},
      begin: async (id: string, cause: string, _: Date, notice?: object) =>
        void shares.push(['begin', id, cause, notice]),
      end: async (id: string, cause: string) => void shares.push(['end', id, cause]),
    },
    notify: async (id: string, { type, at, message }: { type: string; at: Date; message: string }) =>
      void done.push([type, id, at.toISOString(), message]),
  } as unknown as Parameters<typeof createBudgets>[0]);
  const stopping = new AbortController();
  const taken = () => done.splice(0);
  return { clock, budgets, reads, rows, faults, loaded, stopping, taken, shares };
}

describe('a look at the budgets', () => {
  it('finds who has spent all of it, to the cent, and stores that once', async () => {
    const { budgets, reads, taken } = stage({ accounts: { a: 1, b: 1, c: undefined } });
    reads.set('a 202611', 1).set('b 202611', 2).set('c 202611', 99);
    await budgets.open();
    expect(taken()).toEqual([
      ['account.changed', 'b', 202_611],
      ['suspend', 'x', 'b'],
      ['gap begins', 'b', 'budget_spent'],
    ]);
    expect([budgets.isResting('a', 'x'), budgets.isResting('b', 'x'), budgets.isResting('b', 'firehose')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(budgets.reasonToRest({ id: 'b', xBudget: 1 }, 'x')).toContain('budget of 1.00 on x for 2026-11 is used up');
    expect(budgets.reasonToRest({ id: 'b', xBudget: 1 }, 'firehose')).toBeUndefined();
    expect(budgets.reasonToRest({ id: 'a', xBudget: 1 }, 'x')).toBeUndefined();
    await budgets.open();
    expect(taken()).toEqual([['suspend', 'x', 'b']]);
  });

  it('finds them again after it failed half-way', async () => {
    const { budgets, reads, faults, taken } = stage({ accounts: { a: 1 } });
    reads.set('a 202611', 2);
    faults.gaps = true;
    await expect(budgets.open()).rejects.toThrow('away');
    faults.gaps = false;
    taken();
    await budgets.open();
    expect(taken()).toEqual([
      ['suspend', 'x', 'a'],
      ['gap begins', 'a', 'budget_spent'],
    ]);
  });

  it('finds no one where the platform is our own, or costs nothing', async () => {
    for (const free of [{ isUpstream: false }, { price: 0 }]) {
      const { budgets, reads, taken } = stage({ accounts: { a: 1 }, ...free });
      reads.set('a 202611', 99);
      await budgets.open();
      expect(taken()).toEqual([['suspend', 'x']]);
      budgets.committed({ platform: 'x', accountIds: ['a'] });
      await budgets.run(new AbortController().signal);
      expect(taken()).toEqual([]);
    }
  });

  it('knows what reads cost, at an upstream alone', () => {
    expect(stage({ accounts: {} }).budgets.cost('x', 3)).toBe(1.5);
    expect(stage({ accounts: {} }).budgets.cost('firehose', 3)).toBe(0);
    expect(stage({ accounts: {}, isUpstream: false }).budgets.cost('x', 3)).toBe(0);
  });
});

describe('an account whose budget', () => {
  it('is spent by a commit rests at once: it is told, and its rules are let go', async () => {
    const { budgets, reads, taken, shares } = stage({ accounts: { a: 1, b: 1, c: undefined } });
    await budgets.open();
    taken();
    reads.set('a 202611', 2).set('b 202611', 2);
    budgets.committed({ platform: 'firehose', accountIds: ['a'] });
    budgets.committed({ platform: 'x', accountIds: ['c', 'unknown'] });
    await settled();
    expect(taken()).toEqual([]);
    budgets.committed({ platform: 'x', accountIds: ['c', 'a'] });
    await settled();
    expect(taken()).toEqual([
      ['account.changed', 'a', 202_611],
      ['suspend', 'x', 'a'],
      'an account has used up its budget: its rules match nothing',
      ['gap begins', 'a', 'budget_spent'],
      ['budget_spent', 'a', '2026-11-01T00:00:00.000Z', expect.stringContaining('is used up')],
      ['release', 'storm'],
      ['release', 'rain'],
    ]);
    // It was never near: nobody is told that it is.
    expect(shares).toContainEqual(['begin', 'a', 'budget_near:x', undefined]);
    budgets.committed({ platform: 'x', accountIds: ['a'] });
    await settled();
    expect(taken()).toEqual([]);
  });

  it('begins anew with the month is matched again within a minute, when all of its rules are held', async () => {
    const { clock, budgets, reads, faults, stopping, taken } = stage({ accounts: { a: 1 } });
    reads.set('a 202611', 2);
    await budgets.open();
    const running = budgets.run(stopping.signal);
    taken();
    await clock.pass(4 * MINUTE);
    expect(taken()).toEqual(Array.from({ length: 4 }, () => ['suspend', 'x', 'a']));
    faults.hold = true;
    await clock.pass(MINUTE);
    expect(taken()).toEqual([
      ['account.changed', 'a', null],
      ['suspend', 'x'],
      'an account has a budget again: its rules are matched',
      'rules are not held upstream yet; retrying in a minute',
    ]);
    faults.hold = false;
    await clock.pass(MINUTE);
    expect(taken()).toEqual([
      ['suspend', 'x'],
      ['hold', 'storm'],
      ['keep', 'storm'],
      ['hold', 'rain'],
      ['keep', 'rain'],
      ['gap ends', 'a', 'budget_spent'],
    ]);
    await clock.pass(MINUTE);
    expect(taken()).toEqual([['suspend', 'x']]);
    stopping.abort();
    await running;
  });

  it('is spent again before its rules were held again wakes no one', async () => {
    const { clock, budgets, reads, faults, stopping, taken, rows } = stage({ accounts: { a: 1 } });
    reads.set('a 202611', 2);
    await budgets.open();
    const running = budgets.run(stopping.signal);
    rows.set('a', { ...rows.get('a')!, xBudget: 5 });
    faults.hold = true;
    await clock.pass(MINUTE);
    rows.set('a', { ...rows.get('a')!, xBudget: 1 });
    faults.hold = false;
    taken();
    await clock.pass(MINUTE);
    expect(taken()).not.toContainEqual(['hold', 'storm']);
    await clock.pass(MINUTE);
    expect(taken()).toEqual([['suspend', 'x', 'a']]);
    stopping.abort();
    await running;
  });
});

const AWAKE = [
  ['suspend', 'x'],
  ['hold', 'storm'],
  ['keep', 'storm'],
  ['hold', 'rain'],
  ['keep', 'rain'],
  ['gap ends', 'a', 'budget_spent'],
];

describe('the gap of a spent budget', () => {
  it.each([
    ['the month ended or the budget was raised', {}],
    ['reads came to cost nothing', { price: 0 }],
    ['the platform became our own', { isUpstream: false }],
  ])('ends within a minute of the next start where %s while no node ran', async (_, change) => {
    const { clock, budgets, stopping, taken } = stage({ accounts: { a: 1, b: 1, c: 1 }, gapOf: 'a', ...change });
    await budgets.open();
    const running = budgets.run(stopping.signal);
    expect(taken()).toEqual([['suspend', 'x']]);
    await clock.pass(MINUTE);
    expect(taken()).toEqual(AWAKE);
    stopping.abort();
    await running;
  });

  it('goes on at the next start where the budget is spent still', async () => {
    const { clock, budgets, reads, stopping, taken } = stage({ accounts: { a: 1 }, gapOf: 'a' });
    reads.set('a 202611', 2);
    await budgets.open();
    const running = budgets.run(stopping.signal);
    await clock.pass(MINUTE);
    expect(taken().filter(([what]) => what === 'hold' || what === 'gap ends')).toEqual([]);
    stopping.abort();
    await running;
  });

  it('does not end before the rules are matched', async () => {
    const { clock, budgets, loaded, stopping, taken } = stage({ accounts: { a: 1 }, gapOf: 'a' });
    loaded.isLoaded = false;
    await budgets.open();
    const running = budgets.run(stopping.signal);
    await clock.pass(MINUTE);
    expect(taken()).toEqual([
      ['suspend', 'x'],
      ['suspend', 'x'],
    ]);
    loaded.isLoaded = true;
    await clock.pass(MINUTE);
    expect(taken()).toEqual(AWAKE);
    stopping.abort();
    await running;
  });

  it('that the store did not take the end of ends a minute later', async () => {
    const { clock, budgets, faults, stopping, taken } = stage({ accounts: { a: 1 }, gapOf: 'a' });
    await budgets.open();
    const running = budgets.run(stopping.signal);
    taken();
    faults.gaps = true;
    await clock.pass(MINUTE);
    expect(taken().at(-1)).toBe('the end of a spent budget is not followed yet; retrying in a minute');
    faults.gaps = false;
    await clock.pass(MINUTE);
    expect(taken()).toEqual(AWAKE);
    await clock.pass(MINUTE);
    expect(taken()).toEqual([['suspend', 'x']]);
    stopping.abort();
    await running;
  });
});

describe('the looks at the budgets', () => {
  it('are over when they are told to end, and one that is under way ends first', async () => {
    const { clock, budgets, faults, stopping } = stage({ accounts: { a: 1 } });
    await budgets.open();
    let isOver = false;
    const running = budgets.run(stopping.signal).then(() => (isOver = true));
    const gate = Promise.withResolvers<void>();
    faults.accounts = gate.promise;
    budgets.committed({ platform: 'x', accountIds: ['a'] });
    stopping.abort();
    await clock.pass(0);
    expect(isOver).toBe(false);
    gate.resolve();
    await running;
    expect(isOver).toBe(true);
  });

  it('that fail are logged, and repeated in a minute', async () => {
    const { clock, budgets, faults, stopping, taken } = stage({ accounts: { a: 1 } });
    await budgets.open();
    const running = budgets.run(stopping.signal);
    taken();
    faults.accounts = Promise.reject(new Error('away'));
    faults.accounts.catch(() => {});
    await clock.pass(MINUTE);
    expect(taken()).toEqual(['checking the budgets failed; retrying in a minute']);
    faults.accounts = undefined;
    await clock.pass(MINUTE);
    expect(taken()).toEqual([['suspend', 'x']]);
    stopping.abort();
    await running;
  });
});

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

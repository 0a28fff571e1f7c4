/** The cases of the suite share these: a store with an account and a rule, and ways to fill and read it. */
import { expect } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { newId } from '../../../src/base/ids.ts';
import type { Account } from '../../../src/domain/account.ts';
import type { StoredMatch } from '../../../src/domain/match.ts';
import type { Platform } from '../../../src/domain/platform.ts';
import type { CommitEvent, MatchQuery, NewRule, Store, StoreOptions } from '../../../src/store/store.ts';

export type Open = (options?: StoreOptions) => Promise<Store>;

export const START = Date.parse('2026-11-15T08:00:00Z');
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** A clock that the test moves. */
export function testClock(): Clock & { at: number } {
  const clock = { at: START, now: () => new Date(clock.at), elapsed: () => clock.at, sleep: async () => {} };
  return clock;
}

export const at = (milliseconds: number): Date => new Date(START + milliseconds);

export function accountNamed(name: string): Account {
  return { id: newId('acct', at(0)), name, plan: 'paid', xRules: 25, createdAt: at(0) };
}

export function ruleOf(account: Account, change: Partial<NewRule> = {}): NewRule {
  const platforms = { x: { value: 'storm', flags: {} } };
  return {
    id: newId('rule', at(0)),
    accountId: account.id,
    name: 'Storms',
    intent: '',
    createdAt: at(0),
    platforms,
    ...change,
  };
}

interface EventOptions {
  readonly platform?: Platform;
  readonly accountId?: string;
  readonly text?: string;
  readonly version?: number;
  readonly source?: string;
  readonly earlier?: readonly string[];
}

export function eventOf(postId: string, rules: readonly { id: string }[], options: EventOptions = {}): CommitEvent {
  const { platform = 'x', accountId, text = `post ${postId}`, version = 1, source, earlier } = options;
  const payload = platform === 'x' ? { data: { id: postId, text } } : { data: { id: postId, text }, title: text };
  return {
    event: { platform, postId, payload, accountId, ...(source !== undefined && { source }) },
    matches: rules.map(({ id }) => ({ ruleId: id, version, highlights: [{ field: 'data.text', start: 0, end: 4 }] })),
    ...(earlier && { earlier }),
  };
}

/** A store with an account and its rule. */
export async function stage(open: Open, options?: StoreOptions) {
  const store = await open(options);
  const account = accountNamed('one');
  await store.addAccount(account);
  const rule = ruleOf(account);
  await store.addRule(rule, {});
  let time = 0;
  const commit = (...events: CommitEvent[]) =>
    store.commit({ platform: events[0]?.event.platform ?? 'x', at: at(++time * 1000), events });
  return { store, account, rule, commit, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

export async function addOther(store: Store): Promise<{ account: Account; rule: NewRule }> {
  const account = accountNamed('other');
  await store.addAccount(account);
  const rule = ruleOf(account);
  await store.addRule(rule, {});
  return { account, rule };
}

export async function collect<T>(slices: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const slice of slices) all.push(...slice);
  return all;
}

export const posts = (matches: readonly StoredMatch[]): string[] => matches.map(({ platformPostId }) => platformPostId);

export async function listed(store: Store, query: Omit<MatchQuery, 'limit'>): Promise<string[]> {
  return posts((await store.matches({ ...query, limit: 1000 })).matches);
}

export async function removeAll(store: Store, now: Date): Promise<number> {
  let slices = 1;
  while ((await store.removeSlice(now)).more) slices++;
  return slices;
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Newest first by creation time, then id, each pair once. */
export function expectOrdered(matches: readonly StoredMatch[]): void {
  const keys = matches.map(({ createdAt, id }) => `${createdAt.toISOString()} ${id}`);
  expect(keys).toEqual([...new Set(keys)].toSorted().toReversed());
}

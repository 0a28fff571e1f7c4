/** The state of one upstream's queue, before a store and an upstream that do what a test says. */
import type { Gap } from '../../src/domain/coverage.ts';
import type { Registration, RegistrationState } from '../../src/domain/rule.ts';
import { type HeldRule, PlatformError, type Registered } from '../../src/platforms/platform.ts';
import { languages } from '../../src/rules/languages.ts';
import type { RuleText } from '../../src/rules/rule-text.ts';
import { createQueueState, type QueueState } from '../../src/service/registrations/queue-turn.ts';
import type { HoldRequest } from '../../src/service/registrations/requests.ts';
import type { RegistrationChange, Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { slow } from './slow.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');
export const MINUTE = 60_000;
export const at = (milliseconds: number) => new Date(START + milliseconds);
export const textOf = (value: string): RuleText => ({ value, flags: {} });
export const PREFIX = 'sluice-1-';

export const rowOf = (
  tag: string,
  texts: string[],
  state: RegistrationState = 'held',
  change: Partial<Registration> = {},
) => ({
  tag: PREFIX + tag,
  platform: 'x' as const,
  value: texts.join(' OR '),
  flags: {},
  texts,
  platformRuleId: `id ${tag}` as string | undefined,
  state,
  since: at(-10 * MINUTE),
  ...change,
});

interface Staged {
  readonly rows?: readonly Registration[];
  readonly wanted?: readonly string[];
  readonly isShared?: boolean;
  readonly capacity?: { rules?: number | undefined; used?: number; length?: number };
}

export async function queueStage({ rows = [], wanted = [], isShared = false, capacity = {} }: Staged = {}) {
  const clock: FakeClock = fakeClock();
  const upstream = {
    held: rows
      .filter(({ state, platformRuleId }) => state === 'held' && platformRuleId !== undefined)
      .map(({ platformRuleId, value, flags, tag }): HeldRule => ({ id: platformRuleId!, value, flags, tag })),
    asked: { held: 0, capacity: 0, register: [] as string[][], unregister: [] as string[][], validate: [] as string[] },
    register: (value: string): Registered => ({ id: `new ${value}`, adopted: false }),
    unregister: undefined as Error | undefined,
  };
  const changes: RegistrationChange[] = [];
  const noted: Gap[][] = [];
  const told: Gap[] = [];
  const logged: string[] = [];
  const feeds: unknown[] = [];
  const holders = new Map<string, number>(wanted.map((value) => [value, 1]));
  const stored = { rules: new Map<string, object>(), open: [] as Gap[], rows };
  const store = slow({
    isShared,
    registrations: async () => stored.rows,
    changeRegistrations: async (change: RegistrationChange) => void changes.push(change),
    countHolders: async (_: string, value: string) => holders.get(value) ?? 0,
    rulesWith: async (_: string, value: string) => [{ accountId: 'a', ruleId: `rule of ${value}` }],
    rule: async (_: string, id: string) => stored.rules.get(id),
    noteGaps: async (gaps: readonly Gap[]) => void noted.push([...gaps]),
    openGaps: async () => stored.open,
    feeds: async () => [{ kind: 'audit', through: at(-MINUTE) }],
    noteFeeds: async (list: readonly unknown[]) => void feeds.push(...list),
  }) as unknown as Store;
  const state = createQueueState({
    platform: slow({
      name: 'x',
      held: async () => {
        upstream.asked.held++;
        return upstream.held;
      },
      capacity: async () => {
        upstream.asked.capacity++;
        return { rules: undefined, used: upstream.held.length, length: 1_024, ...capacity };
      },
      register: async (list: readonly { value: string }[]) => {
        upstream.asked.register.push(list.map(({ value }) => value));
        return list.map(({ value }) => upstream.register(value));
      },
      unregister: async (ids: readonly string[]) => {
        upstream.asked.unregister.push([...ids]);
        if (upstream.unregister !== undefined) throw upstream.unregister;
      },
      validate: async (value: string) => {
        upstream.asked.validate.push(value);
        if (value === 'bad') throw new PlatformError('refused', 'It is bad.');
      },
    }) as unknown as QueueState['platform'],
    language: languages({ local: true }).x,
    store,
    clock,
    log: {
      info: (_, message) => void logged.push(message),
      warn: (_, message) => void logged.push(message),
      error: () => {},
    },
    signal: new AbortController().signal,
    prefix: PREFIX,
    onGap: (gap) => void told.push(gap),
  });
  await state.table.load(wanted.map(textOf));
  const states = () =>
    Object.fromEntries(state.table.rows().map(({ tag, state: is }) => [tag.replace(PREFIX, ''), is]));
  return { clock, upstream, changes, noted, told, logged, feeds, holders, stored, state, states };
}

export const asking = (value: string) => {
  const answers: unknown[] = [];
  const request: HoldRequest = {
    text: textOf(value),
    resolve: (id) => void answers.push(id),
    reject: (error) => void answers.push(error),
    tries: 0,
  };
  return { request, answers };
};

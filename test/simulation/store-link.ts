/** The store as one process reaches it: every call passes the scheduler, which delays it, fails it or never answers it. */
import { StoreError } from '../../src/store/error.ts';
import type { Committed, MatchNews, Store } from '../../src/store/store.ts';
import type { Fate, Faults } from './faults.ts';
import type { Life, Scheduler } from './scheduler.ts';

/** Says to every process that something was written. It may be late, and in a storm it may be lost. */
export interface Bells {
  add(life: Life, hear: (news: MatchNews | undefined) => void): () => void;
  ring(news: MatchNews | undefined): void;
}

export function createBells(scheduler: Scheduler, faults: () => Faults): Bells {
  const bells = new Map<Life, (news: MatchNews | undefined) => void>();
  async function carry(life: Life, hear: (news: MatchNews | undefined) => void, news: MatchNews | undefined) {
    await scheduler.pause(Math.floor(scheduler.random() * 20), life);
    hear(news);
  }
  return {
    add(life, hear) {
      bells.set(life, hear);
      return () => void bells.delete(life);
    },
    ring(news) {
      for (const [life, hear] of bells) {
        if (life.state === 'dead') bells.delete(life);
        else if (!faults().happens(0.3)) void carry(life, hear, news);
      }
    },
  };
}

/** Writes that end in the log of rule changes. */
const RULE_WRITES: ReadonlySet<string> = new Set([
  'setRuleStatus',
  'changeRule',
  'deleteRule',
  'restoreRule',
  'undoRule',
  'changeRegistrations',
]);
const ITERABLES: ReadonlySet<string> = new Set([
  'rules',
  'deletedRules',
  'everyRule',
  'everyText',
  'unfinishedRules',
  'recentEvents',
]);

export interface StoreLink {
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly bells: Bells;
  readonly life: Life;
  /** Whether several processes are on the store. */
  readonly isShared: boolean;
}

type Method = (...args: unknown[]) => unknown;

export function linkToStore(link: StoreLink): Store {
  const { store, bells, life, isShared } = link;
  const own: Record<string, unknown> = {
    isShared,
    bell: async (hear: (news: MatchNews | undefined) => void) => {
      const remove = bells.add(life, hear);
      return async () => remove();
    },
  };
  return new Proxy(store, {
    get(target, name) {
      if (typeof name === 'symbol') return undefined;
      own[name] ??= wrap(link, name, (target as unknown as Record<string, Method>)[name]!.bind(target));
      return own[name];
    },
  });
}

function wrap(link: StoreLink, name: string, method: Method): Method {
  if (ITERABLES.has(name)) return (...args) => slices(link, name, method(...args) as AsyncIterable<unknown>);
  return (...args) => call(link, name, () => method(...args) as Promise<unknown>);
}

async function* slices(link: StoreLink, name: string, iterable: AsyncIterable<unknown>): AsyncIterable<unknown> {
  const iterator = iterable[Symbol.asyncIterator]();
  for (;;) {
    const next = (await call(link, name, () => iterator.next())) as IteratorResult<unknown>;
    if (next.done === true) return;
    yield next.value;
  }
}

async function call(link: StoreLink, name: string, work: () => Promise<unknown>): Promise<unknown> {
  const { scheduler, faults, life } = link;
  const fate = faults.fateOf(life);
  scheduler.note(`${life.name} ${name} ${fate === undefined ? '' : (fate.failure ?? 'slow')}`);
  if (fate === undefined) return done(link, name, work);
  return suffer(scheduler, life, fate, () => done(link, name, work), unreachable);
}

/** Does the work as its fate says. */
export async function suffer<T>(
  scheduler: Scheduler,
  life: Life,
  { before, after, failure }: Fate,
  work: () => Promise<T>,
  failed: () => Error,
): Promise<T> {
  await scheduler.pause(before, life);
  if (failure === 'undone') throw failed();
  const [result] = await Promise.allSettled([work()]);
  await scheduler.pause(after, life);
  if (failure === 'unheard') throw failed();
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

async function done({ bells }: StoreLink, name: string, work: () => Promise<unknown>): Promise<unknown> {
  const answer = await work();
  if (RULE_WRITES.has(name)) bells.ring(undefined);
  if (name === 'commit' && (answer as Committed).added > 0)
    bells.ring({ accountIds: (answer as Committed).accountIds, spans: [] });
  return answer;
}

const unreachable = (): StoreError => new StoreError('unwritable', 'The store cannot be reached in this storm.');

/**
 * An upstream in memory: it holds rules as X does, each value once, counts what it is asked, and misbehaves when told to.
 * Its stream stays silent. For what is on the wire there is the sandbox.
 */
import type { Platform } from '../../src/domain/platform.ts';
import { type HeldRule, type LivePlatform, PlatformError, type PlatformFault } from '../../src/platforms/platform.ts';

const CALLS = ['register', 'unregister', 'held', 'capacity', 'validate'] as const;
export type UpstreamCall = (typeof CALLS)[number];

export interface FakeUpstream {
  readonly platform: LivePlatform;
  /** By id. A test may add to it, and take from it, whatever others would. */
  readonly rules: Map<string, HeldRule>;
  readonly values: () => string[];
  readonly calls: Record<UpstreamCall, number>;
  /** The most rules at a time that there ever were. */
  readonly most: number;
  /** Ids that it was asked to take away. */
  readonly takenAway: readonly string[];
  limit: number | undefined;
  /** Calls that fail; with `lost`, they are carried out all the same. */
  readonly faults: Partial<Record<UpstreamCall, PlatformFault>>;
  lost: boolean;
  /** How often a fault fired. */
  readonly fired: number;
  /** Values that are refused. */
  refuses: (value: string) => boolean;
  /** Called before each call is carried out; a promise that never resolves is a process that ends there. */
  before: (call: UpstreamCall) => Promise<void> | void;
}

export interface FakeOptions {
  readonly limit?: number;
  readonly length?: number;
}

export function fakeUpstream(name: Platform, { limit, length = 1024 }: FakeOptions = {}): FakeUpstream {
  const rules = new Map<string, HeldRule>();
  const takenAway: string[] = [];
  const faults: FakeUpstream['faults'] = {};
  let [lastId, fired, most] = [1_700_000_000_000_000_000n, 0, 0];

  async function ask<T>(call: UpstreamCall, work: () => T): Promise<T> {
    upstream.calls[call]++;
    await upstream.before(call);
    const fault = faults[call];
    if (fault === undefined) return work();
    fired++;
    if (upstream.lost) work();
    throw new PlatformError(fault, `${name} says no`, { retryAfter: 7 });
  }

  function add(value: string, flags: HeldRule['flags'], tag: string) {
    if (upstream.refuses(value)) return { error: new PlatformError('refused', `${name} refuses ${value}`) };
    const same = [...rules.values()].find((one) => one.value === value && sameFlags(one, { flags }));
    if (same !== undefined) return { id: same.id, adopted: true };
    if (rules.size >= (upstream.limit ?? Number.POSITIVE_INFINITY)) {
      return { error: new PlatformError('limit', `${name} takes no more rules`) };
    }
    const id = String(++lastId);
    rules.set(id, { id, value, flags, tag });
    most = Math.max(most, rules.size);
    return { id, adopted: false };
  }

  const upstream: FakeUpstream = {
    rules,
    values: () => [...rules.values()].map(({ value }) => value).toSorted((a, b) => (a < b ? -1 : 1)),
    calls: { register: 0, unregister: 0, held: 0, capacity: 0, validate: 0 },
    takenAway,
    limit,
    faults,
    lost: false,
    refuses: () => false,
    before: () => {},
    get most() {
      return most;
    },
    get fired() {
      return fired;
    },
    platform: {
      name,
      shape: 'upstream',
      validate: (value) =>
        ask('validate', () => {
          if (upstream.refuses(value)) throw new PlatformError('refused', `${name} refuses ${value}`);
        }),
      register: (wanted) => ask('register', () => wanted.map(({ value, flags, tag }) => add(value, flags, tag))),
      unregister: (ids) =>
        ask('unregister', () => {
          takenAway.push(...ids);
          for (const id of ids) rules.delete(id);
        }),
      held: () => ask('held', () => [...rules.values()]),
      capacity: () => ask('capacity', () => ({ rules: upstream.limit, used: rules.size, length })),
      async *stream({ signal }) {
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield* [];
      },
    },
  };
  return upstream;
}

const sameFlags = (one: Pick<HeldRule, 'flags'>, other: Pick<HeldRule, 'flags'>): boolean =>
  one.flags.quality === other.flags.quality && one.flags.nsfw === other.flags.nsfw;

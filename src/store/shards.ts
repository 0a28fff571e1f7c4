/**
 * Work that nodes of a role share: it is cut into shards, and each shard is done by the node that holds its lease. Every node
 * holds its share; a node that dies or freezes loses its leases, and the others take them within ten seconds.
 */
import type { Clock } from '../base/clock.ts';
import type { Role } from '../domain/role.ts';
import { type HeldLease, type Holder, takeLease } from './lease.ts';
import type { Store } from './store.ts';

export interface Shards {
  /** The shards that this node works on now. */
  held(): readonly number[];
  /** Throws when the shard is no longer ours; `signalOf` aborts then. */
  confirm(shard: number): Promise<void>;
  /** As `confirm`, without asking the store: throws, too, when another node may have taken the shard by now. */
  assertHeld(shard: number): void;
  signalOf(shard: number): AbortSignal;
  /** Takes, renews and gives back until the signal aborts. `onTaken` hears of new ones. */
  run(signal: AbortSignal, onTaken: () => void): Promise<void>;
}

interface Deps {
  readonly store: Pick<Store, 'isShared' | 'takeLease' | 'releaseLease' | 'nodes'>;
  readonly clock: Clock;
  readonly holder: Holder;
  /** The work, by the name that its leases begin with. */
  readonly work: string;
  readonly count: number;
  readonly role: Role;
  /** How long a shard rests after the holder before can have worked on it. */
  readonly pauseMs: number;
}

interface Held {
  /** When the holder before can have worked on it for the last time, by the monotonic clock. */
  readonly since: number;
  readonly lease: HeldLease;
  readonly lost: AbortController;
  readonly keeping: Promise<void>;
}

/** With the time of a lease and a pause of a second, another node goes on within ten seconds. */
const ASK_EVERY_MS = 750;

const TAKEN_OVER = 'Another node has this shard.';

export const createShards = (deps: Deps): Shards => (deps.store.isShared ? leasedShards(deps) : allShards(deps));

const shardsOf = ({ count }: Pick<Deps, 'count'>): number[] => Array.from({ length: count }, (_, shard) => shard);

/** A process that has its store to itself works on all of them. */
function allShards(deps: Deps): Shards {
  const never = new AbortController().signal;
  let isRunning = false;
  return {
    held: () => (isRunning ? shardsOf(deps) : []),
    confirm: async () => {},
    assertHeld: () => {},
    signalOf: () => never,
    async run(signal, onTaken) {
      isRunning = true;
      onTaken();
      signal.addEventListener('abort', () => {
        isRunning = false;
      });
    },
  };
}

interface State extends Deps {
  readonly taken: Map<number, Held>;
}

const NOT_HELD = AbortSignal.abort('not held');

function leasedShards(deps: Deps): Shards {
  const state: State = { ...deps, taken: new Map() };
  const { taken } = state;
  return {
    held: () => [...taken].flatMap(([shard, held]) => (pauseLeft(state, held) > 0 ? [] : [shard])),
    async confirm(shard) {
      const one = taken.get(shard);
      if (one === undefined) throw new Error(TAKEN_OVER);
      await one.lease.confirm().catch((error: unknown) => {
        one.lost.abort();
        throw error;
      });
    },
    assertHeld(shard) {
      const one = taken.get(shard);
      if (one?.lease.isValid() === true && !one.lost.signal.aborted) return;
      one?.lost.abort();
      throw new Error(TAKEN_OVER);
    },
    signalOf: (shard) => taken.get(shard)?.lost.signal ?? NOT_HELD,
    async run(signal, onTaken) {
      while (!signal.aborted) {
        const hasTaken = await balance(state, signal).catch(() => false);
        const pause = () => Math.max(0, ...[...taken.values()].map((held) => pauseLeft(state, held)));
        // A timer may end a little early: then the shards are not held yet.
        while (pause() > 0 && !signal.aborted) await deps.clock.sleep(Math.ceil(pause()), signal);
        if (hasTaken) onTaken();
        await deps.clock.sleep(ASK_EVERY_MS, signal);
      }
      await Promise.all([...taken.keys()].map((shard) => giveBack(state, shard)));
    },
  };
}

/** Milliseconds until a shard may be worked on. */
const pauseLeft = ({ clock, pauseMs }: State, { since }: Held): number => since + pauseMs - clock.elapsed();

async function take(state: State, shard: number, signal: AbortSignal): Promise<boolean> {
  const lease = await takeLease(state, `${state.work} ${shard}`).catch(() => undefined);
  if (typeof lease !== 'object') return false;
  const lost = new AbortController();
  const keeping = keep(state, shard, lease, AbortSignal.any([signal, lost.signal])).finally(() => lost.abort());
  const since = state.clock.elapsed() - (lease.lease.freeMs ?? 0);
  state.taken.set(shard, { since, lease, lost, keeping });
  return true;
}

async function keep({ taken }: State, shard: number, lease: HeldLease, signal: AbortSignal): Promise<void> {
  await lease.keep(signal);
  taken.delete(shard);
}

async function giveBack({ taken }: State, shard: number): Promise<void> {
  const one = taken.get(shard);
  if (one === undefined) return;
  one.lost.abort();
  await one.keeping;
  await one.lease.release().catch(() => {});
}

/** Gives shards above our share to nodes that have fewer, and takes free ones up to it. Answers whether it took any. */
async function balance(state: State, signal: AbortSignal): Promise<boolean> {
  const { store, clock, holder, role, count, taken } = state;
  const nodes = await store.nodes(clock.now());
  const others = nodes.filter(({ id, roles }) => id !== holder.id && roles.includes(role));
  const share = Math.ceil(count / (others.length + 1));
  for (const shard of [...taken.keys()].slice(share)) await giveBack(state, shard);
  let hasTaken = false;
  for (const shard of shardsOf(state)) {
    if (signal.aborted || taken.size >= share) break;
    if (!taken.has(shard)) hasTaken = (await take(state, shard, signal)) || hasTaken;
  }
  return hasTaken;
}

/** The nodes: whole services on one store. One that is killed is followed by another on the same store, as after a crash. */
import { pick } from '../../bench/random.ts';
import { keepHouse } from '../../src/app/housekeeping.ts';
import { runExclusively } from '../../src/app/run-exclusively.ts';
import { SEALING_KEY_BYTES } from '../../src/delivery/webhooks/seal.ts';
import type { Send } from '../../src/delivery/webhooks/transport.ts';
import { localPlatform } from '../../src/platforms/local/local.ts';
import type { Store } from '../../src/store/store.ts';
import { openService, type TestService } from '../stages/service.ts';
import { between, type Faults } from './faults.ts';
import type { Life, Scheduler } from './scheduler.ts';
import { createBells, linkToStore } from './store-link.ts';
import type { SimulatedUpstream } from './upstream.ts';

export interface Node {
  readonly life: Life;
  readonly test: TestService;
}

export interface Cluster {
  start(): Promise<void>;
  nodes(): readonly Node[];
  lives(): readonly Life[];
  kill(life: Life): void;
  /** A node that a client turns to; undefined while none is there. */
  pick(): Node | undefined;
}

interface Deps {
  readonly scheduler: Scheduler;
  readonly faults: () => Faults;
  readonly store: Store;
  readonly upstream: SimulatedUpstream;
  readonly sendFor: (life: Life) => Send;
  readonly nodes: number;
}

/** Seconds; a receiver that was away is tried again soon, so that the end of a run is not far. */
const RETRY_AFTER: readonly number[] = [5, ...Array.from({ length: 500 }, () => 120)];

export function createCluster(deps: Deps): Cluster {
  const { scheduler, nodes: size } = deps;
  const nodes: (Node | undefined)[] = Array.from({ length: size }, () => undefined);
  const dead = new Set<string>();
  const open = opener(deps, dead);
  let lives = 0;

  async function start(place: number): Promise<void> {
    const life = scheduler.begin(`node-${place}.${++lives}`);
    const test = await open(life);
    nodes[place] = { life, test };
    void keepHouseAlone(scheduler, life, test);
    await test.service.start().catch(() => kill(life));
  }
  function kill(life: Life): void {
    const place = nodes.findIndex((node) => node?.life === life);
    if (place === -1) return;
    scheduler.kill(life);
    dead.add(life.name);
    nodes[place] = undefined;
    void scheduler.pause(between(scheduler.random, 100, 20_000)).then(() => start(place));
  }
  const present = () => nodes.filter((node) => node !== undefined);

  return {
    start: async () => void (await Promise.all(nodes.map((_, place) => start(place)))),
    nodes: present,
    lives: () => present().map(({ life }) => life),
    kill,
    pick: () => pick(scheduler.random, present()),
  };
}

/** As the program does beside its service. It ends with the process. */
function keepHouseAlone(scheduler: Scheduler, life: Life, { store, service: { context } }: TestService): Promise<void> {
  const [clock, never] = [scheduler.clockOf(life), new AbortController().signal];
  const holder = { id: life.name, isGone: () => false };
  const { log } = context;
  return runExclusively({ store, clock, holder, log }, 'house', never, (signal) =>
    keepHouse(store, { clock, log, signal }),
  );
}

function opener({ scheduler, faults, store, upstream, sendFor, nodes }: Deps, dead: ReadonlySet<string>) {
  const bells = createBells(scheduler, faults);
  return (life: Life): Promise<TestService> =>
    openService({
      clock: scheduler.clockOf(life),
      store: linkToStore({ store, scheduler, faults: faults(), bells, life, isShared: nodes > 1 }),
      platforms: { x: upstream.platformFor(life), firehose: localPlatform('firehose') },
      // A node that runs alone knows that the process before it has ended; one of several machines does not.
      holder: { id: life.name, isGone: (id) => nodes === 1 && dead.has(id) },
      delivery: {
        send: sendFor(life),
        schedule: RETRY_AFTER,
        random: scheduler.random,
        sealingKey: new Uint8Array(SEALING_KEY_BYTES),
      },
      loaded: false,
    });
}

/** The parts of the simulated installation, as its clients and its oracle see them. */
import type { Store } from '../../src/store/store.ts';
import type { Cluster } from './cluster.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Receiver } from './receiver.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimulatedUpstream } from './upstream.ts';

export interface World {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly upstream: SimulatedUpstream;
  readonly receiver: Receiver;
  readonly cluster: Cluster;
  checkCursor(): Promise<void>;
}

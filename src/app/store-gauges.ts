/**
 * The figures at `/metrics` that are of the whole installation: one process of each role that needs them answers for all,
 * so that they are not asked for and added up once for every process.
 */
import type { Clock } from '../base/clock.ts';
import type { Broker, EventLog } from '../broker/broker.ts';
import type { Role } from '../domain/role.ts';
import type { OwedBacklog, Store } from '../store/store.ts';
import type { AppMetrics } from './metrics.ts';

interface Deps {
  readonly store: Store;
  readonly broker: Broker | undefined;
  readonly roles: readonly Role[];
  readonly clock: Clock;
}

export function addStoreGauges(metrics: AppMetrics, deps: Deps): void {
  addConnectionGauges(metrics, deps.store);
  if (deps.roles.includes('delivery')) {
    addOwedGauges(metrics, deps);
    addHouseGauges(metrics, deps);
  }
  if (deps.roles.includes('connector')) addVisitGauges(metrics, deps);
  if (deps.broker === undefined || !deps.roles.includes('matcher')) return;
  addBrokerGauges(metrics, deps.broker, deps.clock);
  if (deps.broker.log !== undefined) addLogGauges(metrics, deps.broker.log, deps.clock);
}

function addConnectionGauges({ each, count }: AppMetrics, store: Store): void {
  each('sluice_store_connections', 'Connections to the store, and callers that wait for one.', 'state', () => ({
    ...store.figures().connections,
  }));
  count(
    'sluice_store_lock_waits_total',
    'Commits that had to take the lock of all commits.',
    () => store.figures().lock.waits,
  );
  count(
    'sluice_store_lock_wait_seconds_total',
    'Time that commits waited for the lock of all commits.',
    () => store.figures().lock.seconds,
  );
}

/** The webhooks that wait the longest are counted; beyond them no figure gets worse. */
const WEBHOOKS = 1_000;
const STATES = ['active', 'batched', 'paused', 'disabled'] as const;

function addOwedGauges({ each }: AppMetrics, { store, clock }: Deps): void {
  const backlog = sampled(() => store.owedBacklog(WEBHOOKS), clock);
  const byState = (read: (owed: readonly OwedBacklog[]) => number) => async () => {
    const owed = await backlog();
    return Object.fromEntries(
      STATES.map((state) => [state, owed && read(owed.filter((one) => stateOf(one) === state))]),
    );
  };
  each(
    'sluice_owed_matches',
    'Matches that wait to be put into a delivery, counted up to 1,000 for each webhook.',
    'state',
    byState((owed) => owed.reduce((sum, { matches }) => sum + matches, 0)),
  );
  each(
    'sluice_owed_oldest_seconds',
    'Age of the oldest match that waits to be put into a delivery; 0 when none waits.',
    'state',
    byState((owed) =>
      owed.reduce((oldest, { since }) => Math.max(oldest, (clock.now().getTime() - since.getTime()) / 1_000), 0),
    ),
  );
}

/** Matches wait on purpose for a webhook that collects, or is paused or disabled. */
const stateOf = ({ status, isBatched }: OwedBacklog): (typeof STATES)[number] =>
  status === 'active' && isBatched ? 'batched' : status;

function addVisitGauges({ total }: AppMetrics, { store, clock }: Deps): void {
  const due = sampled(() => store.dueFetches(clock.now()), clock);
  total(
    'sluice_source_visits_due',
    'Sources of accounts that are being visited or should be, counted up to 1,000.',
    async () => (await due())?.due,
  );
  total(
    'sluice_source_visits_late_seconds',
    'How long ago the first of them should have been visited; 0 when there is none.',
    async () => {
      const known = await due();
      return known && (known.since === undefined ? 0 : (clock.now().getTime() - known.since.getTime()) / 1_000);
    },
  );
}

function addHouseGauges({ total }: AppMetrics, { store, clock }: Deps): void {
  const late = sampled(() => store.retentionBacklog(clock.now()), clock);
  total(
    'sluice_retention_late_seconds',
    'How long ago the oldest match that is still there was due to go.',
    async () => {
      const backlog = await late();
      return backlog && backlog.lateMs / 1_000;
    },
  );
  const cold = sampled(() => store.coldFigures(), clock);
  total('sluice_cold_objects', 'Objects with old matches.', async () => (await cold())?.objects);
  total('sluice_cold_matches', 'Matches whose payloads lie in objects.', async () => (await cold())?.matches);
  total('sluice_cold_bytes', 'Room that those objects take.', async () => (await cold())?.bytes);
  const seconds = (date: Date | undefined) => (date === undefined ? 0 : date.getTime() / 1_000);
  total(
    'sluice_cold_oldest_timestamp_seconds',
    'Time of the oldest match in an object; 0 when there is none.',
    async () => {
      const known = await cold();
      return known && seconds(known.oldest);
    },
  );
  total('sluice_cold_last_write_timestamp_seconds', 'When an object was last written; 0 when none was.', async () => {
    const known = await cold();
    return known && seconds(known.lastWrite);
  });
  total(
    'sluice_cold_last_failure_timestamp_seconds',
    'When an object could last not be written, read or deleted; 0 when that never was.',
    async () => {
      const known = await cold();
      return known && seconds(known.lastFailure);
    },
  );
  const bytes = sampled(() => store.databaseBytes(), clock);
  total('sluice_database_bytes', 'Room that the database takes on its disk.', bytes);
}

function addLogGauges({ total }: AppMetrics, log: EventLog, clock: Clock): void {
  const backlog = sampled(() => log.backlog(), clock);
  total('sluice_log_packs', 'Packs of events in the log that wait to be stored.', async () => (await backlog())?.packs);
  total('sluice_log_bytes', 'Bytes in the log that wait to be stored.', async () => (await backlog())?.bytes);
  total(
    'sluice_log_aside',
    'Events that the store refused and that were put aside.',
    async () => (await backlog())?.aside,
  );
  total('sluice_log_room_bytes', 'The most bytes that the log takes.', async () => (await backlog())?.room);
  total('sluice_log_oldest_seconds', 'How long the oldest pack in the log has waited; 0 when none waits.', async () => {
    const known = await backlog();
    return known && (known.since === undefined ? 0 : (clock.now().getTime() - known.since.getTime()) / 1_000);
  });
}

function addBrokerGauges({ each }: AppMetrics, broker: Broker, clock: Clock): void {
  const backlog = sampled(() => broker.backlog(), clock);
  each(
    'sluice_broker_packs',
    'Packs of events in the broker: waiting for a matcher, taken by one, and given out again.',
    'state',
    async () => ({ ...(await backlog()) }),
  );
}

const KEPT_MS = 10_000;
const PATIENCE_MS = 2_000;

/**
 * A figure that costs a question to the store or the broker. It is asked for at most every ten seconds, however often it
 * is read, and a reader waits two seconds at most: without a fresh answer the figure is not known.
 */
export function sampled<Figure>(read: () => Promise<Figure>, clock: Clock): () => Promise<Figure | undefined> {
  let known: { readonly figure: Figure; readonly at: number } | undefined;
  let asking: Promise<Figure | undefined> | undefined;

  async function ask(): Promise<Figure | undefined> {
    const at = clock.elapsed();
    try {
      const figure = await read();
      known = { figure, at };
      return figure;
    } catch {
      return undefined;
    } finally {
      asking = undefined;
    }
  }
  return async () => {
    if (known !== undefined && clock.elapsed() - known.at < KEPT_MS) return known.figure;
    const patience = new AbortController();
    asking ??= ask();
    try {
      return await Promise.race([asking, clock.sleep(PATIENCE_MS, patience.signal).then(() => undefined)]);
    } finally {
      patience.abort();
    }
  };
}

/**
 * The store on PostgreSQL, for several nodes at once. Commits give out positions one after the other under one lock, so
 * every node sees matches in the same order; everything else locks no more than the rows it changes.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import { StoreError } from './error.ts';
import { accountStore, keyStore } from './postgres/accounts.ts';
import { alertStore, watchStore } from './postgres/alerts.ts';
import { answerStore } from './postgres/answers.ts';
import { attemptStore } from './postgres/attempts.ts';
import { changeStore } from './postgres/changes.ts';
import { checkServer, checkSpace } from './postgres/checks.ts';
import { commit } from './postgres/commit.ts';
import { connectPostgres, type Database } from './postgres/connection.ts';
import { coverageStore } from './postgres/coverage.ts';
import { deliveryStore, pendingStore } from './postgres/deliveries.ts';
import { deliveryWrites } from './postgres/delivery-writes.ts';
import { erasureStore } from './postgres/erasure.ts';
import { clientStore, grantStore } from './postgres/grants.ts';
import { matchStore } from './postgres/matches.ts';
import { migratePostgres } from './postgres/migrate.ts';
import { countStore } from './postgres/minutes.ts';
import { nodeStore } from './postgres/nodes.ts';
import { owedStore } from './postgres/owed.ts';
import { createPartitions } from './postgres/partitions.ts';
import { passStore } from './postgres/passes.ts';
import { ratingStore } from './postgres/ratings.ts';
import { recentStore } from './postgres/recent.ts';
import { registrationStore } from './postgres/registrations.ts';
import { rehearsalStore } from './postgres/rehearsals.ts';
import { removalStore } from './postgres/removal.ts';
import { ruleReads, ruleWrites } from './postgres/rules.ts';
import { sharedFeedStore } from './postgres/shared-feeds.ts';
import { storyStore } from './postgres/stories.ts';
import { storyTeller } from './postgres/story-writes.ts';
import { subscriptionStore } from './postgres/subscriptions.ts';
import { trashStore } from './postgres/trash.ts';
import { upstreamStore } from './postgres/upstreams.ts';
import { usageStore } from './postgres/usage.ts';
import { viewStore } from './postgres/views.ts';
import { wakeStore } from './postgres/wakes.ts';
import { claimStore, webhookStore } from './postgres/webhooks.ts';
import type { HouseStore, Store, StoreOptions } from './store.ts';

const RECENT = { events: 50_000, bytes: 64 * 1024 * 1024 };
const RETENTION_DAYS = 30;
const ERASURE_DAYS = 400;

/** Opens the database at this address, and brings it to this version. */
export async function openPostgres(url: string, options: StoreOptions = {}): Promise<Store> {
  const database = connectPostgres(url);
  try {
    await migratePostgres(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return storeOn(database, options);
}

/** The store on an open database. */
export function storeOn(database: Database, options: StoreOptions = {}): Store {
  const { clock = systemClock, retentionDays = RETENTION_DAYS, erasureDays = ERASURE_DAYS } = options;
  const recent = { ...RECENT, ...options.recent };
  const partitions = createPartitions(database);
  const lock = { waits: 0, seconds: 0 };
  const stories = storyTeller();
  return {
    ...accountStore(database),
    ...keyStore(database),
    ...ruleReads(database),
    ...ruleWrites(database),
    ...trashStore(database),
    ...registrationStore(database),
    ...answerStore(database, clock),
    ...matchStore(database),
    ...storyStore(database),
    ...erasureStore(database, Math.max(erasureDays, retentionDays), clock),
    ...changeStore(database),
    ...ratingStore(database),
    ...viewStore(database),
    ...alertStore(database),
    ...watchStore(database),
    ...rehearsalStore(database),
    ...countStore(database),
    ...waysOut(database),
    ...upstreamStore(database),
    ...coverageStore(database),
    ...usageStore(database),
    ...recentStore(database),
    ...nodeStore(database),
    ...passStore(database),
    ...clientStore(database),
    ...grantStore(database),
    ...removalStore(database, { retentionDays, partitions }),
    ...houseStore(database, clock),
    commit: (batch) => commit(database, batch, { partitions, recent, lock, stories }),
    figures: () => ({ connections: database.connections, lock: { ...lock } }),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

const waysOut = (database: Database) => ({
  ...webhookStore(database),
  ...subscriptionStore(database),
  ...sharedFeedStore(database),
  ...claimStore(database),
  ...owedStore(database),
  ...deliveryStore(database),
  ...attemptStore(database),
  ...deliveryWrites(database),
  ...pendingStore(database),
  ...wakeStore(database),
});

const houseStore = (
  database: Database,
  clock: Clock,
): Pick<HouseStore, 'version' | 'databaseBytes' | 'backup' | 'check'> => ({
  async version() {
    // What is committed and what is under way: it differs when anything is written, by any process.
    const [row] = await database.rows<{ version: string }>('SELECT pg_current_snapshot()::text AS version');
    return row!.version;
  },
  async databaseBytes() {
    const [row] = await database.rows<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
    return row!.bytes;
  },
  backup: () =>
    Promise.reject(new StoreError('defect', 'A PostgreSQL database is copied with its own tools: see pg_dump.')),
  async check(room = 0) {
    await checkServer(database);
    await database.run(`UPDATE state SET value = $1 WHERE name = 'checked'`, [clock.now().getTime()]);
    if (room > 0) await checkSpace(database, room);
  },
});

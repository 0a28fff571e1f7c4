/**
 * The store on PostgreSQL, for several nodes at once. Commits come one after the other under one lock, so every node
 * sees matches in the same order; everything else locks no more than the rows it changes.
 */
import { systemClock } from '../base/clock.ts';
import { StoreError } from './error.ts';
import { accountStore } from './postgres/accounts.ts';
import { answerStore } from './postgres/answers.ts';
import { commit } from './postgres/commit.ts';
import { checkSettings, connect } from './postgres/connection.ts';
import { deliveryStore } from './postgres/deliveries.ts';
import { matchStore } from './postgres/matches.ts';
import { migrate } from './postgres/migrate.ts';
import { countStore } from './postgres/minutes.ts';
import { nodeStore } from './postgres/nodes.ts';
import { owedStore } from './postgres/owed.ts';
import { createPartitions } from './postgres/partitions.ts';
import { passStore } from './postgres/passes.ts';
import { recentStore } from './postgres/recent.ts';
import { registrationStore } from './postgres/registrations.ts';
import { removalStore } from './postgres/removal.ts';
import { ruleStore } from './postgres/rules.ts';
import { upstreamStore } from './postgres/upstreams.ts';
import { usageStore } from './postgres/usage.ts';
import { webhookStore } from './postgres/webhooks.ts';
import type { Store, StoreOptions } from './store.ts';

const RECENT = { events: 50_000, bytes: 64 * 1024 * 1024 };
const RETENTION_DAYS = 30;

/** Opens the database at this address, and brings it to this version. */
export async function openPostgres(url: string, options: StoreOptions = {}): Promise<Store> {
  const { clock = systemClock, retentionDays = RETENTION_DAYS } = options;
  const recent = { ...RECENT, ...options.recent };
  const database = connect(url);
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const partitions = createPartitions(database);
  return {
    ...accountStore(database),
    ...ruleStore(database),
    ...registrationStore(database),
    ...answerStore(database, clock),
    ...matchStore(database),
    ...countStore(database),
    ...webhookStore(database),
    ...owedStore(database),
    ...deliveryStore(database),
    ...upstreamStore(database),
    ...usageStore(database),
    ...recentStore(database),
    ...nodeStore(database),
    ...passStore(database),
    ...removalStore(database, { retentionDays, partitions, clock }),
    commit: (batch) => commit(database, batch, { partitions, recent }),
    async version() {
      // What is committed and what is under way: it differs as soon as anything is written, by whomever.
      const [row] = await database.rows<{ version: string }>('SELECT pg_current_snapshot()::text AS version');
      return row!.version;
    },
    backup: () =>
      Promise.reject(new StoreError('defect', 'A PostgreSQL database is copied with its own tools: see pg_dump.')),
    async check() {
      await checkSettings(database);
      await database.run(`UPDATE state SET value = $1 WHERE name = 'checked'`, [clock.now().getTime()]);
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

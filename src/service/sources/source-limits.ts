/** Limits of accounts on their sources. What is planned is checked when a source is added or changed; bytes count as they come. */
import type { Account } from '../../domain/account.ts';
import type { AskedSource } from '../../sources/kinds/account-source.ts';
import type { Settings } from '../context.ts';
import { limitOf, limitReached } from '../limits.ts';
import type { SourcesRoom } from './room.ts';

const HOUR_MS = 3_600_000;
/** What counts as no limit where a number is needed. */
const ANY = Number.MAX_SAFE_INTEGER;

export const mostSources = ({ limits }: Settings, account: Account): number =>
  limitOf(limits, account, 'sources') ?? ANY;

/** Throws when the source would be visited more often than the account may. `sourceId`: the source that it takes the place of. */
export async function checkPlan(
  { store, settings }: Pick<SourcesRoom, 'store' | 'settings'>,
  account: Account,
  asked: Pick<AskedSource, 'options' | 'everyMs'>,
  sourceId?: string,
): Promise<void> {
  const { limits, support } = settings;
  const shortest = limitOf(limits, account, 'source_interval_seconds');
  if (shortest !== undefined && asked.everyMs < shortest * 1_000)
    throw limitReached(
      'source_interval_seconds',
      `\`every\` is ${asked.everyMs / 1_000} seconds, and the shortest interval of the account is ${shortest}.`,
      { support, details: { limit: shortest, used: asked.everyMs / 1_000 } },
    );
  const most = limitOf(limits, account, 'source_fetches_per_hour');
  if (most === undefined) return;
  const others = (await store.accountSources(account.id)).filter(({ id, isPaused }) => id !== sourceId && !isPaused);
  const used = others.reduce((sum, source) => sum + fetchesAnHour(source), 0);
  const wanted = Math.ceil(used + fetchesAnHour(asked));
  if (wanted > most)
    throw limitReached(
      'source_fetches_per_hour',
      `With this source the account would make ${wanted} fetches an hour, and its limit is ${most}. Set a longer \`every\`, or pause a source.`,
      { support, details: { limit: most, used: Math.ceil(used) } },
    );
}

/** At the shortest interval. Each of its addresses is fetched. */
export const fetchesAnHour = ({ options, everyMs }: Pick<AskedSource, 'options' | 'everyMs'>): number => {
  const lists = Object.values(options).filter((value) => Array.isArray(value));
  const addresses = Math.max(1, ...lists.map(({ length }) => length));
  return (addresses * HOUR_MS) / everyMs;
};

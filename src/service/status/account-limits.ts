/** The limits of an account, with what is used of them, as Status shows them. */
import { z } from 'zod';
import type { Account, AccountLimit } from '../../domain/account.ts';
import type { Platform } from '../../domain/platform.ts';
import { ANSWERS_OF_ACCOUNT } from '../../store/nouns/answers.ts';
import { isLive } from '../agents/subscription-terms.ts';
import {
  ACCOUNT_LIMITS,
  type LimitCode,
  limitOf,
  MAX_ACCOUNT_SUBSCRIPTIONS,
  MAX_AGENT_SUBSCRIPTIONS,
  MAX_EXPORTS,
  MAX_FEEDS,
  MAX_GRANTS,
  MAX_KEYS,
  MAX_MAIL_CONFIRMATIONS,
  MAX_REHEARSALS,
  MAX_SILENCES,
  MAX_VIEWS,
  MAX_WAITING_PREVIEWS,
  MAX_WAITS,
  MAX_WEBHOOKS,
} from '../limits.ts';
import type { StatusRoom } from './room.ts';

const CODES = Object.keys(ACCOUNT_LIMITS) as LimitCode[];

export const accountLimits = z
  .array(
    z.object({
      code: z.enum(CODES).describe('As in `details.limit_code` of the error.'),
      limit: z.number().nullable().describe('Null if there is no limit.'),
      used: z.number().nullable().describe('Null if that is not counted for Status.'),
    }),
  )
  .describe('The limits of the account.');

/** Limits that are not the account's own: those of an address or a host, and of an upstream, which `platforms` shows. */
type Elsewhere = 'wrong_secrets' | 'feed_requests' | 'upstream_rules' | 'challenges';

export async function limitsOf(
  context: StatusRoom,
  account: Account,
  rules: Partial<Record<Platform, number>>,
): Promise<z.input<typeof accountLimits>> {
  const { store, clock, settings, live, deliveryLimits, matchSignals, pushedBytes, quotas } = context;
  const { streams } = deliveryLimits;
  const own = (code: AccountLimit) => limitOf({ waits: MAX_WAITS, ...settings.limits, streams }, account, code);
  const [keys, webhooks, grants, subscriptions, feeds, rehearsals, views, sources, quota] = await Promise.all([
    store.keys(account.id),
    store.webhooks(account.id),
    store.grants(account.id, clock.now()),
    store.subscriptions(account.id),
    store.sharedFeeds(account.id),
    store.rehearsals(account.id, MAX_REHEARSALS.kept),
    store.views(account.id),
    store.countSources(account.id),
    quotas.used(account),
  ]);
  const pushed = pushedBytes.used(account.id);
  const sourceUse = (await store.sourceUse([account.id], clock.now())).get(account.id);
  const shown: Record<Exclude<LimitCode, Elsewhere>, [limit: number | undefined, used?: number]> = {
    requests_per_key: [own('requests_per_key')],
    requests_per_account: [own('requests_per_account')],
    cpu_ms_per_minute: [own('cpu_ms_per_minute')],
    pushed_bytes_per_minute: [own('pushed_bytes_per_minute'), pushed.minute],
    pushed_bytes_per_day: [own('pushed_bytes_per_day'), pushed.day],
    matches_per_day: [own('matches_per_day'), quota.matches_per_day],
    stored_bytes: [own('stored_bytes'), quota.stored_bytes],
    sources: [own('sources'), sources],
    source_fetches_per_hour: [own('source_fetches_per_hour'), sourceUse?.fetches ?? 0],
    source_bytes_per_day: [own('source_bytes_per_day'), sourceUse?.bytes ?? 0],
    source_interval_seconds: [own('source_interval_seconds')],
    x_rules: [account.xRules, rules.x ?? 0],
    firehose_rules: [own('firehose_rules'), rules.firehose ?? 0],
    x_budget: [account.xBudget ?? settings.limits?.xBudget],
    keys: [MAX_KEYS, keys.length],
    webhooks: [MAX_WEBHOOKS, webhooks.length],
    feeds: [MAX_FEEDS, feeds.length],
    views: [MAX_VIEWS, views.length],
    silences: [MAX_SILENCES, (await store.silences(account.id, clock.now())).length],
    connected_agents: [MAX_GRANTS, grants.length],
    subscriptions: [MAX_ACCOUNT_SUBSCRIPTIONS, subscriptions.filter((one) => isLive(one, clock.now())).length],
    subscriptions_per_agent: [MAX_AGENT_SUBSCRIPTIONS],
    mail_confirmations: [MAX_MAIL_CONFIRMATIONS],
    idempotency_keys: [ANSWERS_OF_ACCOUNT],
    streams: [own('streams'), live.count(account.id)],
    waits: [own('waits'), matchSignals.countOf(account.id)],
    previews_waiting: [MAX_WAITING_PREVIEWS],
    exports: [MAX_EXPORTS],
    rehearsals: [MAX_REHEARSALS.unfinished, rehearsals.filter(({ endedAt }) => endedAt === undefined).length],
  };
  return Object.entries(shown).map(([code, [limit, used]]) => ({
    code: code as LimitCode,
    limit: limit ?? null,
    used: used ?? null,
  }));
}

/**
 * Writes the audit log's entry of a change: who made it, and the fields that differ. An entry has no secret, and
 * nothing of a key but its name.
 */
import { shownAddress } from '../../delivery/webhooks/addresses.ts';
import type { Account, AccountLimitChange, Grant, Key } from '../../domain/account.ts';
import type { Change } from '../../domain/change.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { NO_ALERTS, type Rule, type RuleFlags } from '../../domain/rule.ts';
import type { Webhook } from '../../domain/webhook.ts';

export type ChangedBy = Change['by'];
type ChangeFields = NonNullable<Change['after']>;

export const OPERATOR: ChangedBy = { kind: 'operator' };
export const SYSTEM: ChangedBy = { kind: 'system' };

interface ChangingCaller {
  readonly key: Key;
  readonly session?: string;
  readonly grant?: unknown;
}

/** An agent with a token has the id and the name of its grant. */
export const byCaller = ({ key, session, grant }: ChangingCaller): ChangedBy => ({
  kind: grant !== undefined ? 'grant' : session !== undefined ? 'session' : 'key',
  keyId: key.id,
  keyName: key.name,
});

interface States {
  readonly before?: ChangeFields;
  readonly after?: ChangeFields;
}

/** An update has only the fields that differ; something that comes or goes has all of them. */
export function changeNote(
  at: Date,
  by: ChangedBy,
  what: Change['what'],
  id: string,
  { before, after }: States,
): Change {
  if (before === undefined || after === undefined) return { at, by, what, id, before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const only = (fields: ChangeFields) => Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return { at, by, what, id, before: only(before), after: only(after) };
}

interface RuleState {
  readonly name: string;
  readonly intent: string;
  readonly paused?: boolean;
  readonly alerts?: Rule['alerts'];
  readonly platforms: Partial<Record<Platform, { readonly value: string; readonly flags: RuleFlags }>>;
}

/** With a field for each platform, so that a change of one text shows that text alone. */
export const ruleFields = ({
  name,
  intent,
  paused = false,
  alerts = NO_ALERTS,
  platforms,
}: RuleState): ChangeFields => ({
  name,
  intent,
  paused,
  alerts,
  ...Object.fromEntries(
    PLATFORMS.flatMap((platform) => {
      const text = platforms[platform];
      return text === undefined ? [] : [[platform, { value: text.value, options: text.flags }]];
    }),
  ),
});

type WebhookState = Omit<Pick<Webhook, 'url' | 'description' | 'format' | 'status'>, 'ruleIds'> & {
  readonly [Name in 'ruleIds' | 'platforms' | 'every']: Webhook[Name] | null;
} & { readonly [Name in 'wake' | 'sources' | 'template' | 'notices']?: Webhook[Name] | null };

export const webhookFields = (webhook: WebhookState): ChangeFields => ({
  url: shownAddress(webhook.url),
  description: webhook.description,
  rule_ids: webhook.ruleIds ?? null,
  platforms: webhook.platforms ?? null,
  sources: webhook.sources ?? null,
  format: webhook.format,
  batch_ms: webhook.every ?? null,
  wake: webhook.wake ?? null,
  ...(webhook.template && { template: webhook.template }),
  ...(webhook.notices && { notices: webhook.notices }),
  status: webhook.status,
});

/** The address of a receiver may be a secret, as that of a webhook. */
export const subscriptionFields = ({ url, subscription }: Pick<Webhook, 'url' | 'subscription'>): ChangeFields => ({
  event: subscription?.event,
  arguments: JSON.parse(subscription?.arguments ?? '{}') as unknown,
  url: shownAddress(url),
});

export const keyFields = ({ name, scope, expiresAt }: Pick<Key, 'name' | 'scope' | 'expiresAt'>): ChangeFields => ({
  name,
  scope,
  expires_at: expiresAt?.toISOString() ?? null,
});

export const grantFields = ({ clientId, clientName, scopes, ruleIds, expiresAt }: Grant): ChangeFields => ({
  client_id: clientId,
  client_name: clientName,
  scopes,
  rule_ids: ruleIds ?? null,
  expires_at: expiresAt.toISOString(),
});

type AccountState = Pick<Account, 'name' | 'plan' | 'xRules' | 'limits' | 'suspended'> & {
  readonly [Name in 'xBudget' | 'xSpentIn']?: Account[Name] | null;
};

/** The account as it is after a change of its limits. */
export const withLimits = (account: Account, change: AccountLimitChange): Account => ({
  ...account,
  limits: Object.fromEntries(
    Object.entries({ ...account.limits, ...change }).filter(
      (one): one is [string, number | null] => one[1] !== 'usual',
    ),
  ),
});

export const accountFields = ({
  name,
  plan,
  xRules,
  xBudget,
  xSpentIn,
  limits = {},
  suspended,
}: AccountState): ChangeFields => ({
  name,
  plan,
  x_rules: xRules,
  x_budget: xBudget ?? null,
  x_budget_spent_in: xSpentIn ?? null,
  limits,
  suspended: suspended?.reason ?? null,
});

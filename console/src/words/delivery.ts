/** The states of webhooks, deliveries and subscriptions, and what they carry. */
import type { Delivery, Feed, Subscription, Webhook } from '../data/queries.ts';
import { counted } from '../ui/moment.ts';
import type { Shown } from './shown.ts';

export const WEBHOOK_STATES = {
  active: { words: 'Active', tone: 'ok', about: 'Matches are sent to it as they are stored.' },
  paused: { words: 'Paused', tone: 'warn', about: 'Nothing is sent to it. What it misses waits until you resume it.' },
  disabled: { words: 'Disabled', tone: 'bad', about: 'Nothing is sent to it until you enable it again.' },
} as const satisfies Record<Webhook['status'], Shown>;

/** Not a status of the API: a webhook or a subscription that is active, and whose attempts have all failed since a time. */
export const FAILING = { words: 'Failing', tone: 'bad', about: 'Every attempt to deliver has failed.' } as const;

const WITHOUT_RULES: Shown = {
  words: 'No rule left',
  tone: 'warn',
  about: 'Every rule that it is for was deleted. Restore one, or choose others.',
};

type ShownState = Pick<Webhook, 'failing_since' | 'rules_gone'>;

const shownState = ({ failing_since, rules_gone }: ShownState, active: Shown): Shown => {
  if (failing_since !== null) return FAILING;
  return rules_gone ? WITHOUT_RULES : active;
};

export const webhookShown = (webhook: ShownState & Pick<Webhook, 'status'>): Shown =>
  webhook.status === 'active' ? shownState(webhook, WEBHOOK_STATES.active) : WEBHOOK_STATES[webhook.status];

export const DELIVERY_STATES = {
  pending: { words: 'Pending', tone: 'warn', about: 'It waits for its next attempt.' },
  delivered: { words: 'Delivered', tone: 'ok', about: 'The receiver has taken it.' },
  failed: { words: 'Failed', tone: 'bad', about: 'All attempts have failed. Redeliver sends it again.' },
} as const satisfies Record<Delivery['status'], Shown>;

/** What a delivery carries, with the rule of its first match. */
export function carriedWords({ matches, first_match: first, notice }: Delivery): string {
  if (matches === 0) return notice === undefined ? 'A notice' : NOTICES[notice].words;
  const count = counted(matches, 'match', 'matches');
  return first === undefined ? count : `${first.rule_name} · ${count}`;
}

export const NOTICES = {
  alert: { words: 'An alert', tone: 'warn', about: 'A rule surges, has gone quiet, or does so no longer.' },
  head: {
    words: 'The head of the log of certificates',
    tone: 'neutral',
    about: 'Its receiver is a witness of the log.',
  },
  gap: { words: 'A gap', tone: 'warn', about: 'Matches may be missing from its beginning on.' },
  webhook_failing: {
    words: 'A webhook fails',
    tone: 'bad',
    about: 'Another webhook of the account fails. What it misses is tried again.',
  },
  webhook_disabled: {
    words: 'A webhook was disabled',
    tone: 'bad',
    about: 'Another webhook of the account gets nothing until it is enabled again.',
  },
  wake_expired: {
    words: 'Nobody acknowledged',
    tone: 'warn',
    about: 'An agent has not said within a day that it was woken.',
  },
  budget_near: {
    words: 'A budget is nearly spent',
    tone: 'warn',
    about: 'Rules of its platform match nothing once it is spent.',
  },
  budget_spent: {
    words: 'A budget is spent',
    tone: 'bad',
    about: 'Rules of its platform match nothing until the month is over or the budget is raised.',
  },
  budget_restored: { words: 'A budget has room again', tone: 'neutral', about: 'Rules of its platform match again.' },
  limit_near: { words: 'A limit is near', tone: 'warn', about: 'The account has used most of what it may.' },
  limit_reached: { words: 'A limit is reached', tone: 'bad', about: 'What goes beyond it is refused.' },
  limit_cleared: { words: 'A limit has room again', tone: 'neutral', about: 'Nothing is refused for it any more.' },
  token_refused: {
    words: 'A token was refused',
    tone: 'bad',
    about: 'A platform refuses its token. The operator is told.',
  },
  rules_gone: {
    words: 'No rule is left',
    tone: 'warn',
    about: 'Every rule that a webhook or a feed is for was deleted.',
  },
  rules_back: { words: 'Rules are back', tone: 'neutral', about: 'A webhook or a feed has a rule again.' },
  source_failing: { words: 'A source fails', tone: 'bad', about: 'Sluice goes on trying to read it.' },
  source_moved: { words: 'A source has moved', tone: 'warn', about: 'It answers that it is at another address.' },
  source_recovered: { words: 'A source answers again', tone: 'neutral', about: 'It is read as before.' },
} as const satisfies Record<NonNullable<Delivery['notice']>, Shown>;

export const SUBSCRIPTION_STATES = {
  active: { words: 'Active', tone: 'ok', about: 'The agent is notified of these events.' },
  ended: { words: 'Ended', tone: 'neutral', about: 'The agent is no longer notified of these events.' },
} as const satisfies Record<Subscription['status'], Shown>;

export const subscriptionShown = (subscription: Subscription): Shown =>
  subscription.status === 'active'
    ? shownState(subscription, SUBSCRIPTION_STATES.active)
    : SUBSCRIPTION_STATES[subscription.status];

export const SUBSCRIBED_EVENTS = {
  'match.created': { words: 'New match', tone: 'neutral', about: 'A match was stored.' },
  'story.created': { words: 'New story', tone: 'neutral', about: 'The first match of a story was stored.' },
  'alert.raised': { words: 'Alert', tone: 'neutral', about: 'A rule surges or is silent.' },
  'gap.opened': { words: 'Gap', tone: 'neutral', about: 'Matches may be missing from now on.' },
} as const satisfies Record<Subscription['event'], Shown>;

export const WEBHOOK_EVENTS = {
  match: { words: 'Matches', tone: 'neutral', about: 'Matches of the chosen rules.' },
  alert: { words: 'Alerts', tone: 'neutral', about: 'Surges of the chosen rules, and rules that have gone quiet.' },
  head: {
    words: 'Log of certificates',
    tone: 'neutral',
    about: 'Each new head of the log, so that its receiver is a witness.',
  },
  operational: {
    words: 'Notices',
    tone: 'neutral',
    about: 'What the owner should act on: sources and webhooks that fail, budgets, limits.',
  },
} as const satisfies Record<Webhook['events'][number], Shown>;

export const NOTICE_KINDS = {
  source: { words: 'Sources', tone: 'neutral', about: 'A source fails, answers again, or has moved.' },
  limit: { words: 'Limits and budgets', tone: 'neutral', about: 'One is nearly used up, used up, or has room again.' },
  webhook: { words: 'Other webhooks', tone: 'neutral', about: 'One fails, is disabled, or nobody took what it sent.' },
  rules: { words: 'Deleted rules', tone: 'neutral', about: 'A webhook or a feed has no rule left, or has it back.' },
  silence: { words: 'Rules gone quiet', tone: 'neutral', about: 'A watched rule finds nothing for unusually long.' },
  upstream: { words: 'Refused tokens', tone: 'neutral', about: 'A platform refuses its token. The operator is told.' },
} as const satisfies Record<NonNullable<NonNullable<Webhook['notices']>['kinds']>[number], Shown>;

export const FORMATS = {
  json: { words: 'JSON', tone: 'neutral', about: 'For programs: the matches as the API answers them.' },
  slack: { words: 'Slack message', tone: 'neutral', about: 'For a Slack channel.' },
  discord: { words: 'Discord message', tone: 'neutral', about: 'For a Discord channel.' },
  telegram: { words: 'Telegram message', tone: 'neutral', about: 'For a Telegram chat, sent by your bot.' },
  ntfy: { words: 'ntfy notification', tone: 'neutral', about: 'For the phones that follow an ntfy topic.' },
  teams: { words: 'Microsoft Teams card', tone: 'neutral', about: 'For a Teams channel, sent by a workflow.' },
  matrix: { words: 'Matrix message', tone: 'neutral', about: 'For a Matrix room.' },
  email: { words: 'E-mail', tone: 'neutral', about: 'For a mailbox whose owner agreed.' },
  cloudevents: {
    words: 'CloudEvents, structured',
    tone: 'neutral',
    about: 'For programs: one CloudEvent in each body.',
  },
  'cloudevents-binary': {
    words: 'CloudEvents, binary',
    tone: 'neutral',
    about: 'For programs: the match in the body, the attributes of its CloudEvent in headers.',
  },
  'cloudevents-batch': {
    words: 'CloudEvents, in batches',
    tone: 'neutral',
    about: 'For programs: a list of CloudEvents in each body.',
  },
  ndjson: {
    words: 'NDJSON objects',
    tone: 'neutral',
    about: 'For a bucket: objects by the hour, a match in each line.',
  },
  parquet: {
    words: 'Parquet objects',
    tone: 'neutral',
    about: 'For a bucket: objects by the hour, for DuckDB and others.',
  },
  wake: {
    words: 'Notifications',
    tone: 'neutral',
    about: 'For agents: how many matches of which rules, and the newest, in at most 600 tokens.',
  },
  a2a: {
    words: 'A2A notifications',
    tone: 'neutral',
    about: 'For agents: a notification as an update of a task, as A2A has it.',
  },
} as const satisfies Record<Webhook['format'], Shown>;

export const FEED_CONTENTS = {
  matches: { words: 'Matches', tone: 'neutral', about: 'Each match is an entry.' },
  stories: { words: 'Stories', tone: 'neutral', about: 'Matches that tell the same are one entry, which is updated.' },
} as const satisfies Record<Feed['what'], Shown>;

export const WAKE_UNITS = {
  match: { words: 'every match', tone: 'neutral', about: 'Each match counts.' },
  story: { words: 'the first match of a story', tone: 'neutral', about: 'Further matches of a story do not count.' },
} as const satisfies Record<Wake['per'], Shown>;

const day = (words: string): Shown => ({ words, tone: 'neutral', about: 'Quiet hours begin on this day.' });

export const WEEKDAYS = {
  sun: day('Sunday'),
  mon: day('Monday'),
  tue: day('Tuesday'),
  wed: day('Wednesday'),
  thu: day('Thursday'),
  fri: day('Friday'),
  sat: day('Saturday'),
} as const satisfies Record<NonNullable<NonNullable<Wake['quiet']>['days']>[number], Shown>;

export const DISTINCT = {
  author: { words: 'authors', tone: 'neutral', about: 'Matches of one author count once.' },
  site: { words: 'sites', tone: 'neutral', about: 'Matches of one site count once.' },
  source: { words: 'sources', tone: 'neutral', about: 'Matches of one source count once.' },
} as const satisfies Record<NonNullable<NonNullable<Wake['when']>['distinct']>, Shown>;

type Wake = NonNullable<Webhook['wake']>;

/** The concerns that need a person's attention, in sentences with one button each. Pure. */
import type { Alert, Platform, Rule, Status, Webhook } from '../data/queries.ts';
import { alertWords } from '../rule/alert-words.ts';
import { stateNameOf, stateOf } from '../rules/rule-state.ts';
import { type Gap, isNearBudget, isUnfed, lasting, type PlatformStatus, troublesOf } from '../status/health.ts';
import { counted, figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { serverNow } from '../ui/server-now.ts';
import { nameOf } from '../webhooks/webhook-names.ts';
import { causeWords, reasonWords } from '../words/coverage.ts';
import { LIMITS, limitTone } from '../words/limits.ts';
import { NOT_READY_STATES, WARNINGS } from '../words/platform-states.ts';
import { RULE_STATES } from '../words/rules.ts';

/** The page that the button leads to. `retry` acts at once: it sends again what a webhook has missed. */
export type Remedy =
  | { readonly kind: 'page'; readonly label: string; readonly to: '/settings' | '/connect' }
  | { readonly kind: 'health'; readonly label: string; readonly card: HealthCard }
  | { readonly kind: 'timeline'; readonly label: string; readonly from: string; readonly to: string }
  | { readonly kind: 'rule'; readonly label: string; readonly ruleId: string; readonly tab?: 'edit' }
  | { readonly kind: 'rules'; readonly label: string; readonly state: string }
  | { readonly kind: 'webhook'; readonly label: string; readonly webhookId: string }
  | { readonly kind: 'retry'; readonly label: string; readonly webhook: Webhook };

/** A card of Health, by its place on the page. */
export type HealthCard = 'service' | Platform;

export interface Concern {
  readonly id: string;
  readonly tone: 'bad' | 'warn' | 'neutral';
  readonly words: string;
  /** Since when, where that is known. */
  readonly since?: string;
  readonly remedy: Remedy;
}

const NAMES: readonly Platform[] = ['x', 'firehose'];

const detailsAt = (card: HealthCard): Remedy => ({ kind: 'health', label: 'Details', card });

/** The worst first. */
export function concernsOf(
  status: Status | undefined,
  webhooks: readonly Webhook[] = [],
  rules: readonly Rule[] = [],
  alerts: readonly Alert[] = [],
): Concern[] {
  const found = [
    ...(status === undefined ? [] : [...serverConcerns(status), ...limitConcerns(status)]),
    ...NAMES.flatMap((name) => platformConcerns(name, status?.platforms[name])),
    ...demoConcerns(status?.platforms),
    ...webhooks.flatMap(webhookConcerns),
    ...ruleConcerns(rules),
    ...pausedConcerns(rules),
    ...alertConcerns(alerts, rules),
  ];
  return found.toSorted((one, other) => ORDER.indexOf(one.tone) - ORDER.indexOf(other.tone));
}

const ORDER: readonly Concern['tone'][] = ['bad', 'warn', 'neutral'];

/** Whether Health deserves its dot: something is wrong, and not merely empty or a demo. */
export const isTrouble = ({ tone }: Concern): boolean => tone !== 'neutral';

const SERVICE = detailsAt('service');

function serverConcerns({ ready, instance }: Status): Concern[] {
  const codes = instance?.not_ready ?? [];
  if (codes.length > 0)
    return codes.map((code) => ({ id: code, tone: 'bad', words: NOT_READY_STATES[code].about, remedy: SERVICE }));
  if (!ready) return [{ id: 'not-ready', tone: 'bad', words: 'The server is not ready.', remedy: SERVICE }];
  const warnings = instance?.warnings ?? [];
  return warnings.map((code) => ({ id: code, tone: 'warn', words: WARNINGS[code].about, remedy: SERVICE }));
}

function limitConcerns({ limits }: Status): Concern[] {
  return limits.flatMap((one): Concern[] => {
    const tone = limitTone(one);
    if (tone === 'neutral') return [];
    const { words, about } = LIMITS[one.code];
    const sentence = `${words}: ${figure(one.used!)} of ${figure(one.limit!)}. ${about}`;
    return [
      { id: `limit-${one.code}`, tone, words: sentence, remedy: { kind: 'page', label: 'Details', to: '/settings' } },
    ];
  });
}

function platformConcerns(name: Platform, platform: PlatformStatus | undefined): Concern[] {
  if (platform === undefined) return [];
  const where = PLATFORM_NAMES[name];
  const open = platform.gaps.find(({ to, rule_id }) => to === null && rule_id === undefined);
  const troubles = troublesOf(platform, name).map(
    (words): Concern => troubleOf(name, `${name} ${words}`, `${where}: ${words}`, open),
  );
  const isDown = platform.state === 'stalled' || platform.state === 'degraded';
  if (troubles.length === 0 && (isDown || open !== undefined)) {
    const why = open === undefined ? 'It does not work as it should.' : causeWords(open.cause, name);
    troubles.push(troubleOf(name, `${name} down`, `${where}: ${why}`, open));
  }
  return [
    ...troubles,
    ...gapConcerns(name, platform),
    ...budgetConcerns(name, where, platform),
    ...feedConcerns(name, where, platform),
  ];
}

const DAY = 86_400_000;

/** Events of the last day that are missing for good. Gaps of a single rule, such as a paused one, are shown with it. */
function gapConcerns(name: Platform, { gaps }: PlatformStatus): Concern[] {
  const lost = gaps.filter(
    ({ to, recovered, rule_id }) =>
      !recovered && to !== null && rule_id === undefined && Date.parse(to) > serverNow() - DAY,
  );
  const [last] = lost;
  if (last === undefined) return [];
  const total = lost.reduce((sum, { from, to }) => sum + Date.parse(to!) - Date.parse(from), 0);
  const words = `${PLATFORM_NAMES[name]}: ${lasting(total)} of the last 24 hours are missing. ${causeWords(last.cause, name)}`;
  return [{ id: `${name} gap`, tone: 'warn', words, remedy: timelineOf(lost) }];
}

/** How much of the time before and after gaps is shown with them. */
const AROUND = 10 * 60_000;

function timelineOf(gaps: readonly Gap[]): Remedy {
  const from = Math.min(...gaps.map((gap) => Date.parse(gap.from))) - AROUND;
  const to = Math.min(serverNow(), Math.max(...gaps.map((gap) => Date.parse(gap.to!))) + AROUND);
  return { kind: 'timeline', label: 'Timeline', from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

const troubleOf = (name: Platform, id: string, words: string, gap: Gap | undefined): Concern => ({
  id,
  tone: 'bad',
  words,
  ...(gap !== undefined && { since: gap.from }),
  remedy: detailsAt(name),
});

/** A spent budget is among the troubles already. */
function budgetConcerns(name: Platform, where: string, platform: PlatformStatus): Concern[] {
  const { usage } = platform;
  if (!isNearBudget(platform) || usage == null || usage.budget === null || usage.cost >= usage.budget) return [];
  const share = Math.floor((100 * usage.cost) / usage.budget);
  const words = `${where}: ${share} % of this month's budget are used. When all of it is, your rules are paused until the next month.`;
  return [{ id: `${name} budget`, tone: 'warn', words, remedy: { kind: 'health', label: 'Cost', card: name } }];
}

const EVENTS_IN = { kind: 'page', label: 'How events get in', to: '/connect' } as const;

function feedConcerns(name: Platform, where: string, platform: PlatformStatus): Concern[] {
  const { reasons } = platform.coverage;
  if (reasons.includes('no_feed'))
    return [
      {
        id: `${name} no_feed`,
        tone: 'neutral',
        words: `${where}: ${reasonWords('no_feed', { isUnfed: isUnfed([platform]) })} Nothing can match there.`,
        remedy: EVENTS_IN,
      },
    ];
  return [];
}

/** One line, on however many platforms it plays. */
function demoConcerns(platforms: Status['platforms'] = {}): Concern[] {
  const played = NAMES.filter((name) => platforms[name]?.coverage.reasons.includes('demo'));
  if (played.length === 0) return [];
  const words = `${played.map((name) => PLATFORM_NAMES[name]).join(' and ')}: all events are invented by the demo feed.`;
  return [{ id: 'demo', tone: 'neutral', words, remedy: EVENTS_IN }];
}

function webhookConcerns(webhook: Webhook): Concern[] {
  const name = nameOf(webhook);
  if (webhook.status === 'disabled') {
    const words = `Webhook “${name}” is disabled, so nothing is sent to it. ${webhook.reason ?? ''}`.trim();
    return [{ id: webhook.id, tone: 'bad', words, remedy: { kind: 'webhook', label: 'Open', webhookId: webhook.id } }];
  }
  if (webhook.status === 'active' && webhook.rules_gone) {
    const words = `Webhook “${name}”: every rule that it is for was deleted, so nothing is sent to it.`;
    return [{ id: webhook.id, tone: 'warn', words, remedy: { kind: 'webhook', label: 'Open', webhookId: webhook.id } }];
  }
  if (webhook.status === 'paused') {
    const words = `Webhook “${name}” is paused, so nothing is sent to it.`;
    return [
      { id: webhook.id, tone: 'neutral', words, remedy: { kind: 'webhook', label: 'Open', webhookId: webhook.id } },
    ];
  }
  if (webhook.failing_since === null) return [];
  const words = `Webhook “${name}”: every attempt to deliver has failed.`;
  return [
    {
      id: webhook.id,
      tone: 'bad',
      words,
      since: webhook.failing_since,
      remedy: { kind: 'retry', label: 'Try now', webhook },
    },
  ];
}

/** Rules that should run and do not. Few are named one by one. */
function ruleConcerns(rules: readonly Rule[]): Concern[] {
  const broken = { failed: [] as Rule[], missing: [] as Rule[], over_budget: [] as Rule[], dead: [] as Rule[] };
  for (const rule of rules) {
    const name = stateNameOf(rule);
    if (name === 'failed' || name === 'missing' || name === 'over_budget' || name === 'dead') broken[name].push(rule);
  }
  return (Object.keys(broken) as (keyof typeof broken)[]).flatMap((name): Concern[] => {
    const found = broken[name];
    const [first] = found;
    if (first === undefined) return [];
    if (found.length > 1) {
      const words = `${counted(found.length, 'rule')} do not run: ${RULE_STATES[name].words.toLowerCase()}.`;
      return [{ id: name, tone: 'bad', words, remedy: { kind: 'rules', label: 'Show them', state: name } }];
    }
    const trouble = name === 'dead' ? 'can never match' : 'does not run';
    const words = `Rule “${first.name}” ${trouble}. ${stateOf(first).reason ?? ''}`.trim();
    return [
      { id: first.id, tone: 'bad', words, remedy: { kind: 'rule', label: 'Open rule', ruleId: first.id, tab: 'edit' } },
    ];
  });
}

/** Single paused rules are as somebody wants them. Where all are, nothing new is found at all. */
function pausedConcerns(rules: readonly Rule[]): Concern[] {
  if (rules.length === 0 || !rules.every(({ paused }) => paused)) return [];
  const words = rules.length === 1 ? 'Your rule is paused' : `All ${counted(rules.length, 'rule')} are paused`;
  return [
    {
      id: 'paused',
      tone: 'neutral',
      words: `${words}, so nothing new is found.`,
      remedy: { kind: 'rules', label: 'Show them', state: 'paused' },
    },
  ];
}

/** Surges and silences that last. */
function alertConcerns(alerts: readonly Alert[], rules: readonly Rule[]): Concern[] {
  const open = alerts.filter(({ to }) => to === null);
  if (open.length === 0) return [];
  const names = new Map(rules.map(({ id, name }) => [id, name]));
  return open
    .filter(({ rule_id }) => names.has(rule_id))
    .map((alert) => ({
      id: alert.id,
      tone: 'warn',
      words: `Rule “${names.get(alert.rule_id)}”: ${alertWords(alert)}`,
      since: alert.from,
      remedy: { kind: 'rule', label: 'Open rule', ruleId: alert.rule_id },
    }));
}

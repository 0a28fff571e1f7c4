/** Looks at a slice of watches: at those that had matches just now, and at those that are due. */
import { newId } from '../../base/ids.ts';
import { alertDeliveries } from '../../delivery/webhooks/notices.ts';
import type { Alert } from '../../domain/rule.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { lookForSurge, outlookOf, quietOf } from '../../signal/surge.ts';
import type { AlertChange, MinuteOfRule, RuleWatch, Store, WatchChange } from '../../store/store.ts';
import type { CoverageAssessor } from '../coverage/coverage.ts';
import { createHearings, type Hearing } from './hearing.ts';
import { baselineOf, HOURS_AT_ONCE, learn, readNow, SETTLE_MS, type WatchNow, writeNow, writePast } from './learn.ts';
import { lookAt } from './look.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/**
 * The running hour is read too, for its last match. It comes after the hours that one step learns, and after one that is still waited
 * for, which may be until more than an hour after its end.
 */
const HOURS_BEYOND = 3;
/** An alert that lasts is looked at this often; so is what waits for coverage. */
const AGAIN_MS = 5 * MINUTE;
const OFF = { surge: false, silence: false };

export interface SliceDeps {
  readonly store: Pick<Store, 'gaps' | 'minutesOf' | 'webhooks'>;
  readonly coverage: Pick<CoverageAssessor, 'of'>;
  /** Our public address, where it is known. */
  readonly server?: string | undefined;
}

/** A change of a watch with the alerts that it brings, as readers see them. */
export interface FoundAlerts {
  readonly change: WatchChange;
  readonly alerts: readonly Alert[];
  /** The alerts that begin with it. */
  readonly begun: readonly Alert[];
}

/** Watches whose rules had a match in a minute. Most have nothing to say, and cost no question to the store. */
export async function lookAtMatched(
  deps: SliceDeps,
  watches: readonly RuleWatch[],
  minute: number,
  at: number,
): Promise<FoundAlerts[]> {
  const hearings = createHearings(deps, at - HOUR, at);
  const webhooks = webhooksOf(deps);
  const found: FoundAlerts[] = [];
  for (const watch of watches) {
    if (watch.now === undefined || watch.pastVersion !== watch.version) continue;
    const now = readNow(watch.now);
    const windows = { minute: Math.floor(at / MINUTE), ten: watch.ten, sixty: watch.sixty };
    const isSurge = watch.alerts.surge && lookForSurge(now.outlook, windows)?.isSurge === true;
    if (!isSurge && now.surge === undefined && now.silence === undefined) continue;
    const hearing = await hearings.of(watch);
    const looked = lookAt({ watch, now, at, last: minute, hearing, newId: () => newId('alert', new Date(at)) });
    const text = writeNow(looked.now);
    if (text === watch.now) continue;
    const next = { dueAt: new Date(dueOf(watch, looked.now, at, minute)), now: text };
    found.push(await withAlerts({ ...deps, webhooks }, watch, next, looked.changes, at));
  }
  return found;
}

/** Watches that are due: hours that passed are learnt, then they are looked at. */
export async function lookAtDue(deps: SliceDeps, watches: readonly RuleWatch[], at: number): Promise<FoundAlerts[]> {
  const webhooks = webhooksOf(deps);
  const behind = watches.map((watch) => ({ watch, baseline: baselineOf(watch, at) }));
  const found: FoundAlerts[] = [];
  for (const [next, group] of Map.groupBy(behind, ({ baseline }) => baseline.next)) {
    const hearings = createHearings(deps, (next - 1) * HOUR, at);
    const minutes = await minutesByPlace(deps, group, next, at);
    for (const due of group) {
      const hearing = await hearings.of(due.watch);
      const { next: change, changes } = lookAtOneDue(due, minutes.get(placeOf(due.watch)) ?? [], hearing, at);
      found.push(await withAlerts({ ...deps, webhooks }, due.watch, change, changes, at));
    }
  }
  return found;
}

type Due = { readonly watch: RuleWatch; readonly baseline: ReturnType<typeof baselineOf> };
type Looked = Pick<WatchChange, 'next'> & { readonly changes: readonly AlertChange[] };

function lookAtOneDue(
  { watch, baseline }: Due,
  minutes: readonly MinuteOfRule[],
  hearing: Hearing,
  at: number,
): Looked {
  const before = watch.now === undefined ? undefined : readNow(watch.now);
  const isOff = !watch.alerts.surge && !watch.alerts.silence;
  const learnt = isOff ? { baseline, isBehind: false } : learn(baseline, minutes, hearing, at);
  const now: WatchNow = { ...before, outlook: outlookOf(learnt.baseline) };
  const { hour } = now.outlook;
  const last = lastOf(minutes, hour * 60);
  const past = writePast(learnt.baseline);
  if (learnt.isBehind) return { next: { dueAt: new Date(at), now: writeNow(now), past }, changes: [] };
  // A new text ends what lasts: the alert was about the old one.
  const isNew = watch.pastVersion !== watch.version && before !== undefined;
  const seen = isNew || isOff ? { ...watch, alerts: OFF } : watch;
  const looked = lookAt({ watch: seen, now, at, last, hearing, newId: () => newId('alert', new Date(at)) });
  if (isOff) return { next: undefined, changes: looked.changes };
  const dueAt = new Date(dueOf(watch, looked.now, at, last));
  return { next: { dueAt, now: writeNow(looked.now), past }, changes: looked.changes };
}

/** When the hour is over, when silence would be unusual, or soon, while something lasts or is waited for. */
function dueOf(
  { alerts }: Pick<RuleWatch, 'alerts'>,
  { outlook, surge, silence }: WatchNow,
  at: number,
  last: number | undefined,
): number {
  const hourEnds = (outlook.hour + 1) * HOUR + SETTLE_MS;
  const quiet = alerts.silence && silence === undefined ? quietOf(outlook, last)?.until : undefined;
  const times = [hourEnds, ...(quiet === undefined ? [] : [quiet * MINUTE])];
  if (surge !== undefined || silence !== undefined) times.push(at + AGAIN_MS);
  return Math.min(...times.map((time) => (time <= at ? at + AGAIN_MS : time)));
}

const lastOf = (minutes: readonly MinuteOfRule[], from: number): number | undefined =>
  minutes.reduce<number | undefined>(
    (last, { minute }) => (minute >= from && minute > (last ?? -1) ? minute : last),
    undefined,
  );

const placeOf = ({ rule, platform }: Pick<RuleWatch, 'rule' | 'platform'>): string => `${rule} ${platform}`;

async function minutesByPlace(
  { store }: SliceDeps,
  group: readonly Due[],
  next: number,
  at: number,
): Promise<Map<string, MinuteOfRule[]>> {
  const places = group.map(({ watch: { rule, platform } }) => ({ rule, platform }));
  const to = Math.min((next + HOURS_AT_ONCE + HOURS_BEYOND) * 60, Math.floor(at / MINUTE) + 1);
  const rows = to <= (next - 1) * 60 ? [] : await store.minutesOf(places, (next - 1) * 60, to);
  return Map.groupBy(rows, placeOf);
}

/** The webhooks of each account are read once, and only when there is something to tell. */
function webhooksOf({ store }: SliceDeps): (accountId: string) => Promise<Webhook[]> {
  const known = new Map<string, Promise<Webhook[]>>();
  return (accountId) => {
    const webhooks = known.get(accountId) ?? store.webhooks(accountId);
    known.set(accountId, webhooks);
    return webhooks;
  };
}

async function withAlerts(
  { webhooks, server }: Pick<SliceDeps, 'server'> & { webhooks: (accountId: string) => Promise<Webhook[]> },
  watch: RuleWatch,
  next: WatchChange['next'],
  changes: readonly AlertChange[],
  at: number,
): Promise<FoundAlerts> {
  const { accountId, ruleId, ruleName, platform } = watch;
  const alerts = changes.map((change): Alert => ({ accountId, ruleId, ruleName, platform, ...change }));
  const before = watch.now === undefined ? undefined : readNow(watch.now);
  const begun = alerts.filter(({ id, to }) => to === undefined && before?.surge?.id !== id);
  // A surge that grew is no news for a webhook.
  const told = alerts.filter((alert) => alert.to !== undefined || begun.includes(alert));
  const receivers = told.length === 0 ? [] : await webhooks(accountId);
  const deliveries = told.flatMap((alert) => alertDeliveries(receivers, alert, new Date(at), server));
  return { change: { watch, next, alerts: changes, deliveries }, alerts, begun };
}

/** The events of a time as lanes on one axis, and in sentences. Pure. */
import type { Alert, Change, ListedSource, Platform, Silence, Status, Webhook, WebhookStats } from '../data/queries.ts';
import { alertWords } from '../rule/alert-words.ts';
import { changeWords } from '../settings/change-words.tsx';
import { lasting } from '../status/health.ts';
import { counted } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { nameOf } from '../webhooks/webhook-names.ts';
import { CHANGED_BY } from '../words/access.ts';
import { coverageLanes, gapSpan, gapsWithin, listedSince } from './coverage-lanes.ts';
import type { TimelineRow, TimelineSpan } from './lanes.tsx';
import type { Range } from './range.ts';

export interface Known {
  readonly status: Status;
  readonly sources: readonly ListedSource[];
  readonly names: ReadonlyMap<string, string>;
  readonly alerts: readonly Alert[];
  /** The changes of rules and silences, in the shown time and before it. */
  readonly changes: readonly Change[];
  readonly silences: readonly Silence[];
  readonly deliveries: readonly { readonly webhook: Webhook; readonly stats: WebhookStats | undefined }[];
  readonly now: number;
}

/** Rules with something to show. More would not be read; how many there are is said. */
const MOST_RULES = 12;

export function lanesOf(known: Known, range: Range): TimelineRow[] {
  return [
    ...coverageLanes(known.status, known.sources, { from: range.from, to: Math.min(range.to, known.now) }),
    ...spansByRule(known, range)
      .slice(0, MOST_RULES)
      .map(([ruleId, spans]) => ({
        name: known.names.get(ruleId) ?? 'A deleted rule',
        spans,
        words: sentence(spans),
      })),
    ...known.deliveries.flatMap((one) => deliveryLane(one)),
    ...budgetLane(known),
    ...silenceLane(known),
    ...serverLane(known),
  ].filter(({ spans }, at) => at < 2 || spans.some((span) => isWithin(span, range)));
}

const isWithin = ({ from, to }: Range, range: Range): boolean => to >= range.from && from < range.to;

/** How many rules have something to show and no lane. */
export const rulesWithoutLane = (known: Known, range: Range): number =>
  Math.max(0, spansByRule(known, range).length - MOST_RULES);

/** Gaps, surges, silences and versions, by rule: the worst comes first, and then those that most happened to. */
function spansByRule({ status, alerts, changes, now }: Known, range: Range): [ruleId: string, TimelineSpan[]][] {
  const byRule = new Map<string, TimelineSpan[]>();
  const add = (ruleId: string, span: TimelineSpan) => {
    if (isWithin(span, range)) byRule.set(ruleId, [...(byRule.get(ruleId) ?? []), span]);
  };
  for (const platform of Object.values(status.platforms))
    for (const gap of gapsWithin(platform.gaps, range.from, range.to))
      if (gap.rule_id !== undefined) add(gap.rule_id, { ...gapSpan(gap, now), href: ruleHref(gap.rule_id) });
  for (const alert of alerts)
    add(alert.rule_id, {
      from: Date.parse(alert.from),
      to: alert.to === null ? now : Date.parse(alert.to),
      tone: 'warn',
      words: alertWords(alert),
      href: ruleHref(alert.rule_id),
    });
  for (const change of changes.filter(({ what }) => what.startsWith('rule.')))
    add(change.id, { ...moment(change.at), words: changedBy(change), href: `${ruleHref(change.id)}?tab=history` });
  const worst = (spans: readonly TimelineSpan[]) => Math.min(...spans.map(({ tone }) => ORDER.indexOf(tone)));
  return [...byRule].toSorted(([, one], [, other]) => worst(one) - worst(other) || other.length - one.length);
}

const ruleHref = (ruleId: string): string => `#/rules/${encodeURIComponent(ruleId)}`;

const moment = (at: string) => ({ from: Date.parse(at), to: Date.parse(at), tone: 'note' as const });

const changedBy = (change: Change): string => {
  const { key_name, kind } = change.by;
  return `${changeWords(change)}, by ${CHANGED_BY[kind].words}${key_name === undefined ? '' : ` (${key_name})`}.`;
};

/** The words that are read aloud of a lane say what is seen in it. */
const sentence = (spans: readonly TimelineSpan[]): string =>
  spans.length === 0 ? 'Nothing.' : spans.map(({ words }) => words).join(' ');

/** Attempts that succeeded and failed. Buckets side by side of which the same is to be said are one span. */
function deliveryLane({ webhook, stats }: Known['deliveries'][number]): TimelineRow[] {
  if (stats === undefined) return [];
  const spans: (TimelineSpan & { attempts: Attempts })[] = [];
  for (const { start, delivered, failed } of stats.buckets) {
    if (delivered + failed === 0) continue;
    const from = Date.parse(start);
    const tone = failed === 0 ? 'ok' : delivered === 0 ? 'bad' : 'warn';
    const last = spans.at(-1);
    if (last !== undefined && last.tone === tone && last.to === from) {
      const attempts = sumOf(last.attempts, { delivered, failed });
      spans[spans.length - 1] = { ...last, attempts, to: from + stats.bucket_seconds * 1_000 };
    } else {
      const attempts = { delivered, failed };
      spans.push({ from, to: from + stats.bucket_seconds * 1_000, tone, words: '', attempts });
    }
  }
  const href = `#/connect/${encodeURIComponent(webhook.id)}`;
  const told = spans.map((span) => ({ ...span, href, words: attemptWords(span.attempts) }));
  return [{ name: nameOf(webhook), spans: told, words: sentence(told) }];
}

type Attempts = NonNullable<TimelineSpan['attempts']>;

const sumOf = (one: Attempts, other: Attempts): Attempts => ({
  delivered: one.delivered + other.delivered,
  failed: one.failed + other.failed,
});

function attemptWords({ delivered, failed }: Attempts): string {
  if (failed === 0) return `${counted(delivered, 'attempt')} to deliver succeeded.`;
  if (delivered === 0) return `${counted(failed, 'attempt')} to deliver failed.`;
  return `${counted(failed, 'attempt')} to deliver failed, and ${delivered} succeeded.`;
}

/** The silences that hold, and from the list of changes those that are over. */
function silenceLane({ silences, changes }: Known): TimelineRow[] {
  const ended = new Map(changes.filter(({ what }) => what === 'silence.deleted').map(({ id, at }) => [id, at]));
  const past = changes
    .filter(({ what, id }) => what === 'silence.created' && !silences.some(({ silence_id }) => silence_id === id))
    .flatMap(({ id, at, after }) => {
      const until = ended.get(id) ?? after?.['until'];
      const reason = after?.['reason'];
      if (typeof until !== 'string' || typeof reason !== 'string') return [];
      return [{ created_at: at, until, reason }];
    });
  const spans = [...silences, ...past].map(
    ({ created_at, until, reason }): TimelineSpan => ({
      from: Date.parse(created_at),
      to: Date.parse(until),
      tone: 'note',
      words: `Muted for ${lasting(Date.parse(until) - Date.parse(created_at))}: ${reason}`,
      href: '#/connect?to=silences',
    }),
  );
  return spans.length === 0 ? [] : [{ name: 'Muted', spans, words: sentence(spans) }];
}

/** How much of the month's budget is used, over the month; what it cost the account to be without is a gap of the platform. */
function budgetLane({ status: { platforms }, now }: Known): TimelineRow[] {
  const spans = Object.entries(platforms).flatMap(([name, { usage }]): TimelineSpan[] => {
    if (usage == null || usage.budget === null) return [];
    const share = usage.cost / usage.budget;
    const words = `${PLATFORM_NAMES[name as Platform]}: ${Math.floor(100 * share)} % of the budget of ${usage.month} are used.`;
    const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'ok';
    return [{ from: Date.parse(`${usage.month}-01T00:00:00Z`), to: now, tone, words, href: '#/health' }];
  });
  return spans.length === 0 ? [] : [{ name: 'Budget', spans, words: sentence(spans) }];
}

function serverLane({ status: { instance } }: Known): TimelineRow[] {
  if (instance === undefined) return [];
  const spans = [{ ...moment(instance.started_at), words: 'The server started.' }];
  return [{ name: 'Server', spans, words: sentence(spans) }];
}

export interface Happening extends TimelineSpan {
  /** The name of the lane that it is in. */
  readonly of: string;
}

const ORDER = ['bad', 'warn', 'note'];

/** The happenings of a time that are out of the ordinary, the worst first, and then by time. */
export const standingOut = (rows: readonly TimelineRow[], range: Range): Happening[] =>
  withoutRepeats(happeningsIn(rows, range).filter(({ tone }) => tone !== 'ok')).toSorted(
    (one, other) => ORDER.indexOf(one.tone) - ORDER.indexOf(other.tone) || one.from - other.from,
  );

/** A webhook that fails again and again is told of once, with all of its attempts. */
function withoutRepeats(happenings: readonly Happening[]): Happening[] {
  const told = new Map<string, Happening>();
  for (const one of happenings) {
    const key = one.attempts === undefined ? `${one.of} ${one.from} ${one.words}` : `${one.href} ${one.tone}`;
    const earlier = told.get(key);
    if (one.attempts === undefined || earlier?.attempts === undefined) told.set(key, one);
    else {
      const attempts = sumOf(earlier.attempts, one.attempts);
      told.set(key, { ...earlier, to: one.to, attempts, words: attemptWords(attempts) });
    }
  }
  return [...told.values()];
}

export const happeningsIn = (rows: readonly TimelineRow[], range: Range): Happening[] =>
  rows.flatMap(({ name, spans }) =>
    spans.filter((span) => isWithin(span, range)).map((span) => ({ ...span, of: name })),
  );

const clock = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

export const rangeWords = ({ from, to }: Range): string => `${clock.format(from)} to ${clock.format(to)}`;

/** How many matched, and whether that can be all: the answer to "why nothing last night?". */
export function verdictOf({ status, now }: Known, rows: readonly TimelineRow[], range: Range, total: number): string {
  const end = Math.min(range.to, now);
  const found = total === 0 ? 'Nothing matched' : `${counted(total, 'match', 'matches')} came`;
  const missed = rows
    .slice(0, 2)
    .filter(({ spans }) => spans.some((span) => span.tone === 'bad' && isWithin(span, range)));
  if (missed.length > 0)
    return `${found}, and more may be missing: ${missed.map(({ name, words }) => `${name}: ${words}`).join(' ')}`;
  const platforms = Object.entries(status.platforms);
  const unheard = platforms.filter(([, { coverage }]) => {
    const [since, through] = [Date.parse(coverage.complete_from ?? ''), Date.parse(coverage.complete_through ?? '')];
    return !(since <= range.from && through >= end - GRACE);
  });
  if (unheard.length > 0)
    return `${found}. Sluice did not hear from ${namesOf(unheard)} all of this time: where a bar is empty, more may have matched.`;
  const unlisted = platforms.filter(([, { gaps }]) => listedSince(gaps) > range.from);
  if (unlisted.length === 0) return `${found}. Sluice listened all the time.`;
  return `${found}. Whether Sluice listened to ${namesOf(unlisted)} all the time is not known: only the newest gaps are on the list.`;
}

const namesOf = (platforms: readonly (readonly [string, unknown])[]): string =>
  platforms.map(([name]) => PLATFORM_NAMES[name as Platform]).join(' and ');

/** A feed that is only asked now and then is behind by this much. */
const GRACE = 10 * 60_000;

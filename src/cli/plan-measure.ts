/** Measures what a plan would have done to the recent events of the server, or says that it is not known. */
import type { Answer, Client } from '../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { counted, out, plain } from './output.ts';
import { ruleTexts } from './rule-file.ts';
import type { PlannedChange } from './rule-plan.ts';

/** Each is a walk through the recent events. Further changes are not measured, and the plan says so. */
const MOST_MEASURED = 50;
/** Events shown of each side. */
const SHOWN = 4;

type Preview = NonNullable<Answer<'previewRule'>['platforms']['x']>;

export interface MeasuredSide {
  readonly events: number;
  /** Null where the recent events give no rate. */
  readonly a_day: number | null;
  /** The newest of them, in a line each. */
  readonly samples: readonly string[];
}

export interface MeasuredText {
  readonly platform: Platform;
  /** Absent: not known, and `reason` says why. */
  readonly measured?: {
    readonly recent_events: number;
    readonly from: string | null;
    readonly to: string | null;
    readonly basis: Preview['basis'];
    readonly added: MeasuredSide;
    readonly removed: MeasuredSide;
  };
  readonly reason?: string;
}

export type MeasuredPlan = ReadonlyMap<PlannedChange, readonly MeasuredText[]>;

export async function measurePlan(client: Client, changes: readonly PlannedChange[]): Promise<MeasuredPlan> {
  const measured = new Map<PlannedChange, MeasuredText[]>();
  let asked = 0;
  for (const change of changes) {
    const texts: MeasuredText[] = [];
    for (const platform of PLATFORMS) {
      const pair = pairOf(change, platform);
      if (pair === undefined) continue;
      if (isLimited(change)) texts.push({ platform, reason: 'the rule is limited to sources' });
      else if (asked++ < MOST_MEASURED) texts.push(await measureText(client, platform, pair));
      else texts.push({ platform, reason: `only the first ${MOST_MEASURED} texts are measured` });
    }
    if (texts.length > 0) measured.set(change, texts);
  }
  return measured;
}

/** A preview counts the events of all sources. */
const isLimited = (change: PlannedChange): boolean =>
  ('rule' in change && change.rule.sources !== undefined) ||
  ('entry' in change && change.entry.options?.sources !== undefined);

interface Side {
  readonly value: string;
  readonly options?: { firehose: object };
}

interface Pair {
  readonly before?: Side;
  readonly after?: Side;
}

/** Both sides of a platform, where they differ. A rule that rests matches nothing. */
function pairOf(change: PlannedChange, platform: Platform): Pair | undefined {
  const before =
    'rule' in change && !change.rule.paused
      ? sideOf(platform, ruleTexts(change.rule)[platform], change.rule.platforms.firehose?.options)
      : undefined;
  const after =
    change.action === 'delete' || change.entry.paused
      ? undefined
      : sideOf(platform, change.entry.overrides[platform], change.entry.options?.firehose);
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  return { ...(before && { before }), ...(after && { after }) };
}

/** Only texts for Firehose have flags. */
const sideOf = (platform: Platform, value: string | undefined, flags: object | undefined): Side | undefined =>
  value === undefined
    ? undefined
    : { value, ...(platform === 'firehose' && flags && { options: { firehose: flags } }) };

async function measureText(client: Client, platform: Platform, { before, after }: Pair): Promise<MeasuredText> {
  const asked = (after ?? before)!;
  const answer = await client.rules.preview({
    platforms: [platform],
    overrides: { [platform]: asked.value },
    ...(asked.options && { options: asked.options }),
    ...(before &&
      after && {
        instead_of: { overrides: { [platform]: before.value }, ...(before.options && { options: before.options }) },
      }),
    limit: SHOWN,
  });
  const found = answer.platforms[platform]!;
  if (found.events === 0) return { platform, reason: 'the server has no recent events' };
  if (found.difference === null) return { platform, reason: 'the present text is no longer valid' };
  const whole = sideToJson(found);
  const { added, removed } = found.difference
    ? { added: sideToJson(found.difference.added), removed: sideToJson(found.difference.removed) }
    : after
      ? { added: whole, removed: noneBeside(whole) }
      : { added: noneBeside(whole), removed: whole };
  const { events, from, to, basis } = found;
  return { platform, measured: { recent_events: events, from, to, basis, added, removed } };
}

const noneBeside = ({ a_day }: MeasuredSide): MeasuredSide => ({
  events: 0,
  a_day: a_day === null ? null : 0,
  samples: [],
});

const sideToJson = ({
  matched,
  rate_per_day,
  matches,
}: Pick<Preview, 'matched' | 'rate_per_day' | 'matches'>): MeasuredSide => ({
  events: matched,
  a_day: rate_per_day,
  samples: matches.slice(0, SHOWN).map(({ payload }) => textOf(payload)),
});

function textOf(payload: Record<string, unknown>): string {
  const { data, title, url } = payload as { data?: { text?: unknown }; title?: unknown; url?: unknown };
  return [data?.text, title, url].find((one) => typeof one === 'string') ?? '';
}

const BASES: Readonly<Record<Preview['basis'], string>> = {
  whole_stream: '',
  existing_rules: ' that existing rules caught; the number a day is not known',
  demo: ', all invented by the demo feed; the number a day is not known',
  too_short: ' of too short a time, or in a few bursts; the number a day is not known',
};

export function describeMeasured({ platform, measured, reason }: MeasuredText): string[] {
  if (measured === undefined) return [`    ${out.dim(`${platform}: not known: ${reason}`)}`];
  const { added, removed, basis, recent_events: events, from, to } = measured;
  const basedOn = `${counted(events, 'recent event')}${BASES[basis]}, from ${from} to ${to}`;
  const isRate = added.a_day !== null && removed.a_day !== null;
  const count = isRate
    ? `+${rounded(added.a_day)} / -${rounded(removed.a_day)} a day, measured on ${basedOn}`
    : `+${added.events} / -${removed.events} of ${basedOn}`;
  return [
    `    ${platform}: ${count}`,
    ...added.samples.map((text) => `      ${out.green(`+ ${plain(text, 100)}`)}`),
    ...removed.samples.map((text) => `      ${out.red(`- ${plain(text, 100)}`)}`),
  ];
}

const rounded = (rate: number): string => (rate === 0 || rate >= 10 ? String(Math.round(rate)) : rate.toPrecision(2));

/** The schema of a wake contract and of its account, and the conversion of our types to them. */
import { z } from 'zod';
import { type QuietHours, WAKE_UNITS, type WakeContract, WEEKDAYS } from '../../domain/wake.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { wakeAccountAt } from '../../wakes/decide.ts';
import { isZone } from '../../wakes/local-time.ts';
import type { Issue } from '../errors.ts';
import { ruleId, time } from '../shapes.ts';

const AT_MOST = /^([1-9]\d{0,5})\/(hour|day)$/;

const atMost = z
  .string()
  .regex(AT_MOST, { error: 'It must be a number from 1 to 999999 and a window, such as 20/hour or 5/day.' })
  .describe('The most matches that wake in an hour or a day of UTC, such as 20/hour or 5/day.');

const minRelevance = z
  .number()
  .min(0)
  .max(1)
  .describe(
    'Matches of less relevance are held. Those of unknown relevance wake. Where a match is `judged` by then, that decides.',
  );

const per = z
  .enum(WAKE_UNITS, { error: 'It must be `match` or `story`.' })
  .describe('`story`: a story wakes once; its further matches are held.');

const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const timeOfDay = z.string().regex(TIME_OF_DAY, { error: 'It must be a time of day such as 07:00 or 22:30.' });
const endOfHours = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: 'It must be a time of day such as 07:00, or 24:00.' });

const zone = z
  .string()
  .max(64)
  .refine(isZone, { error: 'There is no such time zone. Give its IANA name, such as Europe/Berlin or UTC.' })
  .describe('An IANA name, such as Europe/Berlin. Summer time is kept.');

export const quiet = z
  .strictObject({
    from: timeOfDay,
    to: endOfHours,
    zone,
    days: z
      .array(z.enum(WEEKDAYS))
      .min(1)
      .max(7)
      .nullable()
      .optional()
      .describe('On which they begin. Without it, on all.'),
  })
  .superRefine((hours, { addIssue }) => {
    const message = quietProblem(hours);
    if (message !== undefined) addIssue({ code: 'custom', path: ['to'], message });
  })
  .describe('Hours in which nothing wakes: what matches is held.');

function quietProblem({ from, to, days }: { from: string; to: string; days?: readonly string[] | null | undefined }) {
  if (from === to) return 'The hours end when they begin. Give another time.';
  const isEveryDay = days === undefined || days === null || new Set(days).size === WEEKDAYS.length;
  if (from === '00:00' && to === '24:00' && isEveryDay)
    return 'Nothing would ever wake. Name some days, or shorter hours.';
  return undefined;
}

const MOST_WAITING = 10_000;

const digest = z
  .strictObject({
    at: timeOfDay.nullable().optional().describe('Every day at this time, such as 08:00.'),
    zone: zone.nullable().optional().describe('Of `at`. Without it that of `quiet`, or else UTC.'),
    when_waiting: z.int().min(1).max(MOST_WAITING).nullable().optional().describe('As soon as so many matches wait.'),
  })
  .superRefine((terms, { addIssue }) => {
    if ((terms.at ?? terms.when_waiting ?? undefined) === undefined)
      addIssue({ code: 'custom', path: ['at'], message: 'Give `at`, `when_waiting` or both, or leave `digest` out.' });
  })
  .describe('When what was held is told. Without it: at the end of the hour or day of UTC.');

const SPANS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SPAN = /^([1-9]\d{0,3})([mhd])$/;
const LONGEST_SPAN = 7 * SPANS.d;
const MOST_COUNTED = 100;

const millisecondsOf = (text: string): number => {
  const [, count = 0, unit] = SPAN.exec(text) ?? [];
  return Number(count) * SPANS[unit as keyof typeof SPANS];
};

const spanText = (milliseconds: number): string => {
  const unit = (['d', 'h', 'm'] as const).find((name) => milliseconds % SPANS[name] === 0)!;
  return `${milliseconds / SPANS[unit]}${unit}`;
};

const span = z
  .string()
  .regex(SPAN, { error: 'It must be a duration such as 10m, 2h or 1d.', abort: true })
  .refine((text) => millisecondsOf(text) <= LONGEST_SPAN, { error: 'It must be 7d at most.' });

const whenFields = z.strictObject({
  count: z.int().min(1).max(MOST_COUNTED).nullable().optional().describe('So many matches within the time.'),
  distinct: z
    .enum(['author', 'site', 'source'])
    .nullable()
    .optional()
    .describe('So many different authors, sites or sources.'),
  within: span.nullable().optional().describe('The time, such as 10m.'),
  after: ruleId.nullable().optional().describe('A match of this rule came first, within the time.'),
  without: ruleId
    .nullable()
    .optional()
    .describe('No match of this rule follows within the time; a match is decided when that is over.'),
  quiet_for: span.nullable().optional().describe('Alone: no other match came for this time, such as 6h.'),
});

const when = whenFields
  .superRefine((terms, { addIssue }) => {
    const problem = whenProblem(terms);
    if (problem !== undefined) addIssue({ code: 'custom', path: [problem[0]], message: problem[1] });
  })
  .describe('What several matches must do, so that the last of them wakes. The others are held.');

function whenProblem({
  count,
  distinct,
  within,
  after,
  without,
  quiet_for,
}: z.output<typeof whenFields>): [path: string, message: string] | undefined {
  const counts = [count, distinct, within, after, without].some((term) => term !== null && term !== undefined);
  if (quiet_for) return counts ? ['quiet_for', 'It stands alone: leave the other terms out.'] : undefined;
  if (!within) return ['within', 'Give the time in which it must happen, such as 10m.'];
  if (without)
    return count || distinct || after ? ['without', 'It stands alone: leave the other terms out.'] : undefined;
  if ((count ?? 1) < 2 && !after) return ['count', 'Give a number of 2 or more, `after` or `without`.'];
  return undefined;
}

/** The contract as callers write it. */
export const wakeTerms = z
  .strictObject({
    per: per.default('match'),
    at_most: atMost.nullable().optional(),
    min_relevance: minRelevance.nullable().optional(),
    quiet: quiet.nullable().optional(),
    digest: digest.nullable().optional(),
    unless: ruleId
      .nullable()
      .optional()
      .describe('For an hour after each match of this rule, those of others are held.'),
    when: when.nullable().optional(),
  })
  .describe(
    'Which matches wake the receiver. What does not wake is held, and is in the next digest. Without it every match wakes.',
  );

const QUIET = /^(\d\d:\d\d)-(\d\d:\d\d)@([^,]+)((?:,[a-z]{3})*)$/;

/** Such as `22:00-07:00@Europe/Berlin`, and days after it: `00:00-24:00@UTC,sat,sun`. Undefined: it is written in another way. */
const quietOf = (text: string): unknown => {
  const [, from, to, name, days = ''] = QUIET.exec(text) ?? [];
  return from === undefined
    ? undefined
    : { from, to, zone: name, ...(days !== '' && { days: days.slice(1).split(',') }) };
};

const quietText = z
  .string()
  .max(120)
  .superRefine((text, { addIssue }) => {
    const { error } = quiet.safeParse(quietOf(text));
    if (error === undefined) return;
    const message =
      quietOf(text) === undefined
        ? 'It must be hours and a time zone, such as 22:00-07:00@Europe/Berlin or 00:00-24:00@UTC,sat,sun.'
        : error.issues[0]!.message;
    addIssue({ code: 'custom', message });
  })
  .describe('Hours in which nothing wakes, such as 22:00-07:00@Europe/Berlin.');

/** A waiting request learns from its answer what was held, and needs no digest at a time. */
export const waitTerms = wakeTerms
  .omit({ digest: true, unless: true, when: true })
  .extend({ quiet: quietText.nullable().optional() });

/** The terms of a waiting request in a query string, where everything is text. */
export const wakeQuery = {
  wake: per.optional(),
  at_most: atMost.optional(),
  min_relevance: z
    .string()
    .regex(/^(0|1|0?\.\d{1,6}|0\.\d{1,6}|1\.0{1,6})$/, { error: 'It must be a number between 0 and 1, such as 0.6.' })
    .optional()
    .describe('Matches of less relevance are held. Those of unknown relevance wake.'),
  quiet: quietText.optional(),
};

export const waitContractOf = ({ quiet: hours, ...terms }: z.output<typeof waitTerms>): WakeContract =>
  wakeContractOf({ ...terms, quiet: hours ? quiet.parse(quietOf(hours)) : undefined });

export const wakeContractOf = (terms: z.output<typeof wakeTerms>): WakeContract => ({
  per: terms.per,
  ...limitOf(terms.at_most ?? undefined),
  ...(terms.min_relevance !== null && terms.min_relevance !== undefined && { minRelevance: terms.min_relevance }),
  ...(terms.quiet && { quiet: hoursOf(terms.quiet) }),
  ...(terms.digest && { digest: digestOf(terms.digest, terms.quiet?.zone) }),
  ...(terms.unless && { unless: terms.unless }),
  ...(terms.when && { when: whenOf(terms.when) }),
});

const whenOf = ({
  count,
  distinct,
  within,
  after,
  without,
  quiet_for,
}: z.output<typeof when>): WakeContract['when'] => ({
  ...(count && { count }),
  ...(distinct && { distinct }),
  ...(within && { within: millisecondsOf(within) }),
  ...(after && { after }),
  ...(without && { without }),
  ...(quiet_for && { quietFor: millisecondsOf(quiet_for) }),
});

/** The rules that a contract names, whether as callers write it or as it is stored. */
interface NamedRules {
  readonly unless?: string | null | undefined;
  readonly when?:
    | { readonly after?: string | null | undefined; readonly without?: string | null | undefined }
    | null
    | undefined;
}

/** The rules that a contract looks at, and where it names them. What is decided must be sent matches of each. */
export const rulesOfTerms = (terms: NamedRules | null | undefined): { path: string; id: string }[] => [
  ...(terms?.unless ? [{ path: 'wake.unless', id: terms.unless }] : []),
  ...(terms?.when?.after ? [{ path: 'wake.when.after', id: terms.when.after }] : []),
  ...(terms?.when?.without ? [{ path: 'wake.when.without', id: terms.when.without }] : []),
];

/** A rule whose matches do not come this way decides nothing here. `wanted`: the rules whose matches do; undefined for all. */
export const unseenRules = (
  terms: NamedRules | null | undefined,
  wanted: readonly string[] | null | undefined,
): Issue[] =>
  rulesOfTerms(terms)
    .filter(({ id }) => wanted !== undefined && wanted !== null && !wanted.includes(id))
    .map(({ path }) => ({ path, message: 'Its matches do not come this way. Add the rule to `rule_ids`.' }));

export const hoursOf = ({ from, to, zone: name, days }: z.output<typeof quiet>): QuietHours => ({
  from,
  to,
  zone: name,
  ...(days && { days: WEEKDAYS.filter((day) => days.includes(day)) }),
});

const digestOf = (
  { at, zone: name, when_waiting }: z.output<typeof digest>,
  usualZone: string | undefined,
): WakeContract['digest'] => ({
  ...(at && { at, zone: name ?? usualZone ?? 'UTC' }),
  ...(when_waiting && { whenWaiting: when_waiting }),
});

/** Returns undefined when a query asks for no contract. */
export function wakeOfQuery(query: {
  readonly wake?: WakeContract['per'] | undefined;
  readonly at_most?: string | undefined;
  readonly min_relevance?: string | undefined;
  readonly quiet?: string | undefined;
}): WakeContract | undefined {
  const { wake, at_most, min_relevance } = query;
  if ([wake, at_most, min_relevance, query.quiet].every((term) => term === undefined)) return undefined;
  return {
    per: wake ?? 'match',
    ...limitOf(at_most),
    ...(min_relevance !== undefined && { minRelevance: Number(min_relevance) }),
    ...(query.quiet !== undefined && { quiet: hoursOf(quiet.parse(quietOf(query.quiet))) }),
  };
}

function limitOf(text: string | undefined): Pick<WakeContract, 'atMost'> {
  const [, count, window] = AT_MOST.exec(text ?? '') ?? [];
  return count === undefined ? {} : { atMost: { count: Number(count), window: window === 'hour' ? 'hour' : 'day' } };
}

export const listedQuiet = z
  .object({ from: z.string(), to: z.string(), zone: z.string(), days: z.array(z.enum(WEEKDAYS)).optional() })
  .optional()
  .describe('Absent without quiet hours.');

export const quietToJson = (hours: QuietHours) => ({ ...hours, days: hours.days && [...hours.days] });

export const listedWake = z
  .object({
    per,
    at_most: z.string().nullable(),
    min_relevance: z.number().nullable(),
    quiet: listedQuiet,
    digest: z
      .object({ at: z.string().optional(), zone: z.string().optional(), when_waiting: z.int().optional() })
      .optional()
      .describe('Absent where what was held is told at the end of the hour or day of UTC.'),
    unless: z.string().optional(),
    when: z
      .object({
        count: z.int().optional(),
        distinct: z.enum(['author', 'site', 'source']).optional(),
        within: z.string().optional(),
        after: z.string().optional(),
        without: z.string().optional(),
        quiet_for: z.string().optional(),
      })
      .optional(),
  })
  .nullable()
  .describe('Null: every match wakes.');

export const listedWakeAccount = z
  .object({
    window_from: time.describe('The start of the present hour or day of UTC.'),
    wakes: z.int().describe('Matches that woke in it.'),
    held: z.int().describe('Matches that were held in it.'),
    stories: z.int().describe('Stories among both. A match without a story counts as one.'),
  })
  .nullable()
  .describe('What the contract has come to. Null without a contract.');

export const wakeToJson = (wake: WakeContract | undefined): z.input<typeof listedWake> =>
  wake === undefined
    ? null
    : {
        per: wake.per,
        at_most: wake.atMost === undefined ? null : `${wake.atMost.count}/${wake.atMost.window}`,
        min_relevance: wake.minRelevance ?? null,
        ...(wake.quiet && { quiet: quietToJson(wake.quiet) }),
        ...(wake.digest && { digest: digestToJson(wake.digest) }),
        ...(wake.unless !== undefined && { unless: wake.unless }),
        ...(wake.when && { when: whenToJson(wake.when) }),
      };

const whenToJson = ({ count, distinct, within, after, without, quietFor }: NonNullable<WakeContract['when']>) => ({
  ...(count !== undefined && { count }),
  ...(distinct !== undefined && { distinct }),
  ...(within !== undefined && { within: spanText(within) }),
  ...(after !== undefined && { after }),
  ...(without !== undefined && { without }),
  ...(quietFor !== undefined && { quiet_for: spanText(quietFor) }),
});

const digestToJson = ({ at, zone: name, whenWaiting }: NonNullable<WakeContract['digest']>) => ({
  ...(at !== undefined && { at, zone: name }),
  ...(whenWaiting !== undefined && { when_waiting: whenWaiting }),
});

export function wakeAccountToJson(
  { wake, wakeAccount }: Pick<Webhook, 'wake' | 'wakeAccount'>,
  now: Date,
): z.input<typeof listedWakeAccount> {
  if (wake === undefined) return null;
  const { windowFrom, wakes, held, stories } = wakeAccountAt(wake, wakeAccount, now);
  return { window_from: windowFrom.toISOString(), wakes, held, stories };
}

/** The terms over time of a wake contract, as a form has them. Pure. */
import type { Webhook } from '../data/queries.ts';

export type Wake = NonNullable<Webhook['wake']>;
type When = Wake['when'] | undefined;

/** An undefined term is taken away. */
export type WakeChange = { readonly [Name in keyof Wake]?: Wake[Name] | undefined };

export const EVERY_MATCH: Wake = { per: 'match', at_most: null, min_relevance: null };

/** The contract with some terms changed; null where it would wake the receiver for every match. */
export function withWakeTerms(wake: Webhook['wake'], part: WakeChange): Webhook['wake'] {
  const terms = Object.entries({ ...(wake ?? EVERY_MATCH), ...part }).filter(([, term]) => term !== undefined);
  const next = Object.fromEntries(terms) as Wake;
  const { per, at_most, min_relevance, ...others } = next;
  const isEvery = per === 'match' && at_most === null && min_relevance === null;
  return isEvery && Object.keys(others).length === 0 ? null : next;
}

export type Hours = NonNullable<Wake['quiet']>;
type Day = NonNullable<Hours['days']>[number];

const WEEK: readonly Day[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** On all days there is none to name, and on none there would be no hours: then they begin on all. */
export function withDay({ days = [...WEEK], ...hours }: Hours, day: Day, isWanted: boolean): Hours {
  const chosen = WEEK.filter((one) => (one === day ? isWanted : days.includes(one)));
  return chosen.length === 0 || chosen.length === WEEK.length ? hours : { ...hours, days: chosen };
}

type Digest = NonNullable<Wake['digest']>;
/** An undefined term is taken away. */
export type DigestChange = { readonly [Name in keyof Digest]?: Digest[Name] | undefined };

export function withDigest(digest: Digest | undefined, part: DigestChange): Digest | undefined {
  const terms = Object.entries({ ...digest, ...part }).filter(([, term]) => term !== undefined);
  return terms.length === 0 ? undefined : Object.fromEntries(terms);
}

export type TimeTerm = 'any' | 'count' | 'after' | 'without' | 'quiet_for';

export function termOf(when: When): TimeTerm {
  if (when === undefined) return 'any';
  if (when.quiet_for !== undefined) return 'quiet_for';
  if (when.without !== undefined) return 'without';
  return when.after === undefined ? 'count' : 'after';
}

/** The values that a term begins with. The other rule is chosen next. */
export function withTerm(term: TimeTerm): When {
  switch (term) {
    case 'any':
      return undefined;
    case 'count':
      return { count: 3, within: '1h' };
    case 'quiet_for':
      return { quiet_for: '6h' };
    default:
      return { within: '1h', [term]: '' };
  }
}

const SPANS: Readonly<Record<string, string>> = {
  '10m': '10 minutes',
  '30m': '30 minutes',
  '1h': '1 hour',
  '6h': '6 hours',
  '1d': '1 day',
  '7d': '7 days',
};

/** A program may have chosen a span that the list does not have. */
export const withOwn = (span: string): Readonly<Record<string, string>> =>
  span in SPANS ? SPANS : { ...SPANS, [span]: span };

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** Why the contract cannot be saved yet. */
export function wakeObstacle(wake: Webhook['wake']): string | undefined {
  const { when } = wake ?? {};
  return when?.after === '' || when?.without === '' ? 'Choose the other rule of “Only when”.' : undefined;
}

/** Compares the registrations that we believe an upstream holds with those that it holds. Pure. */
import type { Registration, RuleFlags } from '../../domain/rule.ts';
import type { HeldRule } from '../../platforms/platform.ts';

export interface Comparison {
  /** Ours under an id that we did not know: an answer was lost, or the same rule was made again. */
  readonly found: readonly { readonly row: Registration; readonly id: string }[];
  /** Held or leaving in our table, and not there. */
  readonly lost: readonly Registration[];
  /** With our mark, and in no row of our table. */
  readonly extra: readonly HeldRule[];
  /** Ids with our mark. */
  readonly ours: ReadonlySet<string>;
  /** How many do not bear our mark. */
  readonly foreign: number;
}

export function compare(rows: readonly Registration[], held: readonly HeldRule[], prefix: string): Comparison {
  const isOurs = ({ tag }: HeldRule): boolean => tag?.startsWith(prefix) === true;
  const byId = new Map(held.map((one) => [one.id, one]));
  /** Not matched to a row yet. Each may be found once. */
  const open = new Set(held);
  const missing: Registration[] = [];
  for (const row of rows) {
    if (row.state === 'gone') continue;
    const there = row.platformRuleId === undefined ? undefined : byId.get(row.platformRuleId);
    if (there !== undefined && isSame(there, row)) open.delete(there);
    else missing.push(row);
  }
  const found: { row: Registration; id: string }[] = [];
  const lost: Registration[] = [];
  const byValue = Map.groupBy(open, ({ value }) => value);
  for (const row of missing) {
    const same = (byValue.get(row.value) ?? []).filter((one) => open.has(one) && isSame(one, row));
    // A leaving one is known by its tag alone: the same value may be another program's rule.
    const marked = same.find(({ tag }) => tag === row.tag);
    const there = row.state === 'leaving' ? marked : (marked ?? same.find(isOurs) ?? same[0]);
    if (there === undefined) {
      lost.push(row);
    } else {
      open.delete(there);
      found.push({ row, id: there.id });
    }
  }
  const foreign = held.filter((one) => !isOurs(one)).length;
  return {
    found,
    lost,
    extra: [...open].filter(isOurs),
    ours: new Set(held.filter(isOurs).map(({ id }) => id)),
    foreign,
  };
}

const isSame = (one: HeldRule, row: Registration): boolean => one.value === row.value && agree(one.flags, row.flags);

/** Firehose's values for flags that it was not given. */
const DEFAULTS = { quality: true, nsfw: false };

/** Upstreams need not repeat the flags that they were given: a flag that is left out is no difference. */
const agree = (held: RuleFlags, wanted: RuleFlags): boolean =>
  (['quality', 'nsfw'] as const).every(
    (flag) => held[flag] === undefined || held[flag] === (wanted[flag] ?? DEFAULTS[flag]),
  );

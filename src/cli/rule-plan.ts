/** Plans the changes after which the rules of a server are those of a file. Nothing is changed here. */
import type { Rule } from '../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { ALERT_KINDS } from '../domain/rule.ts';
import type { NamedSource } from './connect.ts';
import { type EntryProblem, namesOfSources, type RuleEntry, ruleTexts, SOURCES, withSourceIds } from './rule-file.ts';

export interface Difference {
  readonly field: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** A rule is changed in place: its id, matches, webhooks and ratings stay. It is replaced only where that is asked for by its name. */
export type PlannedChange =
  | { readonly action: 'create'; readonly index: number; readonly entry: RuleEntry }
  | Changed<'update'>
  | Changed<'replace'>
  | { readonly action: 'delete'; readonly rule: Rule };

interface Changed<Action extends string> {
  readonly action: Action;
  readonly index: number;
  readonly entry: RuleEntry;
  readonly rule: Rule;
  readonly differences: readonly Difference[];
}

export interface RulePlan {
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
  /** Entries for which it is not clear which rule or source is meant. */
  readonly problems: readonly EntryProblem[];
}

export interface PlanOptions {
  /** Rules that are not in the file stay. */
  readonly keep?: boolean;
  /** The names of rules to delete and to make anew. */
  readonly replace?: readonly string[];
  /** The sources that entries and rules may be limited to. */
  readonly sources?: readonly NamedSource[];
}

export function planChanges(
  entries: readonly RuleEntry[],
  rules: readonly Rule[],
  options: PlanOptions = {},
): RulePlan {
  const changes: PlannedChange[] = [];
  const problems: EntryProblem[] = [];
  const { sources = [] } = options;
  const meant = new Set<string>();
  let unchanged = 0;
  for (const [index, written] of entries.entries()) {
    const found = rules.filter((one) => (written.id === undefined ? one.name === written.name : one.id === written.id));
    for (const { id } of found) meant.add(id);
    const [rule] = found;
    const { entry, problems: wrong } = withSourceIds(index, written, rule, sources);
    problems.push(...wrong);
    if (found.length > 1) problems.push({ index, path: ['name'], message: ambiguous(entry, found) });
    else if (rule !== undefined) {
      const change = changeOf({ index, entry, rule }, options.replace?.includes(entry.name) === true, sources);
      if (change === undefined) unchanged++;
      else changes.push(change);
    } else if (entry.id !== undefined)
      problems.push({ index, path: ['name'], message: `There is no rule ${entry.id} on the server.` });
    else changes.push({ action: 'create', index, entry });
  }
  // Deletions come first: they make room under the account's limit for new rules.
  const gone = options.keep ? [] : rules.filter(({ id }) => !meant.has(id));
  return { changes: [...gone.map((rule) => ({ action: 'delete' as const, rule })), ...changes], unchanged, problems };
}

const ambiguous = (entry: RuleEntry, found: readonly Rule[]): string =>
  `The server has ${found.length} rules named "${entry.name}". Say with \`id:\` which is meant: ${found.map(({ id }) => id).join(', ')}.`;

type Pair = Pick<Changed<'update'>, 'index' | 'entry' | 'rule'>;

function changeOf(pair: Pair, isReplaced: boolean, sources: readonly NamedSource[]): PlannedChange | undefined {
  const { entry, rule } = pair;
  const texts = ruleTexts(rule);
  const differences = [
    difference('name', rule.name, entry.name),
    difference('intent', rule.intent, entry.intent),
    difference('paused', String(rule.paused), String(entry.paused)),
    ...ALERT_KINDS.map((kind) => difference(`alerts.${kind}`, String(rule.alerts[kind]), String(entry.alerts[kind]))),
    ...PLATFORMS.map((name) => difference(`overrides.${name}`, texts[name], entry.overrides[name])),
    difference(SOURCES, namesOfSources(rule.sources, sources), namesOfSources(entry.options?.sources, sources)),
    difference('options.firehose', flagsIn(rule.platforms.firehose?.options), flagsIn(entry.options?.firehose)),
  ].filter((one) => one.from !== one.to);
  if (isReplaced) return { action: 'replace', ...pair, differences };
  return differences.length === 0 ? undefined : { action: 'update', ...pair, differences };
}

const difference = (field: string, from: string | undefined, to: string | undefined): Difference => ({
  field,
  from,
  to,
});

function flagsIn(
  flags: { readonly quality?: boolean | undefined; readonly nsfw?: boolean | undefined } | undefined,
): string | undefined {
  const given = (['nsfw', 'quality'] as const).filter((name) => flags?.[name] !== undefined);
  return given.length === 0 ? undefined : given.map((name) => `${name}: ${flags![name]}`).join(', ');
}

/** The texts that a change brings to the server, and that must be valid there. */
export function newTexts(change: PlannedChange): readonly (readonly [Platform, string])[] {
  if (change.action === 'delete') return [];
  const before = change.action === 'update' ? ruleTexts(change.rule) : {};
  return PLATFORMS.flatMap((name) => {
    const text = change.entry.overrides[name];
    return text === undefined || text === before[name] ? [] : [[name, text] as const];
  });
}

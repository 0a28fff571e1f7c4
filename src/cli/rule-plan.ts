/** What must change on a server for its rules to be those of a file. Nothing is changed here. */
import type { Rule } from '../../packages/client/src/index.ts';
import { ALERT_KINDS } from '../domain/alert.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { type RuleEntry, ruleTexts } from './rule-file.ts';

export interface Difference {
  readonly field: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The platforms and flags of a rule cannot be changed: a rule that differs in them is replaced. */
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
  /** Entries for which it is not clear which rule is meant, by their index. */
  readonly problems: readonly { readonly index: number; readonly message: string }[];
}

export function planChanges(
  entries: readonly RuleEntry[],
  rules: readonly Rule[],
  options: { keep?: boolean } = {},
): RulePlan {
  const changes: PlannedChange[] = [];
  const problems: RulePlan['problems'][number][] = [];
  const meant = new Set<string>();
  let unchanged = 0;
  for (const [index, entry] of entries.entries()) {
    const found = rules.filter((rule) => (entry.id === undefined ? rule.name === entry.name : rule.id === entry.id));
    for (const { id } of found) meant.add(id);
    const [rule] = found;
    if (found.length > 1) problems.push({ index, message: ambiguous(entry, found) });
    else if (rule !== undefined) {
      const change = changeOf(index, entry, rule);
      if (change === undefined) unchanged++;
      else changes.push(change);
    } else if (entry.id !== undefined) problems.push({ index, message: `There is no rule ${entry.id} on the server.` });
    else changes.push({ action: 'create', index, entry });
  }
  // Deletions come first: they make room under the account's limit for new rules.
  const gone = options.keep ? [] : rules.filter(({ id }) => !meant.has(id));
  return { changes: [...gone.map((rule) => ({ action: 'delete' as const, rule })), ...changes], unchanged, problems };
}

const ambiguous = (entry: RuleEntry, found: readonly Rule[]): string =>
  `The server has ${found.length} rules named "${entry.name}". Say with \`id:\` which is meant: ${found.map(({ id }) => id).join(', ')}.`;

function changeOf(index: number, entry: RuleEntry, rule: Rule): PlannedChange | undefined {
  const texts = ruleTexts(rule);
  const simple = [
    difference('name', rule.name, entry.name),
    difference('intent', rule.intent, entry.intent),
    difference('paused', String(rule.paused), String(entry.paused)),
    ...ALERT_KINDS.map((kind) => difference(`alerts.${kind}`, String(rule.alerts[kind]), String(entry.alerts[kind]))),
    ...PLATFORMS.filter((name) => texts[name] !== undefined && entry.overrides[name] !== undefined).map((name) =>
      difference(`overrides.${name}`, texts[name], entry.overrides[name]),
    ),
  ].filter((one) => one.from !== one.to);
  const deep = [
    ...PLATFORMS.filter((name) => (texts[name] === undefined) !== (entry.overrides[name] === undefined)).map((name) =>
      difference(`overrides.${name}`, texts[name], entry.overrides[name]),
    ),
    difference('options.firehose', flagsIn(rule.platforms.firehose?.options), flagsIn(entry.options?.firehose)),
  ].filter((one) => one.from !== one.to);
  if (simple.length + deep.length === 0) return undefined;
  const action = deep.length > 0 ? 'replace' : 'update';
  return { action, index, entry, rule, differences: [...simple, ...deep] };
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

/** Reads X's answers about rules. Everything here is pure. */
import { type JsonRecord, listIn, recordIn, textIn } from '../../base/json-fields.ts';
import { type HeldRule, PlatformError, type Wanted } from '../platform.ts';
import { countIn, type Problem, problemIn, xIdIn } from './wire.ts';

export type RuleOutcome =
  | { readonly id: string }
  | { readonly error: PlatformError }
  /** X holds it already, and does not always say under which id. */
  | { readonly heldAs: string | undefined };

export interface RuleCounts {
  readonly cap: number;
  readonly used: number;
}

/** X's own words about a problem. */
export const problemWords = ({ title, detail, details }: Problem): string =>
  details.length > 0 ? details.join(' ') : detail || title;

/** The outcome for each value of a batch. `clean` makes X's words fit to be shown. */
export function ruleOutcomes(
  batch: readonly Wanted[],
  status: number,
  body: JsonRecord,
  clean: (words: string) => string,
): Map<string, RuleOutcome> {
  const outcomes = new Map<string, RuleOutcome>();
  for (const problem of listIn(body['errors']).map(problemIn)) {
    if (problem.value !== undefined) outcomes.set(problem.value, outcomeOf(problem, clean));
  }
  for (const { id, value } of heldRulesIn(listIn(body['data']))) outcomes.set(value, { id });
  // The problem is with the whole batch, such as too many rules.
  if (status >= 400 && outcomes.size === 0) {
    for (const { value } of batch) outcomes.set(value, outcomeOf(problemIn(body), clean));
  }
  return outcomes;
}

function outcomeOf(problem: Problem, clean: (words: string) => string): RuleOutcome {
  if (problem.type === 'duplicate-rules' || problem.title === 'DuplicateRule') return { heldAs: problem.id };
  const upstreamMessage = clean(problemWords(problem));
  if (problem.type === 'rule-cap' || problem.title === 'RulesCapExceeded') {
    return { error: new PlatformError('limit', 'X holds as many rules as it allows.', { upstreamMessage }) };
  }
  return { error: new PlatformError('refused', 'X does not accept this rule.', { upstreamMessage }) };
}

export const heldRulesIn = (list: readonly unknown[]): HeldRule[] =>
  list.flatMap((value) => {
    const rule = recordIn(value) ?? {};
    const id = xIdIn(rule['id']);
    const tag = typeof rule['tag'] === 'string' ? rule['tag'] : undefined;
    return id === undefined ? [] : [{ id, value: textIn(rule['value']) ?? '', flags: {}, tag }];
  });

/** Both the app and its project have a cap. Other apps use part of the project's. */
export function ruleCountsIn(data: JsonRecord): RuleCounts | undefined {
  const used = countIn(recordIn(data['client_app_rules_count'])?.['rule_count']) ?? 0;
  const byProject = countIn(data['project_rules_count']) ?? used;
  const ofApp = countIn(data['cap_per_client_app']);
  const ofProject = countIn(data['cap_per_project']);
  const caps = [ofApp, ofProject === undefined ? undefined : Math.max(0, ofProject - Math.max(0, byProject - used))];
  const known = caps.filter((cap) => cap !== undefined);
  return known.length === 0 ? undefined : { cap: Math.min(...known), used };
}

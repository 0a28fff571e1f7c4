/** Searches and sorts thousands of rules in the browser. All are loaded, so this takes a few milliseconds. */
import type { Rule } from '../data/queries.ts';
import type { RuleStateName } from '../words/rules.ts';
import { lastMatchOf, matchesOf, stateNameOf } from './rule-state.ts';

export const ORDERS = {
  newest: 'Newest first',
  last_match: 'Last match first',
  most_matches: 'Most matches first',
  name: 'By name',
} as const;
export type Order = keyof typeof ORDERS;

export interface RuleFilter {
  readonly search: string;
  readonly state: RuleStateName | '';
  readonly order: Order;
}

export function findRules(rules: readonly Rule[], { search, state, order }: RuleFilter): Rule[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rules.filter(
    (rule) => (state === '' || stateNameOf(rule) === state) && words.every((word) => textOf(rule).includes(word)),
  );
  return sorted(found, order);
}

const texts = new WeakMap<Rule, string>();

/** The searched text in lower case, built once for each rule. */
function textOf(rule: Rule): string {
  const known = texts.get(rule);
  if (known !== undefined) return known;
  const values = Object.values(rule.platforms).map(({ translated_value }) => translated_value);
  const text = [rule.name, rule.intent, rule.id, ...values].join('\n').toLowerCase();
  texts.set(rule, text);
  return text;
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function sorted(rules: Rule[], order: Order): Rule[] {
  switch (order) {
    case 'newest':
      return rules.toReversed();
    case 'name':
      return rules.toSorted((a, b) => names.compare(a.name, b.name));
    case 'most_matches':
      return by(rules, matchesOf, (a, b) => b - a);
    case 'last_match':
      return by(
        rules,
        (rule) => lastMatchOf(rule) ?? '',
        (a, b) => (a === b ? 0 : a < b ? 1 : -1),
      );
  }
}

/** The key that decides is worked out once for each rule, and not for each comparison. */
const by = <Key>(rules: Rule[], keyOf: (rule: Rule) => Key, compare: (a: Key, b: Key) => number): Rule[] =>
  rules
    .map((rule) => ({ rule, key: keyOf(rule) }))
    .toSorted((a, b) => compare(a.key, b.key))
    .map(({ rule }) => rule);

/** The answers of the engine: matches, and what a rule costs, with why it has no anchor where it has none. */
import { costOf, planAnchors, type Statistics } from '../compile/anchor.ts';
import { eachPart } from '../compile/compiler.ts';
import { requiredTextOf } from '../compile/pattern-index.ts';
import { ABSENT, ALL, ANY, FAIL, KIND, PHRASE, payloadOf, TEST } from '../compile/program.ts';
import type { CoreVocabulary } from './core-vocabulary.ts';

export interface MatchReport {
  matches: string[];
  /** Rules looked at, beyond their postings. Tests assert it, so an index that stops filtering is a failing test. */
  evaluated: number;
  /** Rules that threw: reported, skipped, never in the way of the others. */
  failures: { ruleId: string; error: unknown }[];
}

export interface Cost {
  /** The share of events that make the rule a candidate: 1 when it has no anchor. */
  readonly share: number;
  readonly anchors: readonly { readonly field: string; readonly term: string; readonly share: number }[];
  /** Why there is no anchor. */
  readonly reason?: string;
}

export interface Stats {
  readonly rules: number;
  readonly terms: number;
  readonly predicates: number;
  readonly slow: number;
  /** All typed arrays and references, without the characters of the ids. */
  readonly bytes: number;
  /** Integers in use in the arenas: back at the start when all rules are dropped. */
  readonly used: number;
}

/** Says what a rule will cost, and why it has no anchor where it has none. */
export function costOfProgram(vocabulary: CoreVocabulary, code: Int32Array): Cost {
  const plan = planAnchors(code, 0, vocabulary);
  if (plan === undefined) return { share: 1, anchors: [], reason: slowReason(vocabulary, code, 0) };
  const anchors = plan.map(({ leaf }) => anchorIn(vocabulary, code[leaf]!));
  const share = anchors.reduce((sum, each) => sum + each.share, 0);
  return { share: Math.min(1, share), anchors };
}

function anchorIn(vocabulary: CoreVocabulary, leaf: number): Cost['anchors'][number] {
  const payload = payloadOf(leaf);
  if ((leaf & KIND) !== TEST) return { ...vocabulary.textOf(payload), share: vocabulary.share(payload) };
  const held = vocabulary.predicates.at(payload);
  const field = 'field' in held.predicate ? held.predicate.field : '';
  return { field, term: requiredTextOf(held)!.text, share: vocabulary.predicateShare(payload)! };
}

export const slowReason = (vocabulary: CoreVocabulary, code: Int32Array, root: number): string =>
  reasonForNone(code, root, vocabulary, (number) => vocabulary.predicates.at(number).predicate.kind);

/** Why a rule has no anchor, in words for its author. */
export function reasonForNone(
  code: Int32Array,
  at: number,
  statistics: Statistics,
  kindOf: (predicate: number) => string,
): string {
  switch (code[at]! & KIND) {
    case ABSENT:
    case FAIL:
    case PHRASE:
      return 'it only says what must be absent';
    case ALL:
    case ANY: {
      const reasons: string[] = [];
      eachPart(code, at, (part) => {
        if (costOf(code, part, statistics) < Number.POSITIVE_INFINITY) return;
        reasons.push(reasonForNone(code, part, statistics, kindOf));
      });
      if (reasons.length === 0) return 'it matches everything';
      // A reason that names something says more than one that names an absence.
      const reason = reasons.find((one) => !one.startsWith('it only')) ?? reasons[0]!;
      return (code[at]! & KIND) === ANY && !reason.startsWith('one of')
        ? `one of its alternatives asks for no word: ${reason}`
        : reason;
    }
    default:
      return REASONS[kindOf(payloadOf(code[at]!))] ?? 'it asks for no word';
  }
}

const REASONS: Readonly<Record<string, string>> = {
  exists: 'it asks only that a field is there',
  number: 'it asks for a number and for no word',
  circle: 'it asks for a place and for no word',
  box: 'it asks for a place and for no word',
  sample: 'it takes a sample of all events',
  recent: 'it asks how old an event is and for no word',
  literal: 'its text has signs and no word',
  contains: 'it asks for fewer than three characters',
  prefix: 'it asks for words with any beginning',
  wildcard: 'its pattern has no fixed beginning, nor three fixed characters in a row',
  regex: 'its pattern has no fixed beginning, nor three fixed characters in a row',
  fuzzy: 'it asks for a word in any spelling near it',
  range: 'it asks for a range of words and for none of them',
};

/** Says what a rule will cost, and why it has no anchor where it has none. */
import { planAnchors } from '../compile/anchor.ts';
import { reasonForNone } from '../compile/anchor-reason.ts';
import { requiredTextOf } from '../compile/pattern-index.ts';
import { KIND, payloadOf, TEST } from '../compile/program.ts';
import type { CoreVocabulary } from './core-vocabulary.ts';
import type { Cost } from './reports.ts';

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

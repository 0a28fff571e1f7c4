/** A suggestion and its proof in words. Pure. */
import type { Answer } from '../../../packages/client/src/index.ts';
import { counted, figure } from '../ui/moment.ts';

type Suggestion = Answer<'suggestChanges'>['suggestions'][number];

export function proofOf(effect: Suggestion['effect']): string[] {
  const { irrelevant_removed, irrelevant_total, relevant_lost, relevant_total, relevant_lost_upper } = effect;
  const { recent_removed, recent_total, recent_added } = effect;
  const upper = Math.ceil(relevant_lost_upper * 100);
  return [
    ...(irrelevant_total > 0
      ? [
          `It removes ${figure(irrelevant_removed)} of ${counted(irrelevant_total, 'match', 'matches')} that you rated not relevant.`,
        ]
      : []),
    relevant_total > 0
      ? `It loses ${figure(relevant_lost)} of ${counted(relevant_total, 'match', 'matches')} that you rated relevant; with 95 % certainty at most ${upper} % of all relevant ones.`
      : 'No match is rated relevant yet, so what it would lose is not known.',
    `Of the newest ${counted(recent_total, 'match', 'matches')} it removes ${figure(recent_removed)}${recent_added > 0 ? `, and it adds ${figure(recent_added)}` : ''}.`,
  ];
}

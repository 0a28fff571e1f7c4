/** A suggestion and its proof in words. Pure. */
import type { Answer } from '../../../packages/client/src/index.ts';
import { counted, figure } from '../ui/moment.ts';

type Suggestion = Answer<'suggestChanges'>['suggestions'][number];

export function proofOf(effect: Suggestion['effect']): string[] {
  const { irrelevant_removed, irrelevant_total, recent_removed, recent_total, recent_added, demo_added } = effect;
  const invented = demo_added === undefined ? '' : `, ${figure(demo_added)} of them invented by the demo`;
  return [
    ...(irrelevant_total > 0
      ? [
          `It removes ${figure(irrelevant_removed)} of ${counted(irrelevant_total, 'match', 'matches')} that you rated not relevant.`,
        ]
      : []),
    lossOf(effect),
    `Of the newest ${counted(recent_total, 'match', 'matches')} it removes ${figure(recent_removed)}${recent_added > 0 ? `, and it adds ${figure(recent_added)}${invented}` : ''}.`,
  ];
}

/** Nothing rated relevant is never shown as nothing lost. */
function lossOf(effect: Suggestion['effect']): string {
  const { relevant_lost, relevant_total, relevant_lost_upper, relevant_lost_basis } = effect;
  const { unrated_removed, unrated_total } = effect;
  if (relevant_total === 0 && unrated_total === 0)
    return 'No match is rated relevant yet, so what it would lose is not known.';
  const bound = `with 95 % certainty at most ${Math.ceil(relevant_lost_upper * 100)} % of what is wanted is lost.`;
  const known =
    relevant_total === 0
      ? 'No match is rated relevant yet.'
      : `It loses ${figure(relevant_lost)} of ${counted(relevant_total, 'match', 'matches')} that you rated relevant`;
  if (relevant_lost_basis === 'rated') return `${known}; ${bound}`;
  const removed = `removes ${figure(unrated_removed)} of ${counted(unrated_total, 'match', 'matches')} without a rating.`;
  return `${known}${relevant_total === 0 ? ' It' : ' and'} ${removed} If all of these are wanted, ${bound}`;
}

/** A suggestion and its proof in words. Pure. */
import type { Answer } from '../../../packages/client/src/index.ts';
import { counted, figure } from '../ui/moment.ts';

type Suggestion = Answer<'suggestChanges'>['suggestions'][number];

type Effect = Suggestion['effect'];

/** Says what goes and what stays, in figures that can be compared at a glance. */
export function dropsOf(effect: Effect): string[] {
  const { irrelevant_removed, irrelevant_total, recent_removed, recent_total } = effect;
  return [
    ...(irrelevant_total > 0
      ? [`${figure(irrelevant_removed)} of ${figure(irrelevant_total)} rated not relevant`]
      : []),
    `${figure(recent_removed)} of the newest ${figure(recent_total)}`,
  ];
}

export function keepsOf(effect: Effect): string[] {
  const { relevant_lost, relevant_total, recent_removed, recent_total, recent_added, demo_added } = effect;
  const invented = demo_added === undefined ? '' : `, ${figure(demo_added)} of them invented by the demo`;
  return [
    ...(relevant_total > 0
      ? [`${figure(relevant_total - relevant_lost)} of ${figure(relevant_total)} rated relevant`]
      : []),
    `${figure(recent_total - recent_removed)} of the newest ${figure(recent_total)}`,
    ...(recent_added > 0 ? [`and adds ${counted(recent_added, 'recent event')}${invented}`] : []),
  ];
}

/** The least loss first: of what is rated relevant, of what may be wanted, and then of everything. */
export const byLoss = ({ effect: one }: Suggestion, { effect: other }: Suggestion): number =>
  one.relevant_lost - other.relevant_lost ||
  one.relevant_lost_upper - other.relevant_lost_upper ||
  one.recent_removed * other.recent_total - other.recent_removed * one.recent_total;

/** Why applying it is asked about again. */
export function harmOf({ relevant_lost, recent_removed, recent_total }: Effect): string | undefined {
  if (relevant_lost > 0) return `It drops ${counted(relevant_lost, 'match', 'matches')} that you rated relevant.`;
  if (recent_removed * 2 <= recent_total) return undefined;
  return `It drops ${figure(recent_removed)} of the newest ${counted(recent_total, 'match', 'matches')}.`;
}

/** Nothing rated relevant is never shown as nothing lost. */
export function lossOf(effect: Effect): string {
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

/** Why a match ranks where it does, in one line. Pure. */
import type { Match } from '../data/queries.ts';

type Judged = Pick<Match, 'relevance' | 'relevance_basis' | 'relevance_reason'>;

/** Nothing was rated yet. A list of first guesses would say the same of each row. */
const GUESSED = 'a first guess';

/** "82 %: like 4 rated relevant". The words on a row; undefined while nothing was rated. The open match says how many were rated. */
export function rowReason({ relevance_basis, ...judged }: Judged): string | undefined {
  if (judged.relevance === null || relevance_basis === GUESSED) return undefined;
  const hasBasis = judged.relevance_reason === undefined && relevance_basis !== undefined;
  return relevanceWords(hasBasis ? { ...judged, relevance_basis } : judged);
}

/** "82 %, by 12 ratings: like 4 rated relevant, but short". The reason is in words of Sluice alone. */
export function relevanceWords({ relevance, relevance_basis, relevance_reason }: Judged): string {
  const share = `${Math.round((relevance ?? 0) * 100)} %`;
  const basis = relevance_basis === undefined ? '' : `, ${relevance_basis}`;
  return relevance_reason === undefined ? `${share}${basis}` : `${share}${basis}: ${plainReason(relevance_reason)}`;
}

/** The server says "for it: …; against it: …". */
const plainReason = (reason: string): string =>
  reason.replace(/^(?:for|against) it: /, '').replace('; against it: ', ', but ');

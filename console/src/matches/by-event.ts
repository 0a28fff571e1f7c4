/** Matches as readers see them: one row for each post or page, however many rules matched it. Pure. */
import type { Match } from '../data/queries.ts';

export interface EventRow {
  /** The newest match of the event. */
  readonly lead: Match;
  /** One for each rule, newest first. */
  readonly matches: readonly Match[];
}

/** In the order of their newest matches. */
export function byEvent(matches: readonly Match[]): EventRow[] {
  const rows = new Map<string, Match[]>();
  for (const match of matches) {
    const row = rows.get(match.event_id);
    if (row === undefined) rows.set(match.event_id, [match]);
    else if (!row.some(({ rule_id }) => rule_id === match.rule_id)) row.push(match);
  }
  return [...rows.values()].map((row) => ({ lead: row[0]!, matches: row }));
}

export const rowOf = (rows: readonly EventRow[], matchId: string | undefined): number =>
  matchId === undefined ? -1 : rows.findIndex(({ matches }) => matches.some(({ id }) => id === matchId));

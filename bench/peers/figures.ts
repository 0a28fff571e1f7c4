/** The figures that a run found out about one contender on one set of rules. */
import type { Platform } from '../../src/domain/platform.ts';
import type { SetName } from '../rule-sets.ts';
import type { PeerReport } from './peer.ts';

interface Stage {
  readonly platform: Platform;
  readonly set: SetName;
  readonly rules: number;
  readonly peer: string;
}

export interface Measured {
  readonly eventsPerSecond: number;
  /** Events of the best turn. */
  readonly events: number;
  readonly matchesPerEvent: number;
  /** The rules that it has whole. */
  readonly taken: number;
  readonly loadSeconds: number;
  readonly bytes: number;
  /** Pairs of event and rule, among the rules that it has whole. */
  readonly same: number;
  readonly onlyOurs: number;
  readonly onlyTheirs: number;
}

/** Either measured, or with the reason why not. */
export type PeerFigures = Stage & (Measured | { readonly absent: string });

/** The best turn, and how its matches compare with ours. */
export function summarise(report: PeerReport, ours: readonly ReadonlySet<number>[]): Measured {
  const best = report.turns.reduce((one, other) => (perEvent(other) < perEvent(one) ? other : one));
  return {
    eventsPerSecond: 1e6 / perEvent(best),
    events: best.events,
    matchesPerEvent: best.matches / best.events,
    taken: report.whole.size,
    loadSeconds: report.loadSeconds,
    bytes: report.bytes,
    ...compareMatches(report, ours),
  };
}

const perEvent = ({ micros, events }: PeerReport['turns'][number]): number => micros / events;

function compareMatches(
  { found, whole }: PeerReport,
  ours: readonly ReadonlySet<number>[],
): Pick<Measured, 'same' | 'onlyOurs' | 'onlyTheirs'> {
  let [same, onlyOurs, onlyTheirs] = [0, 0, 0];
  for (const [event, theirs] of found.entries()) {
    for (const rule of ours[event]!) {
      if (theirs.has(rule)) same++;
      else if (whole.has(rule)) onlyOurs++;
    }
    for (const rule of theirs) if (!ours[event]!.has(rule)) onlyTheirs++;
  }
  return { same, onlyOurs, onlyTheirs };
}

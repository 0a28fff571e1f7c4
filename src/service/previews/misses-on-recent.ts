/** Which recent events fail a rule by one clause alone: an event that all clauses but one match was missed by that one. */
import type { Platform } from '../../domain/platform.ts';
import { isDemo } from '../../domain/source.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { RuleClause } from '../../rules/analysis/placed-query.ts';
import { all, type Query } from '../../rules/query.ts';
import type { RecentEvent } from '../../store/store.ts';
import { clauseMatcher } from '../ingest/clause-matcher.ts';
import { createShownEvents, type LookedAt, overRecent, type RecentWalk, type TriedEvent } from './try-on-recent.ts';

/** Samples of all clauses together: an event is held in memory until the answer is sent. */
const MAX_SAMPLES = 100;

export interface MissedClause extends RuleClause {
  missed: number;
  /** The missed events that the demo feed invented. */
  invented: number;
  readonly samples: TriedEvent[];
}

interface Trial {
  readonly platform: Platform;
  readonly clauses: readonly RuleClause[];
  /** This must hold beside the clauses, and is no part of the text. */
  readonly also: Query;
  /** Samples of one clause. */
  readonly limit: number;
}

export interface Misses extends LookedAt {
  readonly matched: number;
  /** Without those that the demo feed invented. */
  readonly realMatched: number;
  readonly clauses: readonly MissedClause[];
}

export async function missesOnRecent(
  recent: AsyncIterable<readonly RecentEvent[]>,
  trial: Trial,
  walk: RecentWalk,
): Promise<Misses> {
  const clauses = trial.clauses.map((clause): MissedClause => ({ ...clause, missed: 0, invented: 0, samples: [] }));
  const analyze = newAnalyzer(trial.platform);
  /** When the event arrived. */
  let moment = 0;
  const failing = clauseMatcher({ ...trial, now: () => moment });
  let [matched, realMatched] = [0, 0];
  const shown = createShownEvents();
  let room = MAX_SAMPLES;
  const lookedAt = await overRecent(recent, walk, ({ event: { postId, payload, source }, at }) => {
    const view = analyze(payload);
    if (isRejection(view)) return;
    moment = at.getTime();
    const failed = failing(view);
    if (failed === 'none') {
      matched++;
      if (!isDemo({ source })) realMatched++;
    }
    if (typeof failed !== 'number') return;
    const clause = clauses[failed]!;
    clause.missed++;
    if (isDemo({ source })) clause.invented++;
    if (clause.samples.length >= trial.limit || room === 0 || !shown.hasRoom()) return;
    room--;
    shown.add(payload);
    const lookup = new ViewLookup(view, moment);
    const others = all(clauses.filter((one) => one !== clause).map(({ query }) => query));
    clause.samples.push({ postId, at, payload, source, highlights: highlights(others, lookup) });
  });
  return { ...lookedAt, matched, realMatched, clauses };
}

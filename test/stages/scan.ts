/** The oracle as an engine: every rule is evaluated on every event. */
import type { MatchReport } from '../../src/engine/core/reports.ts';
import type { EventView } from '../../src/engine/events/event-view.ts';
import { holds } from '../../src/engine/scan.ts';
import type { Query } from '../../src/rules/query.ts';

export interface Scan {
  put(ruleId: string, query: Query): void;
  drop(ruleId: string): boolean;
  match(view: EventView): MatchReport;
  readonly size: number;
}

export function createScan({ now = Date.now }: { now?: () => number } = {}): Scan {
  const rules = new Map<string, Query>();
  return {
    put: (ruleId, query) => void rules.set(ruleId, query),
    drop: (ruleId) => rules.delete(ruleId),
    match(view) {
      const report: MatchReport = { matches: [], evaluated: rules.size, failures: [] };
      const moment = now();
      for (const [ruleId, query] of rules) {
        try {
          if (holds(query, view, moment)) report.matches.push(ruleId);
        } catch (error) {
          report.failures.push({ ruleId, error });
        }
      }
      return report;
    },
    get size() {
      return rules.size;
    },
  };
}

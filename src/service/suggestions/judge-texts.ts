/** Which of several queries match which of several events. The engine decides, with pauses. */
import { createPauses } from '../../base/cooperate.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { createEngine } from '../../engine/index/engine.ts';
import type { Query } from '../../rules/query.ts';
import { createAnalysis } from '../ingest/analysis.ts';
import { matchInSlices } from '../ingest/match-in-slices.ts';

/** Words and rules between two pauses: a few milliseconds of work. */
const SLICE = 8_000;
const RULE_COST = 100;
const EVENT_COST = 50;

export interface Trial {
  readonly platform: Platform;
  readonly queries: readonly Query[];
  readonly now: number;
  readonly signal: AbortSignal;
}

/** For each event the numbers of the queries that match it; undefined for what is no event. */
export async function judgeTexts(
  { platform, queries, now, signal }: Trial,
  payloads: readonly Payload[],
): Promise<(readonly number[] | undefined)[]> {
  const analyze = createAnalysis(platform);
  const engine = createEngine({ now: () => now });
  const pause = createPauses(SLICE);
  for (const [number, query] of queries.entries()) {
    engine.put(String(number), query);
    const pausing = pause(RULE_COST);
    if (pausing !== undefined) await pausing;
  }
  const judged: (readonly number[] | undefined)[] = [];
  for (const payload of payloads) {
    signal.throwIfAborted();
    const view = await analyze(payload);
    if (isRejection(view)) {
      judged.push(undefined);
      continue;
    }
    const { matches } = await matchInSlices(engine, view);
    judged.push(matches.map(Number));
    const pausing = pause(view.words.count + matches.length + EVENT_COST);
    if (pausing !== undefined) await pausing;
  }
  return judged;
}

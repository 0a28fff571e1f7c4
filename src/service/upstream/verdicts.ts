/** From an upstream's verdicts to our matches: judges an arrival, counts where the engine disagrees, and shows why. */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import type { Platform } from '../../domain/platform.ts';
import { type EventView, isRejection } from '../../engine/events/event-view.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Arrival } from '../../platforms/platform.ts';
import { judgesItself } from '../../rules/pack.ts';
import type { CommitEvent, CommitMatch, Verdict } from '../../store/store.ts';
import type { Found } from '../ingest/live-records.ts';
import { createStreamAnalysis, highlightInSlices } from '../ingest/long-events.ts';
import { earlierVersions } from '../ingest/payloads.ts';
import type { PlatformRules } from '../ingest/platform-rules.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log, Metrics } from '../telemetry.ts';
import {
  type ArrivalJudgement,
  byEngine,
  inParts,
  judgeVerdicts,
  type Knowledge,
  resolveUnnamed,
  understand,
} from './judge-arrival.ts';

export interface Judged {
  /** The event with its matches, in parts where there are many. */
  readonly events: readonly CommitEvent[];
  /** Registrations that are not known (yet). */
  readonly unknown: readonly string[];
  /** The upstream named a registration that has gone. */
  readonly isLate: boolean;
  /** Rules of which only a comparison of registrations can tell whether they missed the event. */
  readonly doubted: readonly Found[];
}

export interface Verdicts {
  /** Judges the arrival's event by these verdicts, or says what is wrong with it. One call at a time. */
  judge(arrival: Arrival, verdicts: readonly string[]): Promise<Judged | { readonly rejected: string }>;
  /**
   * Answers what is known by now of rules in doubt. After `isLast` no doubt is left: what may have been missed is
   * stored.
   */
  resolveDoubts(
    arrival: Arrival,
    doubted: readonly Found[],
    isLast: boolean,
  ): Promise<Pick<Judged, 'events' | 'doubted'>>;
}

interface Deps {
  readonly platform: Platform;
  readonly registrations: Pick<Registrations, 'resolve' | 'standsAlone' | 'heldAt'>;
  readonly rules: Pick<PlatformRules, 'live' | 'matchInSlices' | 'queryOf' | 'highlight'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Matches of one event in one part: a post that satisfies thousands of rules must not hold up the rest. */
const MATCHES_PER_PART = 200;
/** A rule that is read wrongly may disagree hundreds of times a second. It is logged once a minute. */
const LOG_EVERY_MS = 60_000;
/** Rules whose last disagreement is remembered. One that falls out is logged again. */
const RULES_LOGGED = 10_000;

export function createVerdicts(deps: Deps): Verdicts {
  const { platform, rules, metrics } = deps;
  const analyze = createStreamAnalysis(platform);
  const note = createNotes(deps);
  return {
    async judge(arrival, verdicts) {
      const view = await analyze(arrival.payload);
      if (isRejection(view)) return view;
      const knowledge = knowledgeOf(deps, arrival);
      const understood = understand(knowledge, verdicts);
      const { unknown, isLate, named, packs } = understood;
      // An upstream that names no rule leaves the judgement to us.
      const isSilent = verdicts.length === 0;
      const { found: own, evaluated, failures } = await rules.matchInSlices(view, undefined);
      for (const _ of failures) metrics.ruleFailed(platform);
      const isWhole = unknown.length === 0 && verdicts === arrival.verdicts;
      const judgement = isSilent ? byEngine(own) : judgeVerdicts(knowledge, understood, own, isWhole);
      // An event with verdicts that were not known at first is judged later, and is still the same event.
      metrics.event(platform, evaluated, judgement.chosen.length, verdicts !== arrival.verdicts);
      note(judgement, arrival.postId);
      const { doubted, chosen } = judgement;
      // It came for another program's rules alone.
      const isForeign = !isSilent && named.size + packs.length + chosen.length === 0;
      const events = isForeign ? [] : await eventsOf(deps, arrival, view, judgement);
      return { events, unknown, isLate, doubted };
    },
    async resolveDoubts(arrival, doubted, isLast) {
      const { stored, doubted: unsure } = resolveUnnamed(knowledgeOf(deps, arrival), doubted);
      const left = isLast ? [] : unsure;
      const missed = isLast ? [...stored, ...unsure] : stored;
      if (missed.length === 0) return { events: [], doubted: left };
      const view = await analyze(arrival.payload);
      if (isRejection(view)) return { events: [], doubted: left };
      return { events: await eventsOf(deps, arrival, view, byEngine(missed)), doubted: left };
    },
  };
}

const knowledgeOf = ({ platform, registrations, rules }: Deps, { at }: Pick<Arrival, 'at'>): Knowledge => ({
  resolve: (id) => registrations.resolve(platform, id),
  holders: (text) => rules.live.holders(text),
  standsAlone: (text) => registrations.standsAlone(platform, text),
  heldThen: (text) => registrations.heldAt(platform, text, at),
  isComparable({ text }) {
    const query = rules.queryOf(text);
    return query !== undefined && judgesItself(query);
  },
});

/** Counts each verdict, and logs a rule on which upstream and engine disagree. */
function createNotes({ platform, clock, log, metrics }: Deps) {
  const logged = createLru<string, number>({ limit: RULES_LOGGED });

  function note(verdict: Verdict | 'engine_only', { ruleId }: Found, postId: string): void {
    metrics.verdict(platform, verdict);
    if (verdict === 'agreed') return;
    const now = clock.elapsed();
    if (now - (logged.get(ruleId) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    logged.set(ruleId, now);
    log.warn({ platform, ruleId, postId, verdict }, 'the upstream and the engine disagree on a rule');
  }

  return ({ chosen, engineOnly, unclaimed }: ArrivalJudgement, postId: string): void => {
    for (let pack = 0; pack < unclaimed; pack++) metrics.verdict(platform, 'unclaimed');
    for (const { found, verdict } of chosen) if (verdict) note(verdict, found, postId);
    for (const found of engineOnly) note('engine_only', found, postId);
  };
}

async function eventsOf(
  { platform, rules, clock }: Deps,
  { postId, payload }: Arrival,
  view: EventView,
  { chosen, engineOnly }: ArrivalJudgement,
): Promise<CommitEvent[]> {
  const event = { platform, postId, payload, accountId: undefined, source: platform };
  const earlier = earlierVersions(platform, payload, postId);
  const lookup = new ViewLookup(view, clock.now().getTime());
  const matches: CommitMatch[] = [];
  await highlightInSlices(lookup, chosen, ({ found, verdict }) => {
    matches.push({ ...rules.highlight(found, lookup), ...(verdict && { verdict }) });
  });
  return inParts(matches, MATCHES_PER_PART).map((part, at) => ({
    event,
    matches: part,
    ...(earlier && { earlier }),
    ...(at === 0 && engineOnly.length > 0 && { engineOnly: engineOnly.map(({ ruleId }) => ruleId) }),
  }));
}

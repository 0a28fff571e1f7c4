/**
 * From an upstream's word to our matches. For a registration of one text that word decides, and the engine's own verdict
 * is compared with it; among the texts of a pack the engine decides. Either way the engine shows why.
 */
import type { Clock } from '../../base/clock.ts';
import { createPauses } from '../../base/cooperate.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type EventView, isRejection } from '../../engine/events/event-view.ts';
import { ViewLookup } from '../../engine/explain/view-lookup.ts';
import type { Arrival } from '../../platforms/platform.ts';
import { judgesItself } from '../../rules/pack.ts';
import type { CommitEvent, CommitMatch, Verdict } from '../../store/store.ts';
import { matchWithHighlights } from '../ingest/match-with-highlights.ts';
import type { Found, Matching } from '../ingest/matching.ts';
import { earlierVersions } from '../ingest/payloads.ts';
import type { Registrations } from '../registrations/registrations.ts';
import { keyOf } from '../rule-text.ts';
import type { Log, Metrics } from '../telemetry.ts';

export interface Judged {
  /** The event with its matches, in parts where there are many. */
  readonly events: readonly CommitEvent[];
  /** Registrations that are not known, or not yet. */
  readonly unknown: readonly string[];
  /** The upstream spoke of a registration that has gone. */
  readonly isLate: boolean;
}

export interface Verdicts {
  /** What follows from these verdicts on the arrival's event; or what is wrong with it. One call at a time. */
  judge(arrival: Arrival, verdicts: readonly string[]): Promise<Judged | { readonly rejected: string }>;
}

interface Deps {
  readonly platform: Platform;
  readonly registrations: Pick<Registrations, 'resolve' | 'standsAlone'>;
  readonly matching: Pick<Matching, 'matchInSlices' | 'holders' | 'queryOf'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Matches of one event in one part; a post that satisfies thousands of rules must not hold up the rest. */
const MATCHES_AT_ONCE = 200;
/** Steps of highlights between two pauses. */
const STEPS_AT_ONCE = 50_000;
/** A rule that is read wrongly may disagree hundreds of times a second. */
const LOG_EVERY_MS = 60_000;

interface Chosen {
  readonly found: Found;
  readonly verdict?: Verdict;
}

/** What the verdicts stand for. */
interface Word {
  /** Rules that the upstream itself says are satisfied. */
  readonly named: Map<string, Found>;
  /** The texts of each pack that it says one of which is. */
  readonly packs: ReadonlySet<string>[];
  readonly unknown: string[];
  isLate: boolean;
}

export function createVerdicts(deps: Deps): Verdicts {
  const { platform, registrations, matching, clock, log, metrics } = deps;
  const analyze = newAnalyzer(platform);
  const logged = new Map<string, number>();

  function read(verdicts: readonly string[]): Word {
    const word: Word = { named: new Map(), packs: [], unknown: [], isLate: false };
    for (const id of verdicts) {
      const holding = registrations.resolve(platform, id);
      if (holding === undefined) word.unknown.push(id);
      else if (holding === 'late') word.isLate = true;
      else if (holding.packed) word.packs.push(new Set(holding.texts.map(keyOf)));
      else {
        const holders = holding.texts.flatMap((text) => matching.holders(platform, text));
        for (const found of holders) word.named.set(found.ruleId, found);
      }
    }
    return word;
  }

  /** The upstream's word where it has one of its own, the engine's among the rest of what was spoken of. */
  function choose({ named, packs }: Word, own: readonly Found[]): Chosen[] {
    const chosen = new Map<string, Chosen>();
    for (const pack of packs) {
      const claimed = own.filter(({ text }) => pack.has(keyOf(text)));
      if (claimed.length === 0) metrics.verdict(platform, 'unclaimed');
      for (const found of claimed) chosen.set(found.ruleId, { found });
    }
    const ownIds = new Set(own.map(({ ruleId }) => ruleId));
    for (const [ruleId, found] of named) {
      const verdict = ownIds.has(ruleId) ? 'agreed' : 'upstream_only';
      chosen.set(ruleId, isComparable(found) ? { found, verdict } : { found });
    }
    return [...chosen.values()];
  }

  const isComparable = ({ text }: Found): boolean => {
    const query = matching.queryOf(platform, text);
    return query !== undefined && judgesItself(query);
  };

  /** Rules of which only our engine says that they are satisfied, although the upstream was asked about each. */
  const engineOnly = (own: readonly Found[], chosen: readonly Chosen[]): Found[] => {
    const ids = new Set(chosen.map(({ found }) => found.ruleId));
    return own.filter(
      (found) => !ids.has(found.ruleId) && registrations.standsAlone(platform, found.text) && isComparable(found),
    );
  };

  function note(verdict: Verdict | 'engine_only', { ruleId }: Found, postId: string): void {
    metrics.verdict(platform, verdict);
    if (verdict === 'agreed') return;
    const now = clock.elapsed();
    if (now - (logged.get(ruleId) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    logged.set(ruleId, now);
    log.warn({ platform, ruleId, postId, verdict }, 'the upstream and the engine disagree on a rule');
  }

  async function parts(
    arrival: Arrival,
    view: EventView,
    chosen: readonly Chosen[],
    onlyOwn: readonly Found[],
  ): Promise<CommitEvent[]> {
    const { postId, payload } = arrival;
    const event = { platform, postId, payload, accountId: undefined };
    const earlier = earlierVersions(platform, payload, postId);
    const lookup = new ViewLookup(view, clock.now().getTime());
    const pause = createPauses(STEPS_AT_ONCE);
    const matches: CommitMatch[] = [];
    for (const { found, verdict } of chosen) {
      const before = lookup.steps;
      matches.push({ ...matchWithHighlights(matching, platform, lookup, found), ...(verdict && { verdict }) });
      const pausing = pause(lookup.steps - before);
      if (pausing !== undefined) await pausing;
    }
    const events: CommitEvent[] = [];
    for (let from = 0; from === 0 || from < matches.length; from += MATCHES_AT_ONCE) {
      events.push({
        event,
        matches: matches.slice(from, from + MATCHES_AT_ONCE),
        ...(earlier && { earlier }),
        ...(from === 0 && onlyOwn.length > 0 && { engineOnly: onlyOwn.map(({ ruleId }) => ruleId) }),
      });
    }
    return events;
  }

  return {
    async judge(arrival, verdicts) {
      const view = analyze(arrival.payload);
      if (isRejection(view)) return view;
      const word = read(verdicts);
      const { unknown, isLate, named, packs } = word;
      // An upstream that names no rule leaves the judgement to us.
      const isSilent = verdicts.length === 0;
      if (!isSilent && named.size === 0 && packs.length === 0) return { events: [], unknown, isLate };
      const { found: own, evaluated, failures } = await matching.matchInSlices(platform, view, undefined);
      for (const _ of failures) metrics.ruleFailed(platform);
      const chosen: Chosen[] = isSilent ? own.map((found) => ({ found })) : choose(word, own);
      metrics.event(platform, evaluated, chosen.length);
      const isAll = unknown.length === 0 && verdicts === arrival.verdicts;
      const onlyOwn = isAll ? engineOnly(own, chosen) : [];
      for (const { found, verdict } of chosen) if (verdict) note(verdict, found, arrival.postId);
      for (const found of onlyOwn) note('engine_only', found, arrival.postId);
      return { events: await parts(arrival, view, chosen, onlyOwn), unknown, isLate };
    },
  };
}

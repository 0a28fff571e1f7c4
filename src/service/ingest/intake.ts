/** Takes in one event: analyses it, matches it, and adds it with its matches to the next commit. */
import type { Clock } from '../../base/clock.ts';
import type { Lru } from '../../base/lru.ts';
import type { Event } from '../../domain/event.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { type Analyzer, type EventView, isRejection } from '../../engine/events/event-view.ts';
import type { Log, Metrics } from '../telemetry.ts';
import type { GroupCommit } from './group-commit.ts';
import { matchWithHighlights } from './match-with-highlights.ts';
import type { Matching } from './matching.ts';
import { earlierVersions, postIdOf } from './payloads.ts';
import type { Found } from './platform-rules.ts';
import type { Receipt } from './receipt.ts';

/** Matches of one event in one transaction; a post that satisfies thousands of rules must not hold up the rest. */
const MATCHES_AT_ONCE = 200;

/** An event on its way in. */
export interface Arriving {
  readonly platform: Platform;
  readonly payload: Payload;
  /** The payload's JSON where it is known; undefined where it must be written again. */
  readonly json: string | undefined;
  /** The account that it is for; undefined for an event that all accounts get. */
  readonly accountId: string | undefined;
  readonly receipt: Receipt;
}

export interface IntakeDeps {
  readonly matching: Matching;
  readonly commits: Pick<GroupCommit, 'add' | 'spaceFree'>;
  readonly analyzers: Readonly<Record<Platform, Analyzer>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Rules whose failure was logged already. */
  readonly logged: Lru<string, true>;
  /** Gives the event loop a turn. */
  pause(): Promise<void> | undefined;
}

/** Answers what is wrong with the event, or undefined; a promise where an event with very many matches takes turns. */
export function takeIn(deps: IntakeDeps, arriving: Arriving): string | undefined | Promise<undefined> {
  const { matching, metrics, analyzers } = deps;
  const { platform, payload, json, accountId } = arriving;
  const view = analyzers[platform](payload);
  if (isRejection(view)) return view.rejected;
  const postId = postIdOf(platform, payload, view.id);
  if (typeof postId !== 'string') return postId.rejected;
  const event = { platform, postId, payload, accountId, ...(json === undefined ? {} : { json }) };
  const { found, evaluated, failures } = matching.match(platform, view, accountId);
  metrics.event(platform, evaluated, found.length);
  for (const { ruleId, error } of failures) reportFailure(deps, platform, ruleId, error);
  addToCommit(deps, arriving, event, view, found.slice(0, MATCHES_AT_ONCE));
  return found.length > MATCHES_AT_ONCE ? addRest(deps, arriving, event, found) : undefined;
}

async function addRest(
  deps: IntakeDeps,
  arriving: Arriving,
  event: Event,
  found: readonly Found[],
): Promise<undefined> {
  for (let from = MATCHES_AT_ONCE; from < found.length; from += MATCHES_AT_ONCE) {
    await deps.pause();
    await deps.commits.spaceFree();
    // The analyzer may have read another event during the pause, which makes the old view invalid.
    const view = deps.analyzers[event.platform](event.payload) as EventView;
    addToCommit(deps, arriving, event, view, found.slice(from, from + MATCHES_AT_ONCE));
  }
}

function addToCommit(
  { matching, clock, commits }: IntakeDeps,
  { platform, json, receipt }: Arriving,
  event: Event,
  view: EventView,
  found: readonly Found[],
): void {
  const matches = found.map((one) => matchWithHighlights(matching, clock, platform, view, one));
  const earlier = earlierVersions(platform, event.payload, event.postId);
  commits.add(platform, { event, matches, ...(earlier && { earlier }) }, json?.length ?? 0, receipt);
}

/** A rule that throws is counted each time and logged once; the other rules go on. */
function reportFailure({ metrics, log, logged }: IntakeDeps, platform: Platform, ruleId: string, error: unknown): void {
  metrics.ruleFailed(platform);
  if (logged.get(ruleId)) return;
  logged.set(ruleId, true);
  log.error({ platform, ruleId, err: error }, 'a rule failed on an event');
}

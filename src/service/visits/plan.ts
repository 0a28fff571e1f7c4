/** The consequences of a visit: the status of the source in a word, and when it is visited next. */
import { shownSource } from '../../base/parse-url.ts';
import type { SourceHealth } from '../../domain/source.ts';
import { delayAfter } from '../../sources/fetch/rounds.ts';
import type { SourceFetch, SourceVisit } from '../../store/store.ts';
import type { VisitOutcome } from './visit.ts';

const DAY_MS = 24 * 3_600_000;
const WEEK_MS = 7 * DAY_MS;
/** The rate forgets what is older than some of these. */
const RATE_DAYS = 3;
/** With less than this many events a day, a visit without one is silence. */
const RARE = 0.2;
/** A source that brings something is visited twice as often, one that does not, half as often again; within what its owner set. */
const FASTER = 0.5;
const LATER = 1.5;
/** Spreads sources that were added together. */
const SPREAD = 0.1;
/**
 * Failures of some addresses count up to here: owners are told of the third, and when all fail for once, the next visit is not to be
 * a day later.
 */
const MOST_PARTIAL = 4;
const REFUSED: ReadonlySet<number> = new Set([401, 402, 403, 407, 451]);

type Next = Omit<SourceVisit, 'key' | 'visits' | 'at' | 'dueAt' | 'owners'>;

export function planNext(fetch: SourceFetch, visited: VisitOutcome, now: Date, random: () => number): Next {
  const { everyMs, slowestMs } = fetch;
  // While some addresses answer, they are visited as usual: else what they list meanwhile is lost because of the others.
  const isAway = visited.problem !== undefined && visited.hasAnswered !== true;
  const came = isAway ? 0 : Math.max(0, ...visited.events.values());
  const spread = (milliseconds: number) => Math.round(milliseconds * (1 + SPREAD * (random() - 0.5)));
  const intervalMs = isAway ? everyMs : intervalAfter(fetch, came);
  const waitMs = isAway
    ? spread(delayAfter(undefined, everyMs, fetch.failures))
    : Math.max(everyMs, Math.min(spread(intervalMs), slowestMs));
  // The events of the first visit were published over a long time.
  const rate = rateAfter(fetch, fetch.visitedAt === undefined ? 0 : came, now);
  if (visited.problem !== undefined) {
    const asked = (visited.retryAfter ?? 0) * 1_000;
    return {
      status: wordOf(fetch, visited, visited.problem),
      lastGoodAt: fetch.lastGoodAt,
      lastError: { at: now, message: visited.problem },
      nextAt: laterThan(now, Math.max(waitMs, asked)),
      intervalMs,
      failures: isAway ? fetch.failures + 1 : Math.min(fetch.failures + 1, MOST_PARTIAL),
      rate,
    };
  }
  const quiet: SourceHealth = came > 0 || rate >= RARE ? 'ok' : 'silent';
  return {
    status: visited.movedTo === undefined ? quiet : 'moved',
    lastGoodAt: now,
    lastError: visited.movedTo === undefined ? undefined : { at: now, message: movedMessage(visited.movedTo) },
    nextAt: laterThan(now, waitMs),
    intervalMs,
    failures: 0,
    rate,
  };
}

function intervalAfter({ intervalMs, everyMs, slowestMs }: SourceFetch, came: number): number {
  const wished = Math.max(intervalMs, everyMs) * (came > 0 ? FASTER : LATER);
  return Math.round(Math.min(Math.max(wished, everyMs), slowestMs));
}

/** An interval that was stored before it had a bound may end at no date at all, and the source would never be visited again. */
const laterThan = (now: Date, milliseconds: number): Date => new Date(now.getTime() + Math.min(milliseconds, WEEK_MS));

const movedMessage = (url: string): string =>
  `It has moved to ${shownSource(url)} for good. It is read from there; change the address of the source.`;

/** Events a day; those of long ago count less and less. */
function rateAfter({ rate, visitedAt }: SourceFetch, came: number, now: Date): number {
  const days = visitedAt === undefined ? 0 : (now.getTime() - visitedAt.getTime()) / DAY_MS;
  return rate * Math.exp(-days / RATE_DAYS) + came / RATE_DAYS;
}

/** A source that answers and cannot be read has changed, if it could be read before. */
function wordOf({ lastGoodAt }: SourceFetch, { status }: VisitOutcome, problem: string): SourceHealth {
  if ((status !== undefined && REFUSED.has(status)) || /robots\.txt/.test(problem)) return 'blocked';
  return status === 200 && lastGoodAt !== undefined ? 'changed' : 'failing';
}

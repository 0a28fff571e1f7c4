/** A service that visits a stand-in web, with a clock that the test sets: sources are due when the test says so. */
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { openService, type TestOptions, type TestService } from './service.ts';
import type { WebReach } from './web.ts';

/** The time of day is the test's; pauses and time limits are real. */
export interface MovableClock extends Clock {
  forward(milliseconds: number): void;
}

export function movableClock(): MovableClock {
  // No test begins shortly before the end of a day.
  let moved = Date.parse('2026-11-15T08:00:00Z') - Date.now();
  return {
    ...systemClock,
    now: () => new Date(Date.now() + moved),
    forward(milliseconds) {
      moved += milliseconds;
    },
  };
}

export interface Visiting extends TestService {
  readonly clock: MovableClock;
  /** Adds a feed at an address, and answers the id of the source. */
  add(caller: Caller, url: string, options?: object): Promise<string>;
  /** Everything that is due within the time is visited. */
  after(milliseconds: number): Promise<void>;
  /** A rule for pages with a word in their title. */
  rule(caller: Caller, word: string, sources?: readonly string[]): Promise<string>;
}

export async function openVisiting(web: Pick<WebReach, 'visits'>, options: TestOptions = {}): Promise<Visiting> {
  const clock = movableClock();
  const test = await openService({
    clock,
    ...options,
    visits: { ...web.visits, random: () => 0.5, ...options.visits },
  });
  return {
    ...test,
    clock,
    async add(caller, url, given = {}) {
      const input = { kind: 'feeds', name: 'News', options: { urls: [url], every: 60, ...given } };
      return (await test.call(caller, 'createSource', input)).source_id;
    },
    async after(milliseconds) {
      clock.forward(milliseconds);
      await test.service.context.visits.idle();
    },
    async rule(caller, word, sources) {
      const rule = { name: word, intent: '', platforms: ['firehose'], overrides: { firehose: `title:${word}` } };
      const limited = sources === undefined ? rule : { ...rule, options: { sources } };
      return (await test.call(caller, 'createRule', limited)).rule_id;
    },
  };
}

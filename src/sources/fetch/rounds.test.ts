import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createSourceHttp } from './fetch-url.ts';
import { rounds } from './rounds.ts';
import { GoneError, SourceError } from './source-error.ts';

const MINUTE = 60_000;

/** The minutes at which an address is visited that always fails. */
async function visitsOf(error: Error, everyMs: number, forMs: number): Promise<number[]> {
  const clock = fakeClock();
  const began = clock.elapsed();
  const stop = new AbortController();
  const http = createSourceHttp({ clock, userAgent: 'sluice-tests', isPublic: () => true });
  const context = { clock, http, signal: stop.signal, live: () => {}, trouble: () => {} };
  const visits: number[] = [];
  const visit = async () => {
    visits.push(Math.floor((clock.elapsed() - began) / MINUTE));
    throw error;
  };
  const running = (async () => {
    for await (const _ of rounds(context, { addresses: ['https://a.example/'], everyMs, visit }));
  })();
  await clock.pass(forMs);
  stop.abort();
  await running;
  return visits;
}

it.each([
  ['after twice the time of before', new Error('down'), [0, 15, 45, 105]],
  ['no sooner because its server asks for a second', new SourceError('busy', { retryAfter: 1 }), [0, 15, 45, 105]],
  ['when its server asks for, if that is later', new SourceError('busy', { retryAfter: 3_600 }), [0, 60, 120, 180]],
  ['a day later when it is gone', new GoneError('gone'), [0]],
])('an address that fails is asked again %s', async (_, error, minutes) =>
  expect(await visitsOf(error, 15 * MINUTE, 190 * MINUTE)).toEqual(minutes),
);

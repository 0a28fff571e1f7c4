import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isQuietBySight, MINUTE, walkTo } from '../../test/stages/wall-clock.ts';
import { type QuietHours, WEEKDAYS } from '../domain/wake.ts';
import { afterQuiet, isQuiet, isZone, nextTime } from './local-time.ts';

const BERLIN = 'Europe/Berlin';

const timeOfDay = fc
  .integer({ min: 0, max: 1_439 })
  .map((minute) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`);
const zone = fc.constantFrom(
  BERLIN,
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'America/Sao_Paulo',
  'UTC',
  '+02:00',
);
/** Half of them within a day of a change of summer time in 2026. */
const CHANGES = [
  '2026-03-29T01:00Z',
  '2026-10-25T01:00Z',
  '2026-03-08T07:00Z',
  '2026-11-01T06:00Z',
  '2026-04-04T15:00Z',
];
const moment = fc.oneof(
  fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -1_440, max: 1_440 }))
    .map(([at, off]) => Date.parse(at) + off * MINUTE),
  fc.integer({ min: 0, max: 365 * 1_440 }).map((minute) => Date.parse('2026-01-01') + minute * MINUTE),
);
const hours = fc
  .record({
    from: timeOfDay,
    to: fc.oneof(timeOfDay, fc.constant('24:00')),
    zone,
    days: fc.option(fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 6 }), { nil: undefined }),
  })
  .filter(({ from, to, days }) => from !== to && (from !== '00:00' || to !== '24:00' || days !== undefined));

describe('times of day in a time zone', () => {
  it('come when the clocks there show them, at the jump over them, and twice in an hour that comes twice', () => {
    const next = (text: string, after: string) => nextTime(BERLIN, text, new Date(after)).toISOString().slice(0, 16);
    expect(next('08:00', '2026-11-15T08:30:00Z')).toBe('2026-11-16T07:00');
    expect(next('08:00', '2026-07-15T05:00:00Z')).toBe('2026-07-15T06:00');
    expect(next('08:00', '2026-03-28T12:00:00Z')).toBe('2026-03-29T06:00');
    expect(next('02:30', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00');
    expect(next('02:30', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30');
    expect(next('02:30', '2026-10-25T00:30:00Z')).toBe('2026-10-25T01:30');
    expect(next('24:00', '2026-11-15T08:30:00Z')).toBe('2026-11-15T23:00');
  });

  it('are those that are found by looking at the clock every minute', () => {
    fc.assert(
      fc.property(zone, timeOfDay, moment, (name, text, time) => {
        expect(nextTime(name, text, new Date(time)).getTime()).toBe(walkTo(name, text, time));
      }),
      { numRuns: 60 },
    );
  });
});

describe('quiet hours', () => {
  const night: QuietHours = { from: '22:00', to: '07:00', zone: BERLIN };
  const weekend: QuietHours = { from: '00:00', to: '24:00', zone: BERLIN, days: ['sat', 'sun'] };

  it('keep to the clocks of the zone in summer and winter, and belong to the day on which they begin', () => {
    expect(isQuiet(night, new Date('2026-11-15T21:00:00Z'))).toBe(true);
    expect(isQuiet(night, new Date('2026-07-15T20:00:00Z'))).toBe(true);
    expect(isQuiet(night, new Date('2026-11-15T20:59:59Z'))).toBe(false);
    expect(isQuiet(night, new Date('2026-11-16T06:00:00Z'))).toBe(false);
    const friday: QuietHours = { ...night, days: ['fri'] };
    expect(isQuiet(friday, new Date('2026-11-21T03:00:00Z'))).toBe(true);
    expect(isQuiet(friday, new Date('2026-11-20T03:00:00Z'))).toBe(false);
  });

  it('end once, also where one period follows another', () => {
    expect(afterQuiet(weekend, new Date('2026-11-21T10:00:00Z'))).toEqual(new Date('2026-11-22T23:00:00Z'));
    expect(afterQuiet(night, new Date('2026-03-28T23:00:00Z'))).toEqual(new Date('2026-03-29T05:00:00Z'));
    const awake = new Date('2026-11-16T12:00:00Z');
    expect(afterQuiet(night, awake)).toBe(awake);
    expect(afterQuiet(undefined, awake)).toBe(awake);
  });

  it('are what a clock on the wall says, and lead to a time outside of them', () => {
    fc.assert(
      fc.property(hours, moment, (quiet, time) => {
        const at = new Date(time);
        expect(isQuiet(quiet, at)).toBe(isQuietBySight(quiet, time));
        const end = afterQuiet(quiet, at).getTime();
        expect(isQuietBySight(quiet, end)).toBe(false);
        expect(isQuiet(quiet, at) ? wallEnds(quiet, end) : end === time).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  /** The wall clock shows the end, or has just jumped over it. */
  const wallEnds = ({ zone: name, to }: QuietHours, time: number): boolean => walkTo(name, to, time - MINUTE) === time;

  it('ask the system once a minute for a zone, however many matches come', () => {
    using asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    const begin = Date.parse('2026-05-05T10:00:00Z');
    for (let match = 0; match < 10_000; match++) isQuiet(night, new Date(begin + match * 12));
    expect(asked.mock.calls.length).toBe(2);
    for (let match = 0; match < 100; match++) afterQuiet(night, new Date('2026-05-05T22:30:00Z'));
    expect(asked.mock.calls.length).toBe(2 + 200);
  });
});

it('knows time zones by the names of the IANA, and nothing else', () => {
  expect([BERLIN, 'UTC', 'Asia/Kolkata'].every(isZone)).toBe(true);
  expect(['Berlin', '', 'Europe/Nowhere', 'CEST/CET', '../etc'].some(isZone)).toBe(false);
});

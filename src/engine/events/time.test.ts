import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { timeIn } from './time.ts';

it('reads what dates print', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      expect(timeIn(date.toISOString())).toBe(date.getTime());
    }),
  );
});

it.each([
  ['2026-02-13T08:06:32', '2026-02-13T08:06:32Z'],
  ['2026-02-13 08:06:32', '2026-02-13T08:06:32Z'],
  ['2026-02-13T08:06', '2026-02-13T08:06:00Z'],
  ['2026-02-13', '2026-02-13T00:00:00Z'],
  ['2026-02-13T08:06:32.123456Z', '2026-02-13T08:06:32.123Z'],
  ['2026-02-13T08:06:32+01:30', '2026-02-13T06:36:32Z'],
  ['2026-02-13T08:06:32-0100', '2026-02-13T09:06:32Z'],
])('%s is %s', (text, same) => {
  expect(timeIn(text)).toBe(Date.parse(same));
});

it.each(['', 'yesterday', '2026-02', '2026-xx-13', '2026-02-13T', '2026-02-13T08:06:32 UTC', 7, null, undefined])(
  '%j is no time',
  (value) => {
    expect(timeIn(value)).toBeUndefined();
  },
);

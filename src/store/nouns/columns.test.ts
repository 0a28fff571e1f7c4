/** A value that stands in columns comes back as it was, and one that is not there is not there. */
import { describe, expect, it } from 'vitest';
import { decodeAlerts, encodeAlerts, encodeFlags, holdingOf } from '../rows/rule-rows.ts';
import { dateOrNone, decodeText, encodeText, textOrNull, timeOrNull } from '../rows/texts.ts';
import { alertPage } from './alerts.ts';
import { attemptPage } from './attempts.ts';
import { changeColumns, changeFilter, changePage } from './changes.ts';
import { attemptOf } from './deliveries.ts';
import { readingOf, readingValues } from './readings.ts';

const START = Date.UTC(2026, 10, 15);
const at = (milliseconds: number): Date => new Date(START + milliseconds);

describe('a column', () => {
  it('has texts as JSON strings, times as milliseconds, and null where there is nothing', () => {
    for (const text of ['', 'plain', 'a "b"', 'a\\b', '\ud800', '\0']) expect(decodeText(encodeText(text))).toBe(text);
    expect([textOrNull('a'), textOrNull(undefined)]).toEqual(['"a"', null]);
    expect([timeOrNull(at(5)), timeOrNull(undefined)]).toEqual([START + 5, null]);
    expect([dateOrNone(START), dateOrNone(0), dateOrNone(null)]).toEqual([at(0), new Date(0), undefined]);
  });

  it('has the two alerts of a rule in two bits', () => {
    for (const surge of [false, true])
      for (const silence of [false, true])
        expect(decodeAlerts(encodeAlerts({ surge, silence }))).toEqual({ surge, silence });
    expect(encodeAlerts({ surge: false, silence: false })).toBe(0);
  });

  it('has equal flags and holdings for equal texts, whatever the order', () => {
    expect(encodeFlags({ nsfw: true, quality: false })).toBe(encodeFlags({ quality: false, nsfw: true }));
    const holdings = [
      holdingOf('a', {}),
      holdingOf('b', {}),
      holdingOf('a', { nsfw: true }),
      holdingOf('a', { nsfw: false }),
    ];
    expect(new Set(holdings).size).toBe(4);
    expect(holdingOf('a', {})).toBe(holdings[0]);
    expect(Math.max(...holdings)).toBeLessThan(2 ** 48);
  });
});

describe('a page', () => {
  const alert = (number: number) => ({
    number,
    id: `alert_${number}`,
    account_id: 'a',
    rule_id: 'r',
    rule_name: '"n"',
    platform: 'x' as const,
    kind: 'surge' as const,
    from_at: START,
    to_at: null,
    rate: 2,
    usual_rate: 1,
  });
  const change = (number: number) => ({
    number,
    at: START,
    made_by: '{"kind":"system"}',
    what: 'rule.changed' as const,
    subject: 's',
    before: null,
    after: '{"a":1}',
  });

  it('of alerts or changes has a next one when there is one row more than asked for', () => {
    for (const [rows, next] of [
      [1, undefined],
      [2, undefined],
      [3, 2],
    ] as const) {
      const numbers = [3, 2, 1].slice(0, rows);
      const alerts = alertPage(numbers.map(alert), 2);
      expect([alerts.alerts.length, alerts.next]).toEqual([Math.min(2, rows), next]);
      const changes = changePage(numbers.map(change), 2);
      expect([changes.changes.length, changes.next]).toEqual([Math.min(2, rows), next]);
    }
    expect(changePage([change(1)], 1).changes).toEqual([
      { at: at(0), by: { kind: 'system' }, what: 'rule.changed', id: 's', after: { a: 1 } },
    ]);
  });

  it('of attempts has a next one when it is full', () => {
    const row = { number: 4, at: START, milliseconds: 3, error: null };
    expect(attemptPage([row], 2)).toEqual({
      attempts: [{ at: at(0), milliseconds: 3, isDelivered: true }],
      next: undefined,
    });
    expect(attemptPage([row, { ...row, number: 3, error: '"down"' }], 2)).toMatchObject({
      attempts: [{ isDelivered: true }, { isDelivered: false }],
      next: { at: START, number: 3 },
    });
    expect(attemptPage([], 2).next).toBeUndefined();
  });
});

describe('an attempt', () => {
  const row = { at: START, milliseconds: 3, status_code: null, error: null, response: '""' };

  it('has a status and an error only where it got one', () => {
    expect(attemptOf(row)).toStrictEqual({
      at: at(0),
      milliseconds: 3,
      statusCode: undefined,
      error: undefined,
      response: '',
    });
    const failed = attemptOf({ ...row, status_code: 500, error: '"down"', response: '"no"' });
    expect(failed).toMatchObject({ statusCode: 500, error: 'down', response: 'no' });
  });
});

describe('a change', () => {
  it('has its kind before the point, and nulls where it says nothing', () => {
    const note = { at: at(1), by: { kind: 'system' as const }, what: 'webhook.changed' as const, id: 'hook_1' };
    const said = [at(1), '{"kind":"system"}', 'webhook', 'webhook.changed', 'hook_1'];
    expect(changeColumns(note)).toEqual([...said, null, null]);
    expect(changeColumns({ ...note, before: { a: 1 }, after: { a: 2 } })).toEqual([...said, '{"a":1}', '{"a":2}']);
  });

  it('is asked for by the thing, else by the kind, else by the account', () => {
    const query = { accountId: 'a', limit: 1 };
    expect(changeFilter({ ...query, id: 's', kind: 'rule' })).toEqual({ column: 'subject', value: 's' });
    expect(changeFilter({ ...query, kind: 'rule' })).toEqual({ column: 'kind', value: 'rule' });
    expect(changeFilter(query)).toBeUndefined();
  });
});

describe('a reading', () => {
  const reading = { source: 'feeds', events: 3 };

  it('marks the minute with the cursor, and with the address before it where a source has many', () => {
    expect(readingValues({ name: 'source:feeds', value: 'c', reading }, at(0))).toEqual([
      'feeds',
      START / 60_000,
      3,
      '"c"',
      '"c"',
    ]);
    const [, , , mark] = readingValues({ name: 'source:feeds https://a', value: 'c', reading }, at(0))!;
    expect(mark).toBe('"https://a c"');
    expect(readingValues({ name: 'x', value: 'c' }, at(0))).toBeUndefined();
  });

  it('has a digest in the place of a cursor of more than two hundred characters', () => {
    const markOf = (length: number) =>
      readingValues({ name: 'source:feeds', value: 'c'.repeat(length), reading }, at(0))![3];
    expect(markOf(200)).toBe(`"${'c'.repeat(200)}"`);
    expect(markOf(201)).toMatch(/^"sha256:[0-9a-f]{64}"$/);
  });

  it('has no cursors where nothing was read', () => {
    expect(readingOf(0, undefined, undefined)).toEqual({ events: 0, firstCursor: undefined, lastCursor: undefined });
    const marks = [
      { first_mark: '"a"', last_mark: '"b"' },
      { first_mark: '"c"', last_mark: '"d"' },
    ] as const;
    expect(readingOf(2, marks[0], marks[1])).toEqual({ events: 2, firstCursor: 'a', lastCursor: 'd' });
  });
});

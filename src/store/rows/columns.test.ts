/** What stands in columns comes back as it was, and what is not there is not there. */
import { describe, expect, it } from 'vitest';
import type { Webhook } from '../../domain/webhook.ts';
import { positionAt } from '../order.ts';
import { alertPage, decodeAlerts, encodeAlerts, watchOf } from './alerts.ts';
import { changeColumns, changeFilter, changePage } from './changes.ts';
import { attemptOf, attemptPage } from './deliveries.ts';
import { backlogOf, heldOf, isWakeTurn, ruleToReplay } from './owed.ts';
import { readingOf, readingValues } from './readings.ts';
import { encodeFlags, holdingOf, rulesOf } from './rules.ts';
import { subscriptionOf } from './subscriptions.ts';
import { dateOrNone, decodeText, encodeText, textOrNull, timeOrNull } from './texts.ts';
import { deletedRulesOf, placeAfter } from './trash.ts';
import { agendaOf, changedColumns, webhookOf } from './webhooks.ts';

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
    ...{ number, id: `alert_${number}`, account_id: 'a', rule_id: 'r', rule_name: '"n"', platform: 'x' as const },
    ...{ kind: 'surge' as const, from_at: START, to_at: null, rate: 2, usual_rate: 1 },
  });
  const change = (number: number) => ({
    ...{ number, at: START, made_by: '{"kind":"system"}', what: 'rule.changed' as const, subject: 's' },
    ...{ before: null, after: '{"a":1}' },
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
      ...{ at: at(0), milliseconds: 3, statusCode: undefined, error: undefined, response: '' },
    });
    const failed = attemptOf({ ...row, status_code: 500, error: '"down"', response: '"no"' });
    expect(failed).toMatchObject({ statusCode: 500, error: 'down', response: 'no' });
  });
});

describe('a change', () => {
  it('has its kind before the point, and nulls where it says nothing', () => {
    const note = { at: at(1), by: { kind: 'system' as const }, what: 'webhook.changed' as const, id: 'hook_1' };
    expect(changeColumns(note)).toEqual({
      ...{ at: START + 1, by: '{"kind":"system"}', kind: 'webhook', what: 'webhook.changed', subject: 'hook_1' },
      ...{ before: null, after: null },
    });
    expect(changeColumns({ ...note, before: { a: 1 }, after: { a: 2 } })).toMatchObject({
      before: '{"a":1}',
      after: '{"a":2}',
    });
  });

  it('is asked for by the thing, else by the kind, else by the account', () => {
    const query = { accountId: 'a', limit: 1 };
    expect(changeFilter({ ...query, id: 's', kind: 'rule' })).toEqual({ column: 'subject', value: 's' });
    expect(changeFilter({ ...query, kind: 'rule' })).toEqual({ column: 'kind', value: 'rule' });
    expect(changeFilter(query)).toBeUndefined();
  });
});

describe('a watch', () => {
  const row = {
    ...{ rule: 1, platform: 'x' as const, rule_id: 'r', rule_name: '"n"', account_id: 'a', created_at: START },
    ...{ paused: 0, status: 'active' as const, alerts: 1, version: 2, past_version: 1 },
    ...{ now: null, past: null, ten: null, sixty: null },
  };

  it('is of a rule that runs when the platform has it and it is not paused', () => {
    const runs = (change: object) => watchOf({ ...row, ...change }).isRunning;
    expect([runs({}), runs({ paused: 1 }), runs({ status: 'failed' })]).toEqual([true, false, false]);
    expect(watchOf(row)).toMatchObject({ now: undefined, past: undefined, ten: 0, sixty: 0 });
    const full = watchOf({ ...row, now: 'n', past: 'p', ten: 3, sixty: 4 });
    expect(full).toMatchObject({ now: 'n', past: 'p', ten: 3, sixty: 4 });
  });
});

describe('a webhook', () => {
  const row = {
    ...{ id: 'hook_1', account_id: 'acct_1', status: 'active' as const, created_at: START, url: '"u"' },
    ...{ description: '""', format: 'json' as const, rule_ids: null, platforms: null, every: null, events: null },
    ...{ reason: null, secret: 's', previous_secret: null, previous_until: null, last_failure_at: null },
    ...{ failing_since: null, subscription: null, owner: null, event: null, expires_at: null, brief: 0 },
    ...{ terms: null, wake: null, wake_account: null, wake_turn: 0, credential: null, confirmed_url: null },
  };
  const plain: Webhook = {
    ...{ id: 'hook_1', accountId: 'acct_1', url: 'u', description: '', ruleIds: undefined, platforms: undefined },
    ...{ format: 'json', events: ['match'], every: undefined, status: 'active', reason: undefined },
    createdAt: at(0),
    secrets: { current: 's', previous: undefined, previousUntil: undefined },
    health: { lastFailureAt: undefined, failingSince: undefined },
  };

  it('has nothing that its row does not have; one from before there were other events is told of matches', () => {
    const { subscription, ...read } = webhookOf(row);
    expect([read, subscription]).toStrictEqual([plain, undefined]);
  });

  it('has all that its row has', () => {
    const full = webhookOf({
      ...{ ...row, rule_ids: '["r"]', platforms: '["x"]', every: 5, events: '[]', reason: '"why"' },
      ...{ previous_secret: 'p', previous_until: START + 1, last_failure_at: START + 2, failing_since: START + 3 },
      ...{ wake: '{"per":"match"}', wake_account: `[${START},1,2,3]`, wake_turn: 4, credential: 'c' },
      confirmed_url: '"v"',
    });
    expect(full).toMatchObject({
      ...{ ruleIds: ['r'], platforms: ['x'], every: 5, events: [], reason: 'why' },
      secrets: { current: 's', previous: 'p', previousUntil: at(1) },
      health: { lastFailureAt: at(2), failingSince: at(3) },
      wake: { per: 'match' },
      wakeAccount: { windowFrom: at(0), wakes: 1, held: 2, stories: 3 },
      ...{ wakeTurn: 4, credential: 'c', confirmedUrl: 'v' },
    });
    expect(webhookOf({ ...row, wake: '{"per":"match"}' }).wakeAccount).toBeUndefined();
  });

  it('keeps its reason and record through a change, starts clean when made active, and voids its turn with its contract', () => {
    const failing: Webhook = {
      ...{ ...plain, reason: 'why', status: 'disabled', wakeTurn: 4 },
      health: { lastFailureAt: at(2), failingSince: at(3) },
    };
    expect(changedColumns(failing, { description: 'd' })).toMatchObject({
      ...{ description: '"d"', status: 'disabled', reason: '"why"', wakeTurn: 4 },
      ...{ lastFailureAt: START + 2, failingSince: START + 3 },
    });
    expect(changedColumns(failing, { reason: 'new' }).reason).toBe('"new"');
    expect(changedColumns(failing, { status: 'active' })).toMatchObject({
      ...{ status: 'active', reason: null, lastFailureAt: null, failingSince: null },
    });
    expect(changedColumns(failing, { wake: null })).toMatchObject({ wake: null, wakeTurn: 5 });
    expect(changedColumns(plain, { wake: { per: 'match' } })).toMatchObject({ wake: '{"per":"match"}', wakeTurn: 1 });
  });

  it('is on the agenda with what waits, or without', () => {
    const idle = { ...row, oldest: null, owed: 0, pending: 2, next_at: null };
    expect(agendaOf(idle)).toMatchObject({ owedSince: undefined, owed: 0, pending: 2, nextAt: undefined });
    const waiting = { ...idle, oldest: positionAt(START), owed: 1, next_at: START + 9 };
    expect(agendaOf(waiting)).toMatchObject({ owedSince: at(0), owed: 1, nextAt: at(9) });
  });

  it('is an agent’s subscription only with all that one has', () => {
    const terms = JSON.stringify({ arguments: '{}', start: 3, verifiedAt: START + 1, refreshedAt: START + 2 });
    const whole = { subscription: 'sub_1', owner: 'key_1', event: 'match.created' as const, expires_at: START, terms };
    expect(subscriptionOf({ ...row, ...whole, brief: 1 })).toEqual({
      ...{ id: 'sub_1', ownerId: 'key_1', event: 'match.created', arguments: '{}', start: 3, isBrief: true },
      ...{ expiresAt: at(0), verifiedAt: at(1), refreshedAt: at(2) },
    });
    for (const name of Object.keys(whole))
      expect(subscriptionOf({ ...row, ...whole, [name]: null }), name).toBeUndefined();
  });
});

describe('what is owed', () => {
  it('is replayed for the one rule of a subscription to matches', () => {
    const wanting = { number: 1, rule_ids: '["r","s"]', platforms: null, events: null };
    expect(ruleToReplay(wanting)).toBe('r');
    expect(ruleToReplay({ ...wanting, events: '["match"]' })).toBe('r');
    expect(ruleToReplay({ ...wanting, events: '["alert"]' })).toBeUndefined();
    expect(ruleToReplay({ ...wanting, rule_ids: null })).toBeUndefined();
  });

  it('is batched on purpose or not, and held with its story or without', () => {
    const row = { account_id: 'a', webhook_id: 'w', status: 'active' as const, matches: 2, oldest: positionAt(START) };
    expect(backlogOf({ ...row, every: null })).toMatchObject({ isBatched: false, since: at(0) });
    expect(backlogOf({ ...row, every: 60 }).isBatched).toBe(true);
    const held = { position: positionAt(START), tail: '0'.repeat(16) };
    expect(heldOf({ ...held, story: null })).toMatchObject({ at: at(0), story: undefined });
    expect(heldOf({ ...held, story: 'st' }).story).toBe('st');
  });

  it('is decided by the present contract in its present turn, or by none where there is none', () => {
    const row = { number: 1, account: 1, wake_turn: 3 };
    const turn = { turn: 3 } as Parameters<typeof isWakeTurn>[1];
    expect(isWakeTurn({ ...row, waking: 1 }, turn)).toBe(true);
    expect(isWakeTurn({ ...row, waking: true, wake_turn: 4 }, turn)).toBe(false);
    expect(isWakeTurn({ ...row, waking: 0 }, turn)).toBe(false);
    expect(isWakeTurn({ ...row, waking: false }, undefined)).toBe(true);
    expect(isWakeTurn({ ...row, waking: 1 }, undefined)).toBe(false);
  });
});

describe('a rule', () => {
  const row = {
    ...{ number: 1, id: 'rule_1', account_id: 'a', version: 1, paused: 0, created_at: START, name: '"n"' },
    ...{ intent: '""', alerts: 0, platform: 'x' as const, status: 'active' as const, platform_rule_id: null },
    ...{ flags: '{}', value: '"v"', error: null, added_at: null, matches: null, last_at: null, agreed: null },
    ...{ upstream_only: null, engine_only: null },
  };

  it('has the rows of its platforms together, and nothing that they do not have', () => {
    const rows = [row, { ...row, platform: 'firehose' as const }, { ...row, number: 2, id: 'rule_2', paused: 1 }];
    const { rules, last } = rulesOf(rows);
    expect(rules.map(({ id, paused, platforms }) => [id, paused, Object.keys(platforms)])).toEqual([
      ['rule_1', false, ['x', 'firehose']],
      ['rule_2', true, ['x']],
    ]);
    expect([last, rulesOf([])]).toEqual([2, { rules: [], last: undefined }]);
    expect(rules[0]!.platforms.x).toStrictEqual({
      ...{ value: 'v', flags: {}, status: 'active', error: undefined, platformRuleId: undefined, matchCount: 0 },
      ...{ lastMatchAt: undefined, agreement: undefined },
    });
  });

  it('has what its platform said and counted', () => {
    const full = {
      ...{ ...row, platform_rule_id: '7', error: '"e"', added_at: START, matches: 3, last_at: START + 1 },
      agreed: 5,
    };
    expect(rulesOf([full]).rules[0]!.platforms.x).toMatchObject({
      ...{ platformRuleId: '7', error: 'e', addedAt: at(0), matchCount: 3, lastMatchAt: at(1) },
      agreement: { agreed: 5, upstreamOnly: 0, engineOnly: 0 },
    });
    const counted = rulesOf([{ ...full, upstream_only: 1, engine_only: 2 }]).rules[0]!.platforms.x!;
    expect(counted.agreement).toEqual({ agreed: 5, upstreamOnly: 1, engineOnly: 2 });
  });

  it('that was deleted says when, and the next slice begins after the last', () => {
    const deleted = { ...row, deleted_at: START, restorable_until: START + 9 };
    expect(deletedRulesOf([deleted, { ...deleted, platform: 'firehose' }])).toMatchObject([
      { id: 'rule_1', deletedAt: at(0), restorableUntil: at(9) },
    ]);
    expect([placeAfter([deleted]), placeAfter([])]).toEqual([{ deletedAt: START, number: 1 }, undefined]);
  });
});

describe('a reading', () => {
  const reading = { source: 'feeds', events: 3 };

  it('marks the minute with the cursor, and with the address before it where a source has many', () => {
    expect(readingValues({ name: 'source:feeds', value: 'c', reading }, at(0))).toEqual([
      ...['feeds', START / 60_000, 3, '"c"', '"c"'],
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

import { describe, expect, it } from 'vitest';
import { createBackOff, type DisconnectReason, refusalReason } from './reconnect-policy.ts';
import { problemIn } from './wire.ts';

const waits = (...endings: DisconnectReason[]): number[] => {
  const backOff = createBackOff(() => 0);
  return endings.map((ending) => backOff.after(ending).wait / 1_000);
};
const often = (ending: DisconnectReason, times: number): DisconnectReason[] =>
  Array.from({ length: times }, () => ending);

describe('ladders', () => {
  it.each([
    ['dropped', [0, 0.25, 0.5, 0.75]],
    ['network', [0.25, 0.5, 0.75, 1]],
    ['operational', [0, 5, 10, 20]],
    ['server', [5, 10, 20, 40]],
    ['certificate', [5, 10, 20, 40]],
    ['rate', [60, 120, 240, 480]],
    ['connections', [60, 120, 240, 480]],
    ['auth', [5, 10, 300, 300]],
    ['quota', [3_600, 3_600, 3_600, 3_600]],
    ['billing', [900, 900, 900, 900]],
    ['no_rules', [30, 30, 30, 30]],
  ] as const)('after %s waits %j', (ending, expected) => {
    expect(waits(...often(ending, 4))).toEqual(expected);
  });

  it.each([
    ['network', 16],
    ['server', 320],
    ['rate', 900],
  ] as const)('of %s ends at %d s', (ending, most) => {
    expect(waits(...often(ending, 100)).at(-1)).toBe(most);
  });

  it('goes on climbing when a lost connection cannot be opened again', () => {
    expect(waits('dropped', 'network', 'network', 'dropped')).toEqual([0, 0.25, 0.5, 0.75]);
    expect(waits('operational', 'server', 'server')).toEqual([0, 5, 10]);
  });

  it('begins anew after a rest', () => {
    const backOff = createBackOff(() => 0);
    for (const ending of often('server', 5)) backOff.after(ending);
    backOff.reset();
    expect(backOff.after('server')).toMatchObject({ wait: 5_000, isFirst: true });
  });

  it('waits up to a fifth longer, and never less', () => {
    expect(createBackOff(() => 0.999).after('server').wait).toBeLessThanOrEqual(6_000);
    expect(createBackOff(() => 0.5).after('quota').wait).toBe(3_600_000);
  });

  it('tells somebody when it has gone on for long', () => {
    const backOff = createBackOff(() => 0);
    expect(often('auth', 3).map((ending) => backOff.after(ending).degraded)).toEqual([false, false, true]);
    expect(backOff.after('quota').degraded).toBe(true);
    expect(often('no_rules', 50).some((ending) => backOff.after(ending).degraded)).toBe(false);
  });
});

describe('refusals', () => {
  const connectionIssue = (issue: string) => ({ title: 'ConnectionException', connection_issue: issue });
  it.each([
    [429, { title: 'Too Many Requests', type: 'about:blank' }, 'rate'],
    [429, connectionIssue('TooManyConnections'), 'connections'],
    [429, { title: 'UsageCapExceeded', type: 'https://api.twitter.com/2/problems/usage-capped' }, 'quota'],
    [402, { title: 'Payment Required' }, 'billing'],
    [401, {}, 'auth'],
    [403, { title: 'Client Forbidden' }, 'auth'],
    [409, connectionIssue('RuleConfigurationIssue'), 'no_rules'],
    [422, connectionIssue('RulesInvalidIssue'), 'rules'],
    [409, { type: 'https://api.x.com/2/problems/noncompliant-rules' }, 'rules'],
    [503, connectionIssue('ProvisioningSubscription'), 'server'],
    [400, {}, 'request'],
    [302, undefined, 'server'],
    [404, 'nonsense', 'server'],
  ])('with %d and %j mean %s', (status, body, expected) => {
    expect(refusalReason(status, problemIn(body))).toBe(expected);
  });
});

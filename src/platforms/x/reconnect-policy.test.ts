import { describe, expect, it } from 'vitest';
import { createBackOff, type DisconnectReason, disconnectReason, refusalReason } from './reconnect-policy.ts';
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
    ['stall', [0, 0.25, 0.5, 0.75]],
    ['overlong', [0, 0.25, 0.5, 0.75]],
    ['suspect', [0, 0.25, 0.5, 0.75]],
    ['overflow', [30, 30, 30, 30]],
    ['slow_reader', [0, 5, 10, 20]],
    ['forced', [60, 60, 120, 240]],
    ['rules', [300, 300, 300, 300]],
    ['app', [300, 300, 300, 300]],
    ['request', [300, 300, 300, 300]],
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

describe('the platform', () => {
  it.each<[DisconnectReason, number]>([
    ['dropped', 20],
    ['network', 19],
    ['stall', 20],
    ['operational', 6],
    ['slow_reader', 6],
    ['server', 5],
    ['certificate', 5],
    ['rate', 3],
    ['connections', 5],
    ['forced', 6],
    ['overflow', 1],
    ['rules', 1],
    ['quota', 1],
    ['billing', 1],
    ['app', 1],
    ['request', 1],
    ['auth', 3],
  ])('counts as degraded after %s in a row, %i times', (reason, times) => {
    const backOff = createBackOff(() => 0);
    const degraded = often(reason, times).map((one) => backOff.after(one).degraded);
    expect(degraded).toEqual([...Array<boolean>(times - 1).fill(false), true]);
  });

  it('has failed for the first time once, in each family', () => {
    const backOff = createBackOff(() => 0);
    expect((['network', 'stall', 'server', 'rate', 'rate'] as const).map((one) => backOff.after(one).isFirst)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it.each<[DisconnectReason, number]>([
    ['network', 300],
    ['server', 6_000],
    ['rate', 72_000],
    ['connections', 72_000],
    ['auth', 5_000],
    ['overflow', 30_000],
  ])('waits after %s with jitter where the wait grows for many at once', (reason, wait) => {
    expect(createBackOff(() => 1).after(reason).wait).toBe(wait);
  });
});

describe('messages in the stream', () => {
  it.each([
    [{ disconnect_type: 'OperationalDisconnect' }, 'operational'],
    [{ disconnect_type: 'UpstreamOperationalDisconnect' }, 'operational'],
    [{ disconnect_type: 'UpstreamUncleanDisconnect' }, 'operational'],
    [{ disconnect_type: 'InternalError' }, 'operational'],
    [{ disconnect_type: 'ForceDisconnect' }, 'forced'],
    [{ disconnect_type: 'SlowReader' }, 'slow_reader'],
    [{ disconnect_type: 'ClientApplicationStateDegraded' }, 'app'],
    [{ disconnect_type: 'InvalidRules' }, 'rules'],
    [{ disconnect_type: 'SomethingNew' }, 'operational'],
    [{ type: 'https://api.x.com/2/problems/operational-disconnect' }, 'operational'],
    [{ type: 'https://api.x.com/2/problems/client-disconnected' }, 'operational'],
    [{ type: 'https://api.x.com/2/problems/new', title: 'New' }, undefined],
  ])('%j end it as %s', (problem, reason) => {
    expect(disconnectReason(problemIn(problem))).toBe(reason);
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

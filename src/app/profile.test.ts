import { describe, expect, it } from 'vitest';
import { ACCOUNT_LIMIT_CODES } from '../domain/account.ts';
import { ACCOUNT_LIMITS, limitOf } from '../service/limits.ts';
import { loadConfig, usualLimits } from './config.ts';

const limits: [string, { usual: string; open?: string }][] = Object.entries(ACCOUNT_LIMITS);

describe('the profile of a public installation', () => {
  const open = loadConfig({ SLUICE_PROFILE: 'public' });

  it.each(limits)('has a limit for %s', (_, { usual, open: shown = usual }) => {
    expect(shown).not.toMatch(/^off$/);
  });

  it.each(ACCOUNT_LIMIT_CODES)('sets %s to what the page of limits says, and to no more than without it', (code) => {
    const limit = limitOf(usualLimits(open), {}, code);
    expect(String(limit)).toBe(ACCOUNT_LIMITS[code].open);
    const without = limitOf(usualLimits(loadConfig({})), {}, code) ?? Number.POSITIVE_INFINITY;
    // The longer one of two times between visits is the stricter.
    const [stricter, looser] = code === 'source_interval_seconds' ? [without, limit!] : [limit!, without];
    expect(stricter).toBeLessThanOrEqual(looser);
  });

  it('has a budget, no demo, and no programs that register by themselves', () => {
    expect([String(open.limits.xBudget), open.demo, open.oauthRegistration]).toEqual([
      ACCOUNT_LIMITS.x_budget.open,
      false,
      false,
    ]);
  });

  it('gives way to what is set, and there is no other', () => {
    const config = loadConfig({ SLUICE_PROFILE: 'public', SLUICE_STREAMS: '7', SLUICE_STORED_MIB: 'off' });
    expect([config.streams, config.limits.storedBytes]).toEqual([7, undefined]);
    expect(() => loadConfig({ SLUICE_PROFILE: 'open' })).toThrow('SLUICE_PROFILE must be one of private, public.');
  });
});

import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { environmentWith, withServerFlags } from './server-flags.ts';

const HERE = 'http://127.0.0.1:4800';
const ELSEWHERE = 'https://elsewhere.example';

describe('--url and --key', () => {
  it('go before the environment', () => {
    const env = { SLUICE_URL: HERE, SLUICE_API_KEY: 'sk_here' };
    expect(environmentWith({ url: ELSEWHERE, key: 'sk_there' }, env)).toEqual({
      SLUICE_URL: ELSEWHERE,
      SLUICE_API_KEY: 'sk_there',
    });
    expect(environmentWith({ key: 'sk_other' }, env)).toEqual({ SLUICE_API_KEY: 'sk_other' });
    expect(environmentWith({}, env)).toEqual({});
  });

  it('take the key of one server to no other', () => {
    const env = { SLUICE_URL: HERE, SLUICE_API_KEY: 'sk_here' };
    expect(environmentWith({ url: ELSEWHERE }, env)).toEqual({ SLUICE_URL: ELSEWHERE, SLUICE_API_KEY: '' });
    expect(environmentWith({ url: HERE }, { ...env, SLUICE_URL: `${HERE}/` })).toEqual({ SLUICE_URL: HERE });
    expect(environmentWith({ url: ELSEWHERE }, { SLUICE_API_KEY: 'sk_any' })).toEqual({ SLUICE_URL: ELSEWHERE });
  });

  it('leave a command the --url that it has', () => {
    const inner = new Command('update').option('--url <url>', 'another address');
    withServerFlags(new Command('webhooks').addCommand(inner));
    expect(inner.options.map(({ description }) => description)).toEqual([
      'another address',
      expect.stringContaining('the key'),
    ]);
  });
});

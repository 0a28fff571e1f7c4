/** The points that the upstreams' documents leave open: what we assume, how it is asked, and what was answered. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../sandbox/sandbox.ts';
import { type Confirmed, confirm, disagreements, pointsOf, questionsOf, reportOn } from '../scripts/confirmation.ts';
import { PLATFORMS } from '../src/domain/platform.ts';
import { languages } from '../src/rules/languages.ts';

const now = () => new Date('2026-11-15T12:00:00Z');

describe.each(PLATFORMS)('open points of %s', (platform) => {
  it('each have rules to ask about, or a reason why a validator cannot tell', () => {
    const points = pointsOf(platform);
    expect(new Set(points.map(({ id }) => id)).size).toBe(points.length);
    for (const { id, asks, cannot } of points)
      expect([id, (asks === undefined) === (cannot !== undefined)]).toEqual([id, true]);
    // X allows a hundred dry runs in fifteen minutes.
    expect(questionsOf(platform).length).toBeLessThan(100);
  });

  it.each(questionsOf(platform))('$id $point: we take $rule as we say we do', ({ rule, assumed }) => {
    expect(languages()[platform].parse(rule).query !== undefined).toBe(assumed);
  });

  it('are asked of the validator, and answered', async () => {
    await using sandbox = await startSandbox({ limits: 'off', xToken: 'token' });
    const confirmed = await confirm(platform, { url: sandbox.url, token: 'token', now });
    expect(confirmed).toMatchObject({ by: sandbox.url, at: '2026-11-15T12:00:00.000Z' });
    expect(confirmed.answers.map(({ rule, valid }) => [rule, valid])).toEqual(
      questionsOf(platform).map(({ rule, assumed }) => [rule, assumed]),
    );
    expect(confirmed.answers.filter(({ valid, said }) => !valid && said.length === 0)).toEqual([]);
    expect(disagreements(platform, confirmed)).toEqual([]);
    expect(sandbox.rules(platform)).toEqual([]);
  });

  it('are counted where the upstream says otherwise', async () => {
    const [first, ...rest] = (await answeredBySandbox(platform)).answers;
    const changed: Confirmed = { by: 'x', at: '', answers: [{ ...first!, valid: !first!.valid }, ...rest] };
    expect(disagreements(platform, changed)).toHaveLength(1);
    expect(reportOn(platform, changed).join('\n')).toMatch(/, 1 answered otherwise/);
  });

  const path = join(import.meta.dirname, 'confirm', `${platform}.json`);
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Confirmed) : undefined;
  // There are answers once `npm run confirm` has been run with a network.
  if (known !== undefined) {
    it('are taken as the upstream answered', () => {
      expect(disagreements(platform, known)).toEqual([]);
    });
  }
});

async function answeredBySandbox(platform: (typeof PLATFORMS)[number]): Promise<Confirmed> {
  await using sandbox = await startSandbox({ limits: 'off' });
  return await confirm(platform, { url: sandbox.url, token: 'any', now });
}

it('an upstream that refuses the key, or is not there, is no answer', async () => {
  await using sandbox = await startSandbox({ limits: 'off', xToken: 'token' });
  await expect(confirm('x', { url: sandbox.url, token: 'other', now })).rejects.toThrow(/answered 401/);
  await sandbox.stop();
  await expect(confirm('firehose', { url: sandbox.url, now })).rejects.toThrow('fetch failed');
});

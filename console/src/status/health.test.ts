import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { COVERAGE_REASONS } from '../../../src/domain/coverage.ts';
import { causeWords } from '../words/coverage.ts';
import { PLATFORM_STATES } from '../words/platform-states.ts';
import { CoverageStrip, placeOf } from './coverage-strip.tsx';
import { type Gap, isUnremarkable, type PlatformStatus, platformHealth, troublesOf } from './health.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const DAY = 86_400_000;

const platform = (state: PlatformStatus['state'], reasons: readonly string[] = []): PlatformStatus => ({
  shape: 'upstream',
  state,
  rule_type: 'premium',
  rules: 1,
  rule_limit: 25,
  slow_rules: [],
  gaps: [],
  sources: [],
  coverage: { complete: reasons.length === 0, complete_from: null, complete_through: null, reasons: [...reasons] },
  complete_through: null,
  lag_seconds: null,
});
const gap = (from: number, to: number | null, cause = 'dropped'): Gap => ({
  from: new Date(from).toISOString(),
  to: to === null ? null : new Date(to).toISOString(),
  cause,
  recovered: false,
});

describe('the health of a platform', () => {
  it('is green only while its answers are complete', () => {
    for (const state of Object.keys(PLATFORM_STATES) as PlatformStatus['state'][])
      for (const reason of Object.keys(COVERAGE_REASONS))
        expect(platformHealth(platform(state, [reason])).tone, `${state}, ${reason}`).not.toBe('ok');
    expect(platformHealth(platform('live')).tone).toBe('ok');
  });

  it('needs no look only where its state is well and nothing is missing, or all is made up by the demo', () => {
    for (const state of Object.keys(PLATFORM_STATES) as PlatformStatus['state'][]) {
      const isWell = PLATFORM_STATES[state].tone === 'ok';
      for (const reasons of [[], ['demo']])
        expect(isUnremarkable(platform(state, reasons)), `${state}, ${reasons.join()}`).toBe(isWell);
      expect(isUnremarkable(platform(state, ['demo', 'gap'])), state).toBe(false);
    }
  });

  it('says that a token is refused and that a budget is spent', () => {
    expect(platformHealth(platform('live', ['token_refused'])).words).toBe('Token refused');
    expect(platformHealth(platform('live', ['budget_spent'])).words).toBe('Budget spent');
    expect(troublesOf(platform('connecting', ['token_refused']), 'firehose')).toEqual(['Firehose refuses the token.']);
    expect(troublesOf(platform('ready', ['demo']), 'x')).toEqual([]);
  });

  it('names the causes of gaps in sentences', () => {
    expect(causeWords('auth')).toBe('The platform refused the token.');
    expect(causeWords('auth', 'x')).toBe('X refused the token.');
    expect(causeWords('paused')).toBe('The rule is paused.');
  });
});

describe('the strip of the last day', () => {
  it('shows a gap that has just begun, inside the strip', () => {
    const { left, width } = placeOf(gap(NOW - 14_000, null), NOW);
    expect(left + width).toBeLessThanOrEqual(100);
    expect(width).toBeGreaterThan(0.3);
    expect(placeOf(gap(NOW - DAY / 2, NOW), NOW)).toEqual({ left: 50, width: 50 });
  });

  it('does not claim hours before Sluice listened, and says that a gap is open', () => {
    const covered = { from: new Date(NOW - 600_000).toISOString(), through: new Date(NOW).toISOString() };
    const html = renderToStaticMarkup(
      createElement(CoverageStrip, { now: NOW, covered, gaps: [gap(NOW - 14_000, null)] }),
    );
    expect(html).toContain('1 gap, one is open since');
    expect(Number(/bg-ok[^>]*width:([\d.]+)%/.exec(html)![1])).toBeLessThan(1);
  });
});

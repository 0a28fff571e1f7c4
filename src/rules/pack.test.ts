import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCorpus } from '../../test/stages/corpus.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { languages } from './languages.ts';
import { fitsPack, packPart, packRules } from './pack.ts';
import { any, type Query } from './query.ts';

const { x, firehose } = languages({ level: 'enterprise+embedding' });
const language = { x, firehose };

/** Every rule of the corpus that is one. */
const rulesOf = (name: Platform): string[] =>
  [...new Set(readCorpus(name).map(({ rule }) => rule.trim()))].filter(
    (rule) => language[name].queryOf(rule) !== undefined,
  );

const partsOf = (query: Query) =>
  new Set((query.kind === 'any' ? query.of : [query]).map((part) => JSON.stringify(part)));

describe('pack', () => {
  it('joins texts by OR, in parentheses where they could come apart', () => {
    expect(packRules(x, ['storm', '#rain', 'a b', '"c d"', 'snow OR ice -hot'])).toBe(
      'storm OR #rain OR (a b) OR ("c d") OR (snow OR ice -hot)',
    );
    expect(packRules(firehose, ['storm', 'a AND b', 'NOT c', '+d -e'])).toBe(
      'storm OR (a AND b) OR (NOT c) OR (+d -e)',
    );
  });

  it('takes texts that mean the same', () => {
    expect(packRules(x, ['storm', 'STORM', '(storm)', 'storm OR rain'])).toBe(
      'storm OR STORM OR ((storm)) OR (storm OR rain)',
    );
  });

  it('is refused when the language reads something else', () => {
    // A regular expression that ends at an escaped slash alone does not when another slash follows.
    const lone = 'url:/a\\\\/';
    expect(firehose.queryOf(lone)).toBeDefined();
    expect(packRules(firehose, [lone, 'url:/b/'])).toBeUndefined();
    expect(packPart(firehose, lone)).toBeUndefined();
    expect(packRules(x, ['storm', ''])).toBeUndefined();
    expect(packRules(x, ['a'.repeat(2_000), 'b'.repeat(100)])).toBeUndefined();
  });

  it.each(PLATFORMS)('means "one of these" for any rules of the %s corpus', (name) => {
    const rules = rulesOf(name).filter((rule) => packPart(language[name], rule) !== undefined);
    expect(rules.length).toBeGreaterThan(50);
    fc.assert(
      fc.property(fc.subarray(rules, { minLength: 1, maxLength: 12 }), (some) => {
        const parts = some.map((rule) => packPart(language[name], rule)!);
        const sum = {
          size: parts.reduce((total, { size }) => total + size, 0),
          clauses: parts.reduce((total, { clauses }) => total + clauses, 0),
        };
        fc.pre(fitsPack(sum, 2048));
        const text = packRules(language[name], some);
        expect(text?.length).toBe(sum.size - ' OR '.length);
        const whole = any(some.map((rule) => language[name].queryOf(rule)!));
        expect(partsOf(language[name].queryOf(text!)!)).toEqual(partsOf(whole));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the size within what Lucene takes', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `w${at}`);
    const parts = many.map((value) => packPart(firehose, value)!);
    let [size, clauses, taken] = [0, 0, 0];
    for (const part of parts) {
      if (!fitsPack({ size: size + part.size, clauses: clauses + part.clauses }, 16_384)) break;
      [size, clauses, taken] = [size + part.size, clauses + part.clauses, taken + 1];
    }
    expect(taken).toBeGreaterThan(900);
    expect(packRules(firehose, many.slice(0, 800))).toBeDefined();
  });
});

describe('what stands alone', () => {
  it.each([
    ['x', 'lava sample:10'],
    ['x', '(lava OR magma) sample:10'],
    ['x', 'embedding:"ash clouds"'],
    ['x', 'lava OR embedding:"ash clouds"'],
    ['x', 'lava source:"Example App"'],
    ['x', 'lava -source:"Example App"'],
    ['x', 'from_affiliate_of:nasa'],
    ['x', 'lava -to_affiliate_of:NASA'],
    ['firehose', 'added_anchor:"apply now"'],
    ['firehose', 'title:lava AND NOT removed_anchor:game'],
    ['firehose', 'title:lava OR added_anchor:game*'],
    ['firehose', 'removed_anchor:*'],
    ['firehose', 'title:lava AND recent:24h'],
    ['firehose', 'recent:7d'],
    ['x', '"never closed'],
  ] as const)('%s: %s', (name, rule) => {
    expect(packPart(language[name], rule)).toBeUndefined();
  });
});

it('a rule may be packed where posts show the id that it asks for, though they need not show the name', () => {
  expect(packPart(x, 'from_affiliate_of:11348282 OR lava')).toEqual({ size: 40, clauses: 3 });
});

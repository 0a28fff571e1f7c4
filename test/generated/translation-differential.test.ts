import { describe, expect, it } from 'vitest';
import { translationDifferential } from './translation-differential.ts';

/** The seed of `PROPERTY_SEED` changes daily, and is printed at the start of every run. */
const seed = Number(process.env['PROPERTY_SEED'] ?? 1);

describe('random rules and their translations, on posts and pages that say the same', () => {
  const report = translationDifferential({ rules: 600, seed });

  it('are all rules of the other language', () => {
    expect(report.unparsed).toEqual([]);
    expect(report.misread).toEqual([]);
    expect(report.translated).toBeGreaterThan(400);
  });

  it('differ as they say they do, in the whole, in each clause, and by what was left out', () => {
    expect(report.wrong).toEqual([]);
  });

  it('do match, and do differ', () => {
    expect(report.caught).toBeGreaterThan(report.pairs / 10);
    expect(report.different).toBeGreaterThan(report.pairs / 20);
    expect(report.verdicts.wider).toBeGreaterThan(20);
    expect(report.verdicts.narrower).toBeGreaterThan(20);
  });
});

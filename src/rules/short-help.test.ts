import { describe, expect, it } from 'vitest';
import { languages, SHORT_HELP } from './languages.ts';

/**
 * Tokens as models count them, rather too many than too few. By length: four characters are one. By pieces: a run of
 * letters is one for each seven, a number one for each three digits, every other sign one by itself. The greater counts.
 */
function tokensIn(text: string): number {
  let count = 0;
  for (const [piece] of text.matchAll(/\p{L}+|\d+|[^\s\p{L}\d]/gu)) {
    count += /^\d/.test(piece) ? Math.ceil(piece.length / 3) : Math.ceil(piece.length / 7);
  }
  return Math.max(count, Math.ceil(text.length / 4));
}

describe('the short help', () => {
  it('has at most 1,200 tokens for both platforms together', () => {
    const tokens = tokensIn(SHORT_HELP.x) + tokensIn(SHORT_HELP.firehose);
    console.log(`short help: ${tokens} tokens`);
    expect(tokens).toBeLessThanOrEqual(1_200);
  });

  it('has examples that are rules without a remark', () => {
    for (const platform of ['x', 'firehose'] as const) {
      const [, rule] = /^Example: (.*)$/m.exec(SHORT_HELP[platform])!;
      expect(languages()[platform].parse(rule!).diagnostics).toEqual([]);
    }
  });

  it('speaks of what is most often missed', () => {
    for (const word of ['quality', "tesla's", '/platforms/values', 'bare blank means OR']) {
      expect(SHORT_HELP.firehose).toContain(word);
    }
    for (const word of ['possessive', 'RT @name', '’', '-is:retweet']) expect(SHORT_HELP.x).toContain(word);
  });
});

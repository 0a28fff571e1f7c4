import { afterEach, describe, expect, it, vi } from 'vitest';
import { readRules } from './read-rules.ts';

const RULES = Array.from({ length: 10_000 }, (_, n) => ({
  id: `rule_${n}`,
  name: `Rule ${n}`,
  // What stands between two rules, within a text.
  intent: n % 7 === 0 ? `},{"id":"rule_${n}` : `About word${n} \\"`,
  platforms: { x: { translated_value: `word${n}`, match_count: n } },
}));
const TEXT = JSON.stringify({ rules: RULES });
/** A part ends with a rule, which is much shorter than this. */
const LONGEST = 257 * 1024;

describe('a list of ten thousand rules', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is read in parts of bounded length, with a pause after each', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const pause = vi.fn(async () => {});
    const read = await readRules(TEXT, pause);
    const lengths = parse.mock.calls.map(([text]) => text.length);
    vi.restoreAllMocks();
    expect(read).toEqual({ rules: RULES });
    expect(TEXT.length).toBeGreaterThan(3 * LONGEST);
    expect(Math.max(...lengths)).toBeLessThan(LONGEST);
    expect(pause).toHaveBeenCalledTimes(lengths.length);
  });

  it('that is cut off is refused, and so is anything else that is long', async () => {
    await expect(readRules(TEXT.slice(0, -1))).rejects.toThrow(SyntaxError);
    await expect(readRules(`${TEXT.slice(0, 700_000)}]}`)).rejects.toThrow(SyntaxError);
    await expect(readRules(' '.repeat(300_000))).rejects.toThrow(SyntaxError);
  });

  it('that is short is read at once', async () => {
    const pause = vi.fn(async () => {});
    expect(await readRules('{"rules":[]}', pause)).toEqual({ rules: [] });
    expect(pause).not.toHaveBeenCalled();
  });
});

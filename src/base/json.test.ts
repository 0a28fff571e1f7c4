import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasLoneSurrogate, isDeeperThan, parseJson } from './json.ts';

const limits = { depth: 32, keys: 1_000 };
const problemOf = (text: string): string | undefined => {
  const parsed = parseJson(text, limits);
  return parsed.ok ? undefined : parsed.problem;
};

describe('json from strangers', () => {
  it('reads whatever JSON.parse reads, where no key is repeated or reserved', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom('', ' ', '\n\t'), (json, space) => {
        const text = space + json + space;
        const parsed = parseJson(text, limits);
        const known = !parsed.ok && /not allowed|twice|keys|deeper/.test(parsed.problem);
        expect(parsed.ok ? parsed.value : known).toEqual(parsed.ok ? JSON.parse(text) : true);
      }),
    );
  });

  it('never throws, whatever the text', () => {
    const unit = fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', 'u', '0', ' ', 'a');
    fc.assert(fc.property(fc.string({ unit }), (text) => typeof parseJson(text, limits).ok === 'boolean'));
  });

  it.each([
    ['{"a":1,"a":2}', 'twice'],
    ['{"a":1,"\\u0061":2}', 'twice'],
    ['[{"b":{"c":1}},{"b":{"c":1,"c" : 2}}]', 'twice'],
    ['{"__proto__":{}}', '__proto__'],
    ['{"\\u005f_proto__":{}}', '__proto__'],
    ['{"x":{"constructor":1}}', 'constructor'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'deeper than 32'],
    ['[', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['"\\"', 'not valid JSON'],
  ])('refuses %s', (text, why) => {
    expect(problemOf(text)).toContain(why);
  });

  it('counts the entries of all lists together, and no comma of an object or of a string', () => {
    const problem = (text: string) => {
      const parsed = parseJson(text, { ...limits, entries: 4 });
      return parsed.ok ? undefined : parsed.problem;
    };
    expect(problem('{"a":[1,2,3,4],"b":1,"c":"[,,,,,,]"}')).toBeUndefined();
    expect(problem('[1,2,3,4,5]')).toBe('Its lists have more than 4 entries.');
    expect(problem('{"a":[1,2,3],"b":[[],{"c":1,"d":2},[4,5,6]]}')).toContain('more than 4 entries');
    expect(problem('[[[]],1]')).toBeUndefined();
    expect(problem('[[[[[]]]]]')).toBe('Its lists have more than 4 entries.');
    expect(problemOf(`[${'1,'.repeat(100_000)}1]`)).toBeUndefined();
  });

  it('takes 32 levels, and the same key in two objects', () => {
    expect(problemOf(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeUndefined();
    expect(problemOf('[{"a":1},{"a":"{\\"a\\":1}"},{"b":"a"}]')).toBeUndefined();
  });

  it('counts the levels of any JSON, and no bracket inside a string', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    const strings = fc.string({ unit: fc.constantFrom('{', '[', '"', '\\', 'a') });
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6, stringUnit: 'grapheme' }),
        fc.array(strings),
        fc.nat(7),
        (json, texts, limit) => {
          const text = `[${json},${JSON.stringify(texts)}]`;
          expect(isDeeperThan(text, limit)).toBe(depthOf(JSON.parse(text)) > limit);
        },
      ),
    );
  });

  it('stops at the nesting limit instead of reading on', () => {
    expect(problemOf('['.repeat(5_000_000))).toContain('deeper');
  });

  it('finds half a surrogate pair in a value or a key', () => {
    expect(hasLoneSurrogate({ a: ['fine 😀'] })).toBe(false);
    expect(hasLoneSurrogate({ a: ['\ud800'] })).toBe(true);
    expect(hasLoneSurrogate({ ['\udc00']: 1 })).toBe(true);
  });
});

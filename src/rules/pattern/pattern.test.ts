import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { compileDfa, newBudget } from './dfa.ts';
import { compilePattern, type PatternPredicate, patternOf } from './pattern.ts';
import { type Regex, readRegex } from './regex.ts';
import { readWildcard } from './wildcard.ts';

const fits = (predicate: PatternPredicate, text: string, around = '') =>
  compilePattern(predicate).test(around + text + around, around.length, around.length + text.length);
const regex = (pattern: string): PatternPredicate => ({ kind: 'regex', field: 'url', pattern });
const wildcard = (pattern: string): PatternPredicate => ({ kind: 'wildcard', field: 'url', pattern });
const fuzzy = (term: string, edits: number): PatternPredicate => ({ kind: 'fuzzy', field: 'added', term, edits });

describe('regular expressions', () => {
  it.each([
    ['a.c', 'abc', true],
    ['a.c', 'a😀c', true],
    ['b', 'abc', false],
    ['[^a-c]', 'd', true],
    ['[^a-c]', 'b', false],
    ['a{2,3}', 'aa', true],
    ['a{2,3}', 'aaaa', false],
    ['a{2,}', 'aaaaa', true],
    ['([0-9]+){4,}', '7', false],
    ['([0-9]+){4,}', '7777', true],
    ['(a+){2,}', 'a', false],
    ['(a+)+', 'a', true],
    ['(a*){2,}', '', true],
    ['(ab|c)*', 'abcab', true],
    ['()', '', true],
    ['', '', true],
    ['#', '', false],
    ['a@b', 'axxb', true],
    ['~(abc)', 'abd', true],
    ['~(abc)', 'abc', false],
    ['[a-z]+&~(foo)', 'bar', true],
    ['[a-z]+&~(foo)', 'foo', false],
    ['"a.b"c', 'a.bc', true],
    ['"a.b"c', 'axbc', false],
    ['<1-12>', '007', true],
    ['<1-12>', '13', false],
    ['<01-12>', '7', false],
    ['<01-12>', '07', true],
    ['<12-01>', '11', true],
    ['\\d+\\D\\w\\W\\s\\S', '12xy- z', true],
    ['\\.\\*', '.*', true],
    ['[\\d\\-]+', '1-2', true],
    ['|a', '|a', true],
    ['*a', '*a', true],
    ['^a$', '^a$', true],
    ['[]]', ']', true],
    ['😀+', '😀😀', true],
  ])('/%s/ on %j is %s', (pattern, text, expected) => {
    expect(fits(regex(pattern), text)).toBe(expected);
    expect(fits(regex(pattern), text, 'a1')).toBe(expected);
  });

  it.each([
    ['a|', 2, 2],
    ['(a', 0, 1],
    ['a)', 1, 2],
    ['[a', 0, 2],
    ['[z-a]', 1, 4],
    ['a{', 1, 2],
    ['a{2', 1, 3],
    ['a{3,2}', 1, 6],
    ['"a', 0, 2],
    ['<a>', 0, 3],
    ['<1-x>', 0, 5],
    ['\\b', 0, 2],
    ['a\\', 2, 2],
    [`${'('.repeat(60)}a${')'.repeat(60)}`, 50, 51],
  ])('/%s/ is refused at %i–%i', (pattern, start, end) => {
    expect(readRegex(pattern)).toMatchObject({ problem: { start, end } });
  });

  it('finds what trying every way finds', () => {
    const leaf = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '@', '#', '()', '"ab"', '<1-2>');
    const pattern = fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.tuple(tie('any'), tie('any')).map(([one, other]) => `${one}${other}`),
        fc
          .tuple(tie('any'), tie('any'), fc.constantFrom('|', '&'))
          .map(([one, other, sign]) => `(${one}${sign}${other})`),
        fc
          .tuple(tie('any'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,}'))
          .map(([one, sign]) => `(${one})${sign}`),
        tie('any').map((one) => `~(${one})`),
      ),
    })).any;
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), maxLength: 6 }), (source, text) => {
        const read = readRegex(source);
        if ('problem' in read) throw new Error(read.problem.message);
        const dfa = compileDfa(read.regex, newBudget());
        fc.pre(dfa !== undefined);
        expect(dfa?.test(text, 0, text.length)).toBe(ends(read.regex, text, 0).has(text.length));
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what needs too many states instead of building them', () => {
    const read = readRegex('.*a.{30}');
    expect('regex' in read && compileDfa(read.regex, newBudget())).toBeUndefined();
  });

  it('is compiled when it is prepared or first tested, and then no more', () => {
    const prepared = compilePattern(regex('(a+)+1'));
    expect(prepared.prepare()).toBeGreaterThan(20);
    expect(prepared.prepare()).toBe(0);
    const tested = compilePattern(regex('(a+)+1'));
    expect([tested.test('aa1', 0, 3), tested.prepare()]).toEqual([true, 0]);
    expect(compilePattern(fuzzy('abc', 1)).prepare()).toBe(0);
  });

  it('that is too large is refused when it is prepared or tested', () => {
    const pattern = compilePattern(regex('.*a.{30}'));
    expect(() => pattern.prepare()).toThrow('/.*a.{30}/ is too large.');
    expect(() => pattern.test('a', 0, 1)).toThrow('/.*a.{30}/ is too large.');
  });

  it('names text that every match contains', () => {
    expect(compilePattern(regex('https?://.*example\\.com/(a|b)x+'))).toMatchObject({
      prefix: 'http',
      required: ['http', '://', 'example.com/', 'x'],
    });
    fc.assert(
      fc.property(
        fc.constantFrom('ab+c', '(ab){2}', 'a?bc', 'ab.c@d', '~(a)b', 'a(b|c)d', '(abc)'),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 6 }),
        (source, text) => {
          const { test, required, prefix } = compilePattern(regex(source));
          if (!test(text, 0, text.length)) return;
          expect(text.startsWith(prefix)).toBe(true);
          for (const one of required) expect(text).toContain(one);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(['(a+)+b', '(a|a)*b', '(a*)*b', '.*.*.*.*b', '(a|aa)+b', '~(a*b)&a*c'])(
    '/%s/ reads each character once',
    (source) => {
      const { test } = compilePattern(regex(source));
      const text = 'a'.repeat(10_000);
      const reads = vi.spyOn(String.prototype, 'charCodeAt');
      const matched = test(text, 0, text.length);
      const count = reads.mock.calls.length;
      reads.mockRestore();
      expect(matched).toBe(false);
      expect(count).toBeLessThanOrEqual(text.length);
    },
  );
});

/** All places where a match that begins at `from` can end: slow, and plain enough to be right by reading. */
function ends(node: Regex, text: string, from: number): Set<number> {
  if (node.kind === 'set') {
    const code = text.codePointAt(from) ?? -1;
    const hit = node.ranges.some((first, index) => index % 2 === 0 && code >= first && code <= node.ranges[index + 1]!);
    return new Set(hit ? [from + 1] : []);
  }
  if (node.kind === 'cat') {
    let at = [from];
    for (const part of node.of) at = at.flatMap((one) => [...ends(part, text, one)]);
    return new Set(at);
  }
  if (node.kind === 'or') return new Set(node.of.flatMap((part) => [...ends(part, text, from)]));
  if (node.kind === 'and') {
    const each = node.of.map((part) => ends(part, text, from));
    return new Set([...each[0]!].filter((at) => each.every((one) => one.has(at))));
  }
  if (node.kind === 'not') {
    const places = Array.from({ length: text.length - from + 1 }, (_, index) => from + index);
    const taken = ends(node.of, text, from);
    return new Set(places.filter((at) => !taken.has(at)));
  }
  let at = new Set([from]);
  const reached = new Set(node.min === 0 ? [from] : []);
  for (let turn = 1; turn <= Math.min(node.max, node.min + text.length + 1); turn++) {
    at = new Set([...at].flatMap((one) => [...ends(node.of, text, one)]));
    if (turn >= node.min) for (const one of at) reached.add(one);
  }
  return reached;
}

describe('patternOf', () => {
  /** Asks for other patterns until this one is made anew: there is room for others then. */
  function askedUntilGone(predicate: PatternPredicate): number {
    const made = patternOf(predicate);
    for (let asked = 1; ; asked++) {
      patternOf(wildcard(`b${asked}*`));
      if (patternOf(predicate) !== made) return asked;
    }
  }

  it('makes a pattern once for a predicate, and keeps as many as a rule may have', () => {
    askedUntilGone(wildcard('a*'));
    const rule = Array.from({ length: 2_731 }, (_, index) => wildcard(`a${index}*`));
    const made = rule.map(patternOf);
    expect(rule.map(patternOf).every((one, index) => one === made[index])).toBe(true);
    expect(askedUntilGone(rule[0]!)).toBeLessThan(4_096);
  });
});

describe('wildcards', () => {
  it.each([
    ['te*', 'te', true],
    ['te*', 'test', true],
    ['t?st', 'test', true],
    ['t?st', 'tst', false],
    ['t?st', 't😀st', true],
    ['*st', 'test', true],
    ['*/tag/*', 'http://x/tag/y', true],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['**', '', true],
    ['?*', '', false],
    [`${'?'.repeat(40)}*x`, `${'a'.repeat(45)}x`, true],
    [`${'?'.repeat(40)}*x`, `${'a'.repeat(30)}x`, false],
  ])('%s on %j is %s', (pattern, text, expected) => {
    expect(fits(wildcard(pattern), text)).toBe(expected);
    expect(fits(wildcard(pattern), text, 'x')).toBe(expected);
  });

  it('finds what trying every way finds', () => {
    const reaches = (codes: readonly number[], text: string): boolean => {
      if (codes.length === 0) return text === '';
      const [first, ...rest] = codes;
      if (first === -1) return reaches(rest, text) || (text !== '' && reaches(codes, text.slice(1)));
      return text !== '' && (first === -2 || first === text.charCodeAt(0)) && reaches(rest, text.slice(1));
    };
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }), (source, text) => {
        const expected = reaches(readWildcard(source), text);
        // The bits of up to 31 places are one number, those of more are several.
        for (const length of [0, 25, 32, 70]) {
          const plain = 'c'.repeat(length);
          expect(fits(wildcard(plain + source), plain + text)).toBe(expected);
          expect(fits(wildcard(source + plain), text + plain)).toBe(expected);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('names its plain pieces', () => {
    expect(compilePattern(wildcard('ab*c\\?d?'))).toMatchObject({ prefix: 'ab', required: ['ab', 'c?d'] });
    expect(compilePattern(wildcard('*ab'))).toMatchObject({ prefix: '', required: ['ab'] });
  });
});

describe('fuzzy words', () => {
  it.each([
    ['tesla', 1, 'tesal', true],
    ['tesla', 1, 'tesa', true],
    ['tesla', 1, 'tessla', true],
    ['tesla', 1, 'tela', true],
    ['tesla', 1, 'tla', false],
    ['tesla', 2, 'tla', true],
    ['tesla', 0, 'tesla', true],
    ['😀a', 1, '😃a', true],
    ['ca', 2, 'abc', false],
  ])('%s~%i on %s is %s', (term, edits, text, expected) => {
    expect(fits(fuzzy(term, edits), text)).toBe(expected);
  });

  it('counts edits as the whole table does', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 2 }), (term, text, edits) => {
        expect(fits(fuzzy(term, edits), text, 'ab')).toBe(distance(term, text) <= edits);
      }),
      { numRuns: 500 },
    );
  });

  const distance = (one: string, other: string): number => {
    const rows: number[][] = [];
    for (let i = 0; i <= one.length; i++) {
      rows.push([]);
      for (let j = 0; j <= other.length; j++) {
        const replaced = i && j ? rows[i - 1]![j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1) : i + j;
        const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
        const deleted = i ? rows[i - 1]![j]! + 1 : Infinity;
        const inserted = j ? rows[i]![j - 1]! + 1 : Infinity;
        rows[i]![j] = Math.min(replaced, deleted, inserted, swapped ? rows[i - 2]![j - 2]! + 1 : Infinity);
      }
    }
    return rows[one.length]![other.length]!;
  };
});

describe('prefixes and ranges', () => {
  it('a prefix stays inside the term', () => {
    expect(fits({ kind: 'prefix', field: 'added', prefix: 'ab' }, 'abc')).toBe(true);
    expect(compilePattern({ kind: 'prefix', field: 'added', prefix: 'ab' }).test('ab', 0, 1)).toBe(false);
  });

  it('a range orders by code point, not by unit', () => {
    const from = { kind: 'range', field: 'added', from: { value: '\uff5e', inclusive: true } } as const;
    expect(fits(from, '😀')).toBe(true);
    expect(fits(from, 'z')).toBe(false);
  });

  it.each([
    [true, true, 'b', true],
    [false, true, 'b', false],
    [true, true, 'd', true],
    [true, false, 'd', false],
    [true, true, 'c', true],
    [true, true, 'da', false],
    [true, true, 'a', false],
  ])('bounds included %s and %s: %s is %s', (lower, upper, text, expected) => {
    const predicate = {
      kind: 'range',
      field: 'x',
      from: { value: 'b', inclusive: lower },
      to: { value: 'd', inclusive: upper },
    } as const;
    expect(fits(predicate, text)).toBe(expected);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { readCorpus } from '../../../test/stages/corpus.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { applyFix } from '../fix.ts';
import { xLanguage } from './language.ts';
import { MESSAGES } from './messages.ts';

const x = xLanguage();
const whole = xLanguage({ level: 'enterprise+embedding' });
const corpus = readCorpus('x').map((one) => one.rule);
const codesOf = (text: string, language = x) => language.parse(text).diagnostics.map((one) => one.code);

/** Text that is often nearly a rule. */
const PIECES =
  'lava the 火山 🌋 rock-n-roll or NOT AND OR OR - ( ) " "a_b" "a_b"~3 \' “ #etna #1 @ada $nvda $1 from:ada from: bio:x bio:"x_y" ' +
  'place:oslo -place:"a_b" lang:en lang:zh-CN is:retweet -is:nullcast is:nullcast has:media sample:10 h:m url:a url:"a/b" ' +
  'url_contains:"a-b" context:*.5 point_radius:[1_2_3km] bounding_box:[1_2_1.1_2.1] followers_count:1..2 embedding:"x_y" ' +
  'embedding_threshold:0.5 [ ] : ,';
const pieces = fc.constantFrom(
  ...PIECES.split(' ').map((piece) => (/["[]./.test(piece) ? piece.replaceAll('_', ' ') : piece)),
);
const nearlyRule = fc
  .array(fc.tuple(pieces, fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 12 })
  .map((parts) => parts.map(([piece, blank]) => piece + blank).join(''));
const mutated = fc
  .tuple(fc.constantFrom(...corpus), fc.nat(200), fc.nat(4), fc.string({ unit: ANY_CHARACTER, maxLength: 3 }))
  .map(([rule, at, length, text]) => rule.slice(0, at) + text + rule.slice(at + length));
const anyText = fc.oneof(nearlyRule, mutated, fc.string({ unit: ANY_CHARACTER, maxLength: 60 }));

describe('reading any text whatever', () => {
  it('never throws, and gives a query exactly when there is no error', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { query, diagnostics } = whole.parse(text);
        expect(whole.queryOf(text)).toEqual(query);
        expect(query === undefined).toBe(diagnostics.some((one) => one.severity === 'error'));
        for (const [index, { span }] of diagnostics.entries()) {
          expect(span.start).toBeLessThanOrEqual(span.end);
          expect(span.end).toBeLessThanOrEqual(text.length);
          expect(span.start).toBeGreaterThanOrEqual(diagnostics[index - 1]?.span.start ?? 0);
        }
      }),
      { numRuns: 2000 },
    );
  });

  const readings = { 'as X reads it': {}, 'read otherwise': { phrases: 'words', spaceless: 'whole-run' } } as const;
  it.each(Object.entries(readings))('takes it back from its canonical form, %s', (_, reading) => {
    const language = xLanguage({ level: 'enterprise+embedding', ...reading });
    fc.assert(
      fc.property(anyText, (text) => {
        const query = language.queryOf(text);
        const printed = query && language.print(query);
        const again = printed === undefined ? undefined : language.queryOf(printed);
        expect(again).toEqual(query);
        expect(again && language.print(again)).toBe(printed);
      }),
      { numRuns: 3000 },
    );
  });

  it('offers only fixes that hold what they promise', () => {
    const errorsIn = (diagnostics: readonly Diagnostic[]) =>
      diagnostics.filter((one) => one.severity === 'error').length;
    // The diagnostics of the changed text need no fixes of their own.
    const told = (text: string) => whole.parse(text, { left: 0, warnings: false }).diagnostics;
    fc.assert(
      fc.property(anyText, (text) => {
        const { diagnostics } = whole.parse(text);
        for (const { fixes = [], severity } of diagnostics) {
          const most = errorsIn(diagnostics) - (severity === 'error' ? 1 : 0);
          for (const fix of fixes) expect(errorsIn(told(applyFix(text, fix)))).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '(',
    ')',
    '-',
    '"',
    "'a ",
    '“a ',
    'a:[',
    'a OR ',
    '#',
    '()',
    'from:(a) ',
    '"a"b',
    'point_radius:[,',
    'lava ',
  ])('survives a long run of %j', (unit) => {
    for (const length of [2000, 30_000, 1 << 20]) {
      expect(codesOf(unit.repeat(length / unit.length)).length).toBeGreaterThan(0);
    }
  });

  it('refuses a hundred thousand parentheses', () => {
    expect(codesOf(`${'('.repeat(100_000)}lava${')'.repeat(100_000)}`)).toEqual(['too-long']);
    expect(codesOf(`${'('.repeat(200)}lava${')'.repeat(200)}`)).toEqual(['too-deep']);
  });
});

describe('the levels', () => {
  it.each([
    ['payg', 1024],
    ['enterprise', 2048],
    ['enterprise+embedding', 2048],
  ] as const)('%s allows %i UTF-16 units', (level, most) => {
    const language = xLanguage({ level });
    const fitting = `${'lava '.repeat(30)}"${'🌋'.repeat((most - 152) / 2)}"`;
    expect(fitting.length).toBe(most);
    expect(language.parse(fitting).query).toBeDefined();
    const [tooLong] = language
      .parse(`${fitting}x`.replace('"x', 'x"'))
      .diagnostics.filter((one) => one.severity === 'error');
    expect(tooLong?.code).toBe('too-long');
    expect(tooLong?.wording).toMatch(/^Rule 'lava lava/);
    expect(language.help.limits['rule_length']).toBe(most);
  });

  it('give embedding: to one of them, and never to a local platform', () => {
    const rule = 'embedding:"ash clouds" embedding_threshold:0.5';
    expect(whole.parse(rule).query).toEqual({
      kind: 'upstream',
      operator: 'embedding',
      value: 'ash clouds',
      threshold: 0.5,
    });
    expect(codesOf(rule, xLanguage({ level: 'enterprise' }))).toContain('unavailable-operator');
    expect(codesOf(rule, xLanguage({ level: 'enterprise+embedding', local: true }))).toContain('unavailable-operator');
    expect(codesOf('lava embedding_threshold:0.5', whole)).toEqual([]);
    expect(codesOf('has:media embedding_threshold:0.5', whole)).toContain('threshold-alone');
  });

  it('pair a threshold with the embedding: of its own group', () => {
    const { query } = whole.parse('embedding:"a b" (lava embedding_threshold:0.4) OR embedding:"c d"');
    expect(whole.print(query!)).toBe('embedding:"a b" embedding_threshold:0.4 lava OR embedding:"c d"');
  });
});

describe('one author', () => {
  it('has a name and a number, and a source a name and an address', () => {
    for (const rule of [
      'from:nasa from:11348282',
      'to:nasa to:11348282 lava',
      'lava source:"Twitter for iPhone" source:"http://twitter.com/download/iphone"',
    ])
      expect(codesOf(rule)).toEqual([]);
  });

  it('has no second name, and no second number', () => {
    expect(codesOf('from:nasa from:esa')).toContain('never-matches');
    expect(codesOf('from:nasa from:1 from:esa')).toContain('never-matches');
    expect(codesOf('from:1 from:nasa from:2')).toContain('never-matches');
  });
});

describe('the query', () => {
  const queryOf = (text: string, language = x) => language.parse(text).query;

  it('holds a phrase as it is written, or its words where punctuation is a blank', () => {
    const literal = { kind: 'literal', field: 'text', text: 'coca-cola', terms: ['coca', 'cola'] };
    expect(queryOf('"Coca-Cola"')).toEqual(literal);
    expect(queryOf('Coca-Cola')).toEqual(literal);
    expect(queryOf('"Coca-Cola"', xLanguage({ phrases: 'words' }))).toEqual({
      kind: 'phrase',
      field: 'text',
      terms: ['coca', 'cola'],
      slop: 0,
    });
  });

  it('finds a script without blanks inside runs, or as a whole run', () => {
    expect(queryOf('火山')).toEqual({ kind: 'literal', field: 'text', text: '火山', terms: ['火', '山'] });
    expect(queryOf('火山', xLanguage({ spaceless: 'whole-run' }))).toEqual({
      kind: 'term',
      field: 'text',
      term: '火山',
    });
  });

  it.each([
    [
      'place:"New York"',
      {
        kind: 'any',
        of: [
          { kind: 'term', field: 'place_id', term: 'new york' },
          { kind: 'phrase', field: 'place', terms: ['new', 'york'], slop: 0 },
        ],
      },
    ],
    ['min_followers:9', { kind: 'number', field: 'followers_count', from: { value: 9, inclusive: true } }],
    ['point_radius:[1 2 3mi]', { kind: 'circle', longitude: 1, latitude: 2, radius: 4828.032 }],
    ['url_contains:Quake', { kind: 'contains', field: 'url', text: 'quake' }],
    ['"a b c"~4', { kind: 'phrase', field: 'text', terms: ['a', 'b', 'c'], slop: 4 }],
    [
      'bio:"Marine biologist"',
      { kind: 'literal', field: 'bio', text: 'marine biologist', terms: ['marine', 'biologist'] },
    ],
    ['#Etna', { kind: 'term', field: 'hashtag', term: 'etna' }],
  ])('of %s', (rule, expected) => {
    expect(queryOf(rule)).toEqual(expected);
  });
});

describe('the list of messages', () => {
  it.each(Object.entries(MESSAGES))('%s has an example that shows it', (code, { example, severity }) => {
    expect(x.parse(example).diagnostics).toContainEqual(expect.objectContaining({ code, severity }));
  });
});

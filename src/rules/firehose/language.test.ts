import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { applyFix } from '../fix.ts';
import { NOTHING, type Query } from '../query.ts';
import { firehoseLanguage as language, renderLucene } from './language.ts';
import { MESSAGES } from './messages.ts';
import { FIELDS, LIMITS, OPERATORS } from './syntax-table.ts';

const codes = (rule: string) => language.parse(rule).diagnostics.map((one) => one.code);
const errorsOf = (rule: string) => language.parse(rule).diagnostics.filter((one) => one.severity === 'error');

/** Pieces that mean something to the grammar, so that random rules reach its corners. */
const PIECES =
  'tesla¦ford¦the¦wi-fi¦中国¦Ω¦title:¦url:¦dr:¦recent:¦language:¦zebra:¦page_type:¦AND¦OR¦NOT¦and¦TO¦&&¦||¦!¦+¦-¦(¦)¦[¦]¦{¦}' +
  '¦"¦~¦^¦:¦*¦?¦/¦\\¦\\u0041¦\\u00¦~2¦~0.5¦^2¦24h¦7d¦50¦"/Article"¦[1 TO 2]¦{a TO *]¦/a+/¦"electric vehicles"' +
  '¦“¦”¦#tag¦$x¦*:*¦te*¦t?st¦ ¦ ¦ ¦\t¦　¦👍';
const piece = fc.oneof(fc.constantFrom(...PIECES.split('¦')), fc.string({ unit: ANY_CHARACTER, maxLength: 3 }));
const rubbish = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
const spaced = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(' '));
const anyText = fc.oneof(rubbish, spaced, fc.string({ unit: ANY_CHARACTER }));

/** Valid rules, made the way the grammar makes them. */
const value = fc.constantFrom(
  'tesla',
  'ford',
  '"electric vehicles"',
  '"state of the art"~2',
  'te*',
  't?s*',
  'wi-fi',
  'volvo~1',
  '/ab+/',
  '[a TO m}',
  'the',
  '"a\\"b"',
  'a\\:b',
  'x^2',
);
const field = fc.constantFrom('', '', 'title:', 'removed:', 'url:', 'domain:', 'zebra:');
const leaf = fc.oneof(
  fc.tuple(field, value).map((parts) => parts.join('')),
  fc.constantFrom('*:*', 'dr:[50 TO *]', 'dr:7', 'language:en', 'publish_time:*', 'url:"*"', 'title:*'),
);
const rule = fc.letrec<{ list: string; clause: string }>((tie) => ({
  list: fc
    .array(
      fc.tuple(fc.constantFrom(' AND ', ' OR ', ' ', ' && '), fc.constantFrom('', '', 'NOT ', '-', '+'), tie('clause')),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) =>
      parts.map(([joiner, sign, clause], index) => `${index === 0 ? '' : joiner}${sign}${clause}`).join(''),
    ),
  clause: fc.oneof(
    { maxDepth: 3 },
    leaf,
    leaf,
    fc.tuple(field, tie('list')).map(([name, list]) => `${name}(${list})`),
  ),
})).list;

describe('parsing', () => {
  it('never throws, and gives a query exactly when there is no error', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { query, diagnostics } = language.parse(text);
        expect(language.queryOf(text)).toEqual(query);
        expect(query === undefined).toBe(diagnostics.some((one) => one.severity === 'error'));
        let last = 0;
        for (const { span, message } of diagnostics) {
          expect(span.start).toBeGreaterThanOrEqual(last);
          expect(span.end).toBeGreaterThanOrEqual(span.start);
          expect(span.end).toBeLessThanOrEqual(text.length);
          expect(message).not.toBe('');
          last = span.start;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('takes long and deep texts without a stack or a stall', () => {
    expect(codes('('.repeat(100_000))).toEqual(['too-long']);
    expect(codes('a'.repeat(1 << 20))).toEqual(['too-long']);
    expect(codes('"a" '.repeat(1 << 18))).toEqual(['too-long']);
    for (const text of [
      '(',
      '-',
      '"',
      '/',
      '\\',
      '[',
      'a:',
      'x:y:/',
      '~',
      '^',
      '!(',
      '\\/',
      '["',
      '(NOT ',
      'wi-fi ',
      '“a” ',
      '1/2/3 ',
    ]) {
      expect(errorsOf(text.repeat(16_000 / text.length))).not.toEqual([]);
    }
  });

  it('refuses a wildcard that takes too long to test, and says where it stands', () => {
    const long = `*${'a?'.repeat(4_000)}*b`;
    const { query, diagnostics } = language.parse(`tesla AND (ford OR url:${long})`);
    expect([query, diagnostics.map(({ code, span }) => [code, span])]).toEqual([
      undefined,
      [['pattern-too-large', { start: 23, end: 23 + long.length }]],
    ]);
    const ofLength = (length: number) => `*${'?'.repeat(length)}*`;
    expect(errorsOf(ofLength(1_375))).toEqual([]);
    expect(codes(ofLength(1_408))).toEqual(['pattern-too-large']);
    // All of a rule together are bounded too.
    expect(codes(`${ofLength(1_000)} OR ${ofLength(1_001)}`)).toEqual(['pattern-too-large']);
  });

  it('takes as many wildcards of usual lengths as a rule has room for', () => {
    const some = (part: string, count: number) => Array.from({ length: count }, (_, at) => `url:*\\/${part}${at}\\/*`);
    expect(errorsOf(some('a', 450).join(' OR '))).toEqual([]);
    expect(errorsOf(some('technology-and-science-', 170).join(' OR '))).toEqual([]);
    expect(errorsOf(some('x'.repeat(200), 34).join(' OR '))).toEqual([]);
  });

  it('knows its limits to the last', () => {
    expect(errorsOf(`"${'a'.repeat(LIMITS.length - 2)}"`)).toEqual([]);
    expect(codes(`"${'a'.repeat(LIMITS.length - 1)}"`)).toContain('too-long');
    const nested = (depth: number) => `${'('.repeat(depth)}a1${')'.repeat(depth)}`;
    expect(codes(nested(LIMITS.depth))).toEqual([]);
    expect(codes(nested(LIMITS.depth + 1))).toEqual(['too-deep']);
    expect(codes(`tesla AND ${nested(LIMITS.depth + 9)} AND (ford`)).toEqual(['too-deep']);
    const clauses = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
    expect(errorsOf(clauses(LIMITS.clauses))).toEqual([]);
    expect(codes(clauses(LIMITS.clauses + 1))).toContain('too-many-clauses');
    expect(codes(clauses(LIMITS.clauses + 1).replaceAll(' ', ' OR '))).toContain('too-many-clauses');
  });

  it('has no place outside the text for a pattern that is never closed', () => {
    for (const text of ['/x$', 'url:/x$', 'tesla AND /^x', 'url:/a&b']) {
      expect(codes(text)).toEqual(['unclosed-regex']);
      for (const { span } of language.parse(text).diagnostics) expect(span.end).toBeLessThanOrEqual(text.length);
    }
    expect(codes('url:/x$/')).toEqual(['regex-anchor']);
  });

  it('knows a site by the names that the engine finds it by, and by no ending', () => {
    expect(codes('domain:bbc.co.uk AND NOT domain:co.uk')).toEqual([]);
    expect(codes('domain:bbc.co.uk AND domain:co.uk')).toEqual([]);
    expect(codes('domain:news.bbc.co.uk AND domain:bbc.co.uk')).toEqual(['pointless-clause']);
    expect(codes('domain:10.1.2.3 AND NOT domain:2.3')).toEqual([]);
  });

  it('reports problems in one rule together', () => {
    expect(codes('title: AND (tesla OR "ford')).toEqual(['missing-value', 'unclosed-group', 'unclosed-quote']);
  });
});

describe('the canonical form', () => {
  it('parses to the same query, and prints the same again', () => {
    fc.assert(
      fc.property(fc.oneof(rule, spaced, rubbish), (text) => {
        const query = language.queryOf(text);
        if (query === undefined) return;
        const printed = language.print(query);
        expect(language.queryOf(printed)).toEqual(query);
      }),
      { numRuns: 3000 },
    );
  });

  it('is the same for rules that differ in notation only', () => {
    const printed = ['a1 AND b1 AND NOT c1', '+a1 +b1 -c1', 'a1 && b1 && !c1', '(a1 AND b1) AND NOT c1^2'].map(
      (text) => {
        const { query } = language.parse(text);
        return language.print(query ?? NOTHING);
      },
    );
    expect(new Set(printed)).toEqual(new Set(['a1 AND b1 AND NOT c1']));
  });

  it.each<[string, Query]>([
    ['tesla', { kind: 'term', field: 'added', term: 'tesla' }],
    ['title:"The Fox"', { kind: 'phrase', field: 'title', terms: ['the', 'fox'], slop: 0 }],
    ['"the state of the art"~2', { kind: 'phrase', field: 'added', terms: ['state', null, null, 'art'], slop: 2 }],
    ['"tesla"', { kind: 'term', field: 'added', term: 'tesla' }],
    ['url:Te*', { kind: 'prefix', field: 'url', prefix: 'Te' }],
    ['Te*', { kind: 'prefix', field: 'added', prefix: 'te' }],
    ['url:*', { kind: 'exists', field: 'url' }],
    ['dr:*', { kind: 'number', field: 'dr' }],
    ['dr:[* TO *]', { kind: 'number', field: 'dr' }],
    ['*:*', { kind: 'everything' }],
    ['NOT a1', { kind: 'nothing' }],
    ['the', { kind: 'nothing' }],
    ['dr:{50 TO *]', { kind: 'number', field: 'dr', from: { value: 50, inclusive: false } }],
    ['recent:2d', { kind: 'recent', milliseconds: 172_800_000 }],
    ['recent:1mo recent:1h', { kind: 'recent', milliseconds: 3_600_000 }],
    [
      '[A TO B]',
      { kind: 'range', field: 'added', from: { value: 'a', inclusive: true }, to: { value: 'b', inclusive: true } },
    ],
  ])('%s means what it should', (text, query) => {
    expect(language.parse(text).query).toEqual(query);
  });
});

describe('fixes', () => {
  it('take their diagnostic away and add no error', () => {
    fc.assert(
      fc.property(fc.oneof(rule, spaced, rubbish), (text) => {
        const { diagnostics } = language.parse(text);
        const errors = diagnostics.filter((one) => one.severity === 'error').length;
        for (const { code, severity, fix } of diagnostics.flatMap((one) =>
          (one.fixes ?? []).map((edit) => ({ ...one, fix: edit })),
        )) {
          // The diagnostics of the changed text need no fixes of their own.
          const after = language.parse(applyFix(text, fix), { left: 0, warnings: false }).diagnostics;
          const left = after.filter((one) => one.severity === 'error').length;
          const same = (list: typeof after) => list.filter((one) => one.code === code).length;
          expect(left).toBeLessThan(severity === 'error' ? errors : errors + 1);
          expect(severity === 'error' ? -1 : same(after)).toBeLessThan(same(diagnostics));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('Lucene’s rendering', () => {
  it('is undefined for what Lucene refuses', () => {
    expect(renderLucene('tesla AND')).toBeUndefined();
    expect(renderLucene('/a(/')).toBeUndefined();
  });

  it('knows nothing of dr and recent', () => {
    expect(renderLucene('dr:high AND NOT recent:24h')).toBe('+dr:high -recent:24h');
  });
});

describe('the messages', () => {
  it.each(Object.entries(MESSAGES).filter(([, { example }]) => example !== ''))(
    '%s is said of its example',
    (code, { example, severity }) => {
      const found = language.parse(example).diagnostics.find((one) => one.code === code);
      expect(found).toMatchObject({ code, severity });
    },
  );
});

describe('the help', () => {
  it('has every field and operator of the table', () => {
    expect(language.help.operators).toHaveLength(FIELDS.length + OPERATORS.length);
    for (const { name } of FIELDS) expect(language.help.grammar).toContain(name);
  });

  it.each([
    ...language.help.operators.map(({ example }) => example),
    ...language.help.examples.map(({ rule: text }) => text),
  ])('gives an example without a remark: %s', (text) => {
    expect(language.parse(text).diagnostics).toEqual([]);
  });

  it('says truly that recent cannot be negated', () => {
    expect(language.help.operators.find(({ name }) => name === 'recent:')).toMatchObject({ negatable: false });
    expect(errorsOf('tesla AND NOT recent:24h')).not.toEqual([]);
  });
});

describe('patterns that were compiled before', () => {
  const fits = (text: string) => language.parse(text).query !== undefined;
  const large = '/(k|l)*k(k|l){7}/';

  it('count against the rule as if they were new', () => {
    const verdicts = () => [fits(large), fits(`${large} AND ${large}`), fits(`${large} AND /(m|n)*m(m|n){7}/`)];
    const first = verdicts();
    expect(first[0]).toBe(true);
    expect(first[1]).toBe(first[2]);
    expect(verdicts()).toEqual(first);
  });

  it('are refused again where the budget is too small, and read again where it is larger', () => {
    const huge = '/(p|q)*p(p|q){7}/';
    const refused = `${large} AND ${large} AND ${large} AND ${huge}`;
    expect([fits(refused), fits(refused), fits(huge)]).toEqual([false, false, true]);
  });
});

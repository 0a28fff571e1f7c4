/** How queries are compiled, and which words a rule is found by: with words whose frequencies the test states. */
import { describe, expect, it } from 'vitest';
import { all, any, not, type Query } from '../../rules/query.ts';
import { packBytes } from '../core/encode.ts';
import { reasonForNone } from '../core/reports.ts';
import { costOf, costOfMarked, planAnchors } from './anchor.ts';
import { Compiler } from './compiler.ts';
import {
  ABSENT,
  ALL,
  ANCHOR,
  FAIL,
  FIRST_TERM,
  KIND,
  LITERAL,
  NEGATED,
  nodeLength,
  PHRASE,
  PHRASE_TERMS,
  pairOf,
  payloadOf,
  SLOP_SHIFT,
  SPREAD,
  TERM,
  TEST,
  WRITTEN,
} from './program.ts';
import type { Tested } from './shared-predicate.ts';

/** Words by how often they turn up; all others are in one event of ten. */
const SHARES: Record<string, number> = { the: 0.9, of: 0.8, common: 0.5, some: 0.2, rare: 0.01, rarer: 0.001 };

function stand() {
  const words: string[] = [];
  const predicates: Tested[] = [];
  const numberOf = (word: string): number => {
    if (!words.includes(word)) words.push(word);
    return FIRST_TERM + words.indexOf(word);
  };
  const wordOf = (term: number): string => words[term - FIRST_TERM]!;
  const share = (term: number): number => SHARES[wordOf(term)] ?? 0.1;
  const compiler = new Compiler({
    useTerm: (_, text) => numberOf(text),
    usePredicate: (predicate) => predicates.push(predicate) - 1,
    share,
    encode: packBytes,
  });
  const statistics = {
    share,
    predicateShare: (number: number) => {
      const predicate = predicates[number]!;
      return predicate.kind === 'prefix' && predicate.prefix !== '' ? (SHARES[predicate.prefix] ?? 0.1) : undefined;
    },
  };
  return { compiler, statistics, wordOf, numberOf, predicates };
}

const word = (term: string): Query => ({ kind: 'term', field: 'text', term });
const phrase = (terms: (string | null)[], slop = 0): Query => ({ kind: 'phrase', field: 'text', terms, slop });
const prefix = (text: string): Query => ({ kind: 'prefix', field: 'text', prefix: text });
const sample: Query = { kind: 'sample', percent: 5 };

/** The program in words. */
function compiled(query: Query): string {
  const { compiler, wordOf, predicates } = stand();
  compiler.compile(query);
  const { code } = compiler;
  const show = (at: number): string => {
    const payload = payloadOf(code[at]!);
    switch (code[at]! & KIND) {
      case TERM:
        return wordOf(payload);
      case ABSENT:
        return `-${wordOf(payload)}`;
      case TEST:
      case FAIL:
        return `${(code[at]! & KIND) === FAIL ? '-' : ''}<${predicates[payload]!.kind}>`;
      case PHRASE:
        return showPhrase(at);
      default: {
        const parts: string[] = [];
        for (let part = at + 1; part < at + nodeLength(code, at); part += nodeLength(code, part))
          parts.push(show(part));
        return `${(code[at]! & KIND) === ALL ? 'all' : 'any'}(${parts.join(' ')})`;
      }
    }
  };
  const showPhrase = (at: number): string => {
    const form = code[at + 1]!;
    const count = code[at + 2]!;
    const terms = Array.from({ length: count }, (_, term) => wordOf(payloadOf(code[at + PHRASE_TERMS + term]!)));
    const offsets =
      (form & SPREAD) === 0 ? [] : [...code.subarray(at + PHRASE_TERMS + count, at + PHRASE_TERMS + 2 * count)];
    const flags = [
      form & LITERAL ? 'literal' : '',
      form & WRITTEN ? 'written' : '',
      form >>> SLOP_SHIFT > 0 ? `~${form >>> SLOP_SHIFT}` : '',
      ...offsets.map(String),
    ].filter(Boolean);
    return `${form & NEGATED ? '-' : ''}"${terms.join(' ')}"${flags.length > 0 ? `[${flags.join(' ')}]` : ''}`;
  };
  const program = show(0);
  expect(nodeLength(code, 0)).toBe(compiler.length);
  return program;
}

describe('a program', () => {
  it.each<[Query, string]>([
    [word('a'), 'a'],
    [not(word('a')), '-a'],
    [not(not(word('a'))), 'a'],
    [not(all([word('a'), not(word('b'))])), 'any(-a b)'],
    [not(any([word('a'), word('b')])), 'all(-a -b)'],
    [{ kind: 'everything' }, 'all()'],
    [{ kind: 'nothing' }, 'any()'],
    [not({ kind: 'nothing' }), 'all()'],
    [not({ kind: 'everything' }), 'any()'],
    [{ kind: 'upstream', operator: 'embedding', value: 'x' }, 'any()'],
    [sample, '<sample>'],
    [not(sample), '-<sample>'],
    [phrase(['a', 'b']), '"a b"'],
    [phrase(['a', 'b'], 3), '"a b"[~3]'],
    [phrase(['a', null, 'b']), '"a b"[0 2]'],
    [not(phrase(['a', 'b'])), '-"a b"'],
    [phrase(['a']), '"a"'],
    [phrase([null]), 'any()'],
    [not(phrase([])), 'all()'],
    [{ kind: 'literal', field: 'text', text: 'a b', terms: ['a', 'b'] }, '"a b"[literal]'],
    [{ kind: 'literal', field: 'text', text: '(a-b', terms: ['a', 'b'] }, '"a b"[literal written]'],
    [{ kind: 'literal', field: 'text', text: '--', terms: [] }, '<literal>'],
  ])('of %j is %s', (query, program) => {
    expect(compiled(query)).toBe(program);
  });

  it.each<[string, Query, string]>([
    ['below all the rarest first', all([word('the'), word('rare'), word('some')]), 'all(rare some the)'],
    ['below any the most common first', any([word('rare'), word('the'), word('some')]), 'any(the some rare)'],
    ['what is seldom absent first', all([not(word('rare')), not(word('the'))]), 'all(-the -rare)'],
    ['words before phrases', all([phrase(['rare', 'x']), word('the')]), 'all(the "rare x")'],
    ['phrases before all else', any([sample, phrase(['rare', 'x']), word('rarer')]), 'any(rarer "rare x" <sample>)'],
    [
      'a phrase by its rarest word',
      all([phrase(['the', 'some']), phrase(['of', 'rare'])]),
      'all("of rare" "the some")',
    ],
    [
      'a negated phrase by how seldom it is absent',
      all([not(phrase(['rare', 'x'])), phrase(['the', 'of'])]),
      'all("the of" -"rare x")',
    ],
    [
      'joins by what they ask together',
      all([any([word('rare'), word('rarer')]), word('some'), any([word('common'), word('the')])]),
      'all(any(rare rarer) some any(the common))',
    ],
    [
      'joins by the heaviest of their parts',
      all([any([word('rarer'), sample]), word('the'), any([word('rare'), phrase(['x', 'y'])])]),
      'all(the any(rare "x y") any(rarer <sample>))',
    ],
  ])('has %s', (_, query, program) => {
    expect(compiled(query)).toBe(program);
  });

  it('is put in order however many parts it has', () => {
    const words = Array.from({ length: 40 }, (_, index) => `w${index}`);
    const many = all([...words.map(word), word('rare')]);
    expect(compiled(many)).toBe(`all(rare ${words.join(' ')})`);
    const few = all([...words.slice(0, 15).map(word), word('rare')]);
    expect(compiled(few)).toBe(`all(rare ${words.slice(0, 15).join(' ')})`);
    const phrases = words.map((one) => phrase([one, 'x']));
    const mixed = all([...phrases, any([word('common'), word('of')]), word('rare')]);
    expect(compiled(mixed)).toBe(`all(rare any(of common) ${words.map((one) => `"${one} x"`).join(' ')})`);
  });

  it('has room for any number of words, and for the characters of any text', () => {
    const words = Array.from({ length: 300 }, (_, index) => `w${index}`);
    expect(compiled(any(words.map(word)))).toBe(`any(${words.join(' ')})`);
    expect(compiled(phrase(words))).toBe(`"${words.join(' ')}"`);
    const { compiler } = stand();
    const text = `(${'a'.repeat(1_001)}`;
    compiler.compile({ kind: 'literal', field: 'text', text, terms: ['a'.repeat(1_001)] });
    const [lead, length, ...packed] = compiler.code.subarray(PHRASE_TERMS + 1, compiler.length);
    expect([lead, length, packed]).toEqual([1, 1_002, [...packBytes(text).packed]]);
    compiler.compile(word('a'));
    expect(compiler.length).toBe(1);
  });

  it('allows words to be apart by more than any text is long, and no further', () => {
    const { compiler } = stand();
    compiler.compile(phrase(['a', 'b'], 2 ** 30));
    expect(compiler.code[1]! >>> SLOP_SHIFT).toBe(2 ** 26 - 1);
  });
});

/** The anchors of a query in words: `word (witnesses)`, with `!` where they prove the rule. */
function planned(query: Query): string[] | undefined {
  const { compiler, statistics, wordOf, numberOf, predicates } = stand();
  compiler.compile(query);
  const { code } = compiler;
  const pairs = new Map<number, string>();
  const nameOf = (witness: number): string => {
    const term = witness < 0 ? ~witness : witness;
    const name = term >= FIRST_TERM ? wordOf(term) : pairs.get(term)!;
    return witness < 0 ? `-${name}` : name;
  };
  for (const [one, two] of [
    ['the', 'rare'],
    ['rare', 'of'],
    ['some', 'rare'],
    ['a', 'b'],
    ['b', 'c'],
  ] as const) {
    pairs.set(pairOf(numberOf(one), numberOf(two)), `${one}+${two}`);
  }
  return planAnchors(code, 0, statistics)?.map(({ leaf, witnesses, proves }) => {
    const payload = payloadOf(code[leaf]!);
    const predicate = predicates[payload];
    const name = (code[leaf]! & KIND) === TEST ? `<${predicate?.kind}>` : wordOf(payload);
    const beside = witnesses.filter((witness) => witness !== 0).map(nameOf);
    return `${name} (${beside.join(' ')})${proves ? '!' : ''}`;
  });
}

describe('a rule is found by', () => {
  it.each<[string, Query, string[] | undefined]>([
    ['its word', word('a'), ['a ()!']],
    [
      'the rarest of its words, with the next as witnesses',
      all([word('the'), word('rare'), word('some')]),
      ['rare (some the)!'],
    ],
    [
      'no more than two witnesses, and then it is evaluated',
      all(['the', 'rare', 'some', 'of'].map(word)),
      ['rare (some of)'],
    ],
    ['a word that must be absent as a witness', all([word('some'), not(word('the'))]), ['some (-the)!']],
    ['each of its alternatives', any([word('a'), word('b')]), ['a ()!', 'b ()!']],
    [
      'each alternative with what is around it',
      all([any([word('rare'), word('rarer')]), word('the')]),
      ['rare (the)!', 'rarer (the)!'],
    ],
    ['the word around where that is rarer', all([any([word('the'), word('of')]), word('rare')]), ['rare ()']],
    ['the rarest word of a phrase, with its pair', phrase(['the', 'rare', 'of']), ['rare (rare+of)']],
    ['the last word of a phrase, with the pair before it', phrase(['the', 'rare']), ['rare (the+rare)']],
    ['a word of a loose phrase, with the next rarest', phrase(['the', 'rare', 'some'], 5), ['rare (some)']],
    ['a word of a phrase with holes, with the next rarest', phrase(['the', null, 'rare']), ['rare (the)']],
    ['a word beside a phrase, with its pair', all([phrase(['a', 'b']), word('rarer')]), ['rarer (a+b)']],
    ['a pattern if nothing is better', all([prefix('abc'), sample]), ['<prefix> ()']],
    ['a word rather than a pattern', all([prefix('abc'), word('some')]), ['some ()']],
    ['a rare pattern rather than a word that is everywhere', all([prefix('rarer'), word('the')]), ['<prefix> (the)']],
    [
      'an alternative of several words, with those and the word around as witnesses',
      all([any([all([word('rare'), word('some')]), word('rarer')]), word('the')]),
      ['rare (some the)!', 'rarer (the)!'],
    ],
    [
      'the rarest of more witnesses than there is room for, and then it is evaluated',
      all([any([all([word('rare'), word('some')]), word('rarer')]), word('the'), word('of')]),
      ['rare (some of)', 'rarer (of the)!'],
    ],
    ['alternatives that no words prove', all([any([word('rare'), word('rarer')]), sample]), ['rare ()', 'rarer ()']],
    ['a word beside a loose phrase, with a word of it', all([phrase(['some', 'a'], 2), word('rarer')]), ['rarer (a)']],
    ['a word beside a phrase that must be absent', all([not(phrase(['a', 'b'])), word('rare')]), ['rare ()']],
    ['a phrase of one word, with the word around', all([phrase(['rare']), word('the')]), ['rare (the)']],
    [
      'a phrase with its pair, and the rarest word around',
      all([phrase(['the', 'rare']), word('some'), word('of')]),
      ['rare (the+rare some)'],
    ],
    [
      'a loose phrase beside others, with the rarest two of them',
      all([phrase(['the', 'rare'], 1), word('some'), word('common')]),
      ['rare (some common)'],
    ],
    ['the first of words that are equally rare', all([word('a'), word('b'), word('c')]), ['a (b c)!']],
    ['the first word of a phrase of equally rare ones', phrase(['a', 'b', 'c']), ['a (a+b)']],
    ['a pattern beside the words that it is not rarer than', all([prefix('x'), word('a')]), ['a ()']],
    ['nothing where an alternative has no anchor', any([word('a'), sample]), undefined],
    ['nothing where it only says what is absent', not(word('a')), undefined],
    ['nothing where a phrase must be absent', not(phrase(['a', 'b'])), undefined],
    ['nothing where a pattern has no hold', prefix(''), undefined],
    ['nothing where it asks for nothing', { kind: 'everything' }, undefined],
    ['no event at all', { kind: 'nothing' }, []],
  ])('%s', (_, query, anchors) => {
    expect(planned(query)).toEqual(anchors);
  });
});

describe('what a rule costs', () => {
  const costs = (query: Query): { best: number; marked: number } => {
    const { compiler, statistics } = stand();
    compiler.compile(query);
    const { code } = compiler;
    for (const { leaf } of planAnchors(code, 0, statistics) ?? []) code[leaf]! |= ANCHOR;
    return { best: costOf(code, 0, statistics), marked: costOfMarked(code, 0, statistics) };
  };

  it.each<[string, Query, number]>([
    ['a word: its share, and 40 entries for a look', word('rare'), 0.01 * 41],
    ['a witness lets fewer through', all([word('rare'), word('common')]), 0.01 * (1 + 40 * 0.5)],
    ['so do two', all(['rare', 'common', 'the'].map(word)), 0.01 * (1 + 40 * 0.45)],
    ['a word that must be absent', all([word('rare'), not(word('common'))]), 0.01 * (1 + 40 * 0.5)],
    ['alternatives add up', any([word('rare'), word('some')]), 0.01 * 41 + 0.2 * 41],
    ['a phrase: its rarest word and a pair', phrase(['the', 'rare']), 0.01 * (1 + 40 * 0.05)],
    ['a loose phrase: its rarest words', phrase(['the', 'rare'], 2), 0.01 * (1 + 40 * 0.9)],
    ['a phrase beside a word', all([phrase(['the', 'of']), word('rare')]), 0.01 * (1 + 40 * 0.8 * 0.05)],
    ['a pattern: 200 entries for a try', prefix('rare'), 0.01 * 241],
    ['a pattern with a witness', all([prefix('rarer'), word('the')]), 0.001 * (1 + 40 * 0.9 + 200)],
    [
      'a phrase with a word around',
      all([phrase(['the', 'rare']), word('some'), word('of')]),
      0.01 * (1 + 40 * 0.05 * 0.2),
    ],
    ['a phrase of one word', phrase(['rare']), 0.01 * 41],
    [
      'alternatives within',
      all([any([all([word('rare'), word('some')]), word('rarer')]), word('the')]),
      0.01 * (1 + 40 * 0.2 * 0.9) + 0.001 * (1 + 40 * 0.9),
    ],
  ])('%s', (_, query, cost) => {
    const { best, marked } = costs(query);
    expect([best, marked]).toEqual([expect.closeTo(cost, 10), expect.closeTo(cost, 10)]);
  });

  it('is infinite without an anchor', () => {
    for (const query of [sample, not(word('a')), not(phrase(['a', 'b'])), any([word('a'), sample]), prefix('')]) {
      expect(costs(query).best).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it('counts the anchors that are marked, also where there are better ones by now', () => {
    const { compiler, statistics, wordOf } = stand();
    compiler.compile(all([word('rare'), word('the')]));
    const { code } = compiler;
    expect(costOfMarked(code, 0, statistics)).toBe(0);
    for (let at = 1; at < 3; at++) if (wordOf(payloadOf(code[at]!)) === 'the') code[at]! |= ANCHOR;
    expect(costOfMarked(code, 0, statistics)).toBeCloseTo(0.9 * (1 + 40 * 0.01), 10);
    compiler.compile(phrase(['rare', 'the']));
    compiler.code[PHRASE_TERMS + 1]! |= ANCHOR;
    expect(costOfMarked(compiler.code, 0, statistics)).toBeCloseTo(0.9 * (1 + 40 * 0.05), 10);
  });
});

describe('a rule without an anchor is told why', () => {
  it.each<[Query, string]>([
    [not(word('a')), 'it only says what must be absent'],
    [not(sample), 'it only says what must be absent'],
    [not(phrase(['a', 'b'])), 'it only says what must be absent'],
    [{ kind: 'everything' }, 'it matches everything'],
    [sample, 'it takes a sample of all events'],
    [prefix(''), 'it asks for words with any beginning'],
    [all([not(word('a')), sample]), 'it takes a sample of all events'],
    [any([word('a'), sample]), 'one of its alternatives asks for no word: it takes a sample of all events'],
    [
      any([word('a'), all([any([word('b'), not(word('c'))])])]),
      'one of its alternatives asks for no word: it only says what must be absent',
    ],
    [{ kind: 'exists', field: 'f' }, 'it asks only that a field is there'],
    [{ kind: 'number', field: 'f', from: { value: 1, inclusive: true } }, 'it asks for a number and for no word'],
    [{ kind: 'circle', longitude: 1, latitude: 2, radius: 3 }, 'it asks for a place and for no word'],
    [{ kind: 'box', west: 1, south: 2, east: 3, north: 4 }, 'it asks for a place and for no word'],
    [{ kind: 'literal', field: 'f', text: '--', terms: [] }, 'its text has signs and no word'],
    [{ kind: 'contains', field: 'f', text: 'ab' }, 'it asks for fewer than three characters'],
    [
      { kind: 'wildcard', field: 'f', pattern: '*' },
      'its pattern has no fixed beginning, nor three fixed characters in a row',
    ],
    [
      { kind: 'regex', field: 'f', pattern: '.*' },
      'its pattern has no fixed beginning, nor three fixed characters in a row',
    ],
    [{ kind: 'recent', milliseconds: 5 }, 'it asks how old an event is and for no word'],
    [{ kind: 'fuzzy', field: 'f', term: 'a', edits: 1 }, 'it asks for a word in any spelling near it'],
    [{ kind: 'range', field: 'f' }, 'it asks for a range of words and for none of them'],
  ])('%j: %s', (query, reason) => {
    const { compiler, statistics, predicates } = stand();
    compiler.compile(query);
    expect(reasonForNone(compiler.code, 0, statistics, (number) => predicates[number]!.kind)).toBe(reason);
  });
});

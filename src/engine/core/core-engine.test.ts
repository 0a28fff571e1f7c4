/** The core's engine does more than the contract that all engines share. */
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../../bench/random.ts';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import { newAnalyzer } from '../events/analyzer.ts';
import { type EventView, isRejection } from '../events/event-view.ts';
import { holds as scanHolds } from '../scan.ts';
import { type CoreEngine, createCoreEngine, makeCoreTables } from './core-engine.ts';
import { guessShare } from './core-vocabulary.ts';
import { isSpent, newMatchBudget } from './match-budget.ts';

const word = (term: string, field = 'text'): Query => ({ kind: 'term', field, term });
const phrase = (...terms: string[]): Query => ({ kind: 'phrase', field: 'text', terms, slop: 0 });
const prefix = (text: string, field = 'text'): Query => ({ kind: 'prefix', field, prefix: text });
const part = (text: string): Query => ({ kind: 'contains', field: 'text', text });
const line = (text: string): string => JSON.stringify({ data: { id: '7', text, entities: {} } });

function viewOf(text: string): EventView {
  const view = newAnalyzer('x')(JSON.parse(line(text)));
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

function pageOf(page: Record<string, string>): EventView {
  const view = newAnalyzer('firehose')({ id: '7', ...page });
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

const textOfWord = ({ words, pieces }: EventView, at: number): string =>
  pieces[words.pieces[at]!]!.text.slice(words.starts[at], words.ends[at]);

function lineEngine(rules: Record<string, Query>): CoreEngine {
  const core = createCoreEngine({ platform: 'x', now: () => 0 });
  for (const [id, query] of Object.entries(rules)) core.put(id, query);
  return core;
}

/** The ids of the rules that a line matches, as the core walks it. */
function idsOf(core: CoreEngine, text: string): string[] {
  expect(core.walkLine(line(text))).toBe(true);
  const { numbers, count } = core.matchWalked(() => viewOf(text));
  return Array.from(numbers.subarray(0, count), (number) => core.idOf(number)).toSorted();
}

describe('a sample of the rules', () => {
  it('has no more than were asked for or there are, each once, and the same for the same seed', () => {
    const core = createCoreEngine();
    expect(core.sample(1, 10)).toEqual([]);
    const ids = Array.from({ length: 100 }, (_, index) => `rule_${index}`);
    for (const id of ids) core.put(id, word(id));
    for (const [seed, count] of [1, 5, 30, 100, 1_000].entries()) {
      const sample = core.sample(seed, count);
      expect(sample.length).toBeGreaterThan(0);
      expect(sample.length).toBeLessThanOrEqual(Math.min(count, 100));
      expect([new Set(sample).size, core.sample(seed, count)]).toEqual([sample.length, sample]);
      expect(ids).toEqual(expect.arrayContaining(sample));
    }
    const seen = new Set(Array.from({ length: 50 }, (_, seed) => core.sample(seed * 100, 20)).flat());
    expect(seen.size).toBeGreaterThan(90);
    expect([core.sample(3, 0), core.sample(1, 1)[0] === core.sample(2, 1)[0]]).toEqual([[], false]);
  });

  it('has no rule that is gone', () => {
    const core = createCoreEngine();
    for (let rule = 0; rule < 20; rule++) core.put(`rule_${rule}`, word('a'));
    for (let rule = 0; rule < 20; rule += 2) core.drop(`rule_${rule}`);
    const seen = new Set(Array.from({ length: 50 }, (_, seed) => core.sample(seed * 20, 20)).flat());
    expect([...seen].toSorted()).toEqual(
      ['1', '11', '13', '15', '17', '19', '3', '5', '7', '9'].map((n) => `rule_${n}`),
    );
    expect([core.numbersEnd, core.numberOf('rule_3'), core.numberOf('rule_2'), core.idOf(3)]).toEqual([
      20,
      3,
      -1,
      'rule_3',
    ]);
  });
});

describe('an event', () => {
  it('may match more rules than the core has room for at a time', () => {
    const core = lineEngine({});
    const count = 16_384 + 5;
    for (let rule = 0; rule < count; rule++) core.put(`rule_${rule}`, word('a'));
    core.put('other', word('b'));
    expect(core.walkLine(line('a'))).toBe(true);
    const report = core.matchWalked(() => viewOf('a'));
    expect([report.count, report.numbers.length, report.evaluated]).toEqual([count, count, count]);
    expect(Int32Array.from(report.numbers).toSorted()).toEqual(
      Int32Array.from({ length: count }, (_, number) => number),
    );
    expect(idsOf(core, 'b')).toEqual(['other']);
    expect(core.match(textEvent('a')).matches).toHaveLength(count);
  });

  it('of many words is handed over in parts, and matches what it matches at once', () => {
    // Characters of one to four bytes, so that words begin at other bytes than units, and what stands behind the last word.
    const view = pageOf({
      title: 'ünter 🌋',
      added: Array.from({ length: 40_000 }, (_, at) => `é${at}🌋 火${at}`).join(' '),
    });
    const core = createCoreEngine({ now: () => 0 });
    const count = view.words.count;
    expect(count).toBeGreaterThan(80_000);
    for (let at = 16_380; at < 16_390; at++) {
      const neighbours = [at, at + 1].map((place) => textOfWord(view, place));
      core.put(`near ${at}`, { kind: 'phrase', field: 'added', terms: neighbours, slop: 0 });
      core.put(`turned ${at}`, { kind: 'phrase', field: 'added', terms: neighbours.toReversed(), slop: 0 });
    }
    core.put('first', word('ünter', 'title'));
    core.put('last', word(textOfWord(view, count - 1), 'added'));
    const budget = newMatchBudget();
    for (const step of core.prepare(view, budget)) expect(step).toBeLessThan(count);
    const { matches } = core.match(view, budget);
    expect(matches.toSorted()).toEqual(core.match(view).matches.toSorted());
    expect(matches).toHaveLength(10 + 2);
  });

  it('that was handed over in parts is handed over again when the rules change meanwhile', () => {
    const view = pageOf({ title: 'lava', added: 'ash '.repeat(20_000) });
    const core = createCoreEngine({ now: () => 0 });
    core.put('text', word('ash', 'added'));
    const [before, meanwhile] = [newMatchBudget(), newMatchBudget()];
    for (const _ of core.prepare(view, before));
    const parts = core.prepare(view, meanwhile);
    parts.next();
    // No rule named a word of titles, so none were handed over.
    core.put('title', word('lava', 'title'));
    for (const _ of parts);
    for (const budget of [before, meanwhile]) {
      expect(core.match(view, budget).matches.toSorted()).toEqual(['text', 'title']);
      expect(budget.written).toBeUndefined();
    }
  });

  it('has words with a NUL in them, which are not those without', () => {
    const core = createCoreEngine();
    for (const [id, term] of Object.entries({ plain: 'a', behind: 'a\0', long: `${'a'.repeat(20)}\0` }))
      core.put(id, word(term));
    const valued = (text: string): EventView => {
      const view = textEvent('x');
      const words = { ...view.words, count: 1, starts: Int32Array.of(0), ends: Int32Array.of(text.length) };
      return { ...view, pieces: [{ ...view.pieces[0]!, text }], words };
    };
    const matches = (text: string) => core.match(valued(text)).matches;
    expect([matches('a'), matches('a\0'), matches('a\0\0')]).toEqual([['plain'], ['behind'], []]);
    expect([matches(`${'a'.repeat(20)}\0`), matches('a'.repeat(20))]).toEqual([['long'], []]);
  });

  it.each([1, 8, 14, 15, 16, 17, 40])('has words of %i bytes that a rule names and an author is told of', (length) => {
    for (const term of ['a'.repeat(length), 'é'.repeat(length)]) {
      const core = createCoreEngine();
      const bytes = Buffer.byteLength(term);
      expect(core.cost(word(term, 'title')).anchors).toEqual([{ field: 'title', term, share: guessShare(bytes) }]);
      core.put('rule', word(term));
      expect(core.match(textEvent(`x ${term}`)).matches).toEqual(['rule']);
      expect(core.match(textEvent(`x ${term}a`)).matches).toEqual([]);
      core.drop('rule');
      expect(core.stats()).toMatchObject({ terms: 0, used: 0 });
    }
  });

  it('meets phrases as long as a rule can have them', () => {
    const core = lineEngine({});
    const terms = Array.from({ length: 700 }, (_, index) => `w${index}`);
    core.put('long', phrase(...terms));
    core.put('loose', { kind: 'phrase', field: 'text', terms, slop: 1 });
    core.put('written', { kind: 'literal', field: 'text', text: `(${terms.join('-')}`, terms });
    core.put('nested', all([word('w1'), any([word('zz'), not(phrase(...terms.toReversed()))])]));
    expect(core.match(textEvent(`x ${terms.join(' ')}`)).matches.toSorted()).toEqual(['long', 'loose', 'nested']);
    expect(core.match(textEvent(`(${terms.join('-')})`)).matches.toSorted()).toEqual([
      'long',
      'loose',
      'nested',
      'written',
    ]);
  });
});

describe('a phrase in a long event', () => {
  const random = randomFrom(41);
  const anyOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const rare = Array.from({ length: 40 }, (_, at) => `r${at}`);
  /** Mostly three words; each of the rare ones stands there up to forty times, also first and last. */
  function textOf(words: number): string[] {
    const text = Array.from({ length: words }, () => anyOf(['a', 'b', 'c']));
    for (const [at, one] of rare.entries())
      for (let times = 0; times < at; times++) text[Math.floor(random() * words)] = one;
    return [anyOf(rare), ...text, anyOf(rare)];
  }

  it.each([253, 254, 255, 600, 3_000])('is found where the scan finds it, among %i words and two', (words) => {
    const text = textOf(words);
    const rules = new Map<string, Query>();
    for (let rule = 0; rule < 300; rule++) {
      const from = anyOf([0, text.length - 3, Math.floor(random() * text.length)]);
      const terms = text.slice(from, from + 2 + Math.floor(random() * 4));
      if (random() < 0.5) terms[Math.floor(random() * terms.length)] = anyOf(['a', 'b', anyOf(rare)]);
      const written: Query = { kind: 'literal', field: 'text', text: terms.join(anyOf([' ', ', '])), terms };
      rules.set(`rule ${rule}`, random() < 0.3 ? written : phrase(...terms));
    }
    const core = createCoreEngine({ platform: 'x', now: () => 0 });
    for (const [id, query] of rules) core.put(id, query);
    const view = textEvent(text.join(' '));
    const scanned = [...rules].filter(([, query]) => scanHolds(query, view, 0)).map(([id]) => id);
    expect(scanned.length).toBeGreaterThan(50);
    expect(core.match(view).matches.toSorted()).toEqual(scanned.toSorted());
  });
});

describe('a line', () => {
  it('that the core takes for an event and the analyzer does not is an error, and the next one is matched', () => {
    const core = lineEngine({ pattern: prefix('sto'), word: word('rain') });
    expect(() => core.matchLine(Buffer.from(line('storm')), () => undefined)).toThrow('the analyzer did not');
    expect(idsOf(core, 'rain storm')).toEqual(['pattern', 'word']);
    const none = core.matchLine(Buffer.from('{"data":{}}'), () => undefined);
    expect(none).toBeUndefined();
  });

  it('is left with its patterns open when the budget is spent, and reported whole in the end', () => {
    const core = lineEngine({
      word: word('storm'),
      pattern: all([word('storm'), { kind: 'wildcard', field: 'text', pattern: '*?m' }]),
    });
    const budget = newMatchBudget(0);
    expect(core.walkLine(line('storm'))).toBe(true);
    const first = core.matchWalked(() => viewOf('storm'), budget);
    expect([first.count, first.numbers.length, budget.open.size]).toEqual([0, 0, 1]);
    for (const _ of core.decideOpen(viewOf('storm'), budget));
    expect(core.walkLine(line('storm'))).toBe(true);
    const second = core.matchWalked(() => viewOf('storm'), budget);
    expect([second.count, isSpent(budget)]).toEqual([2, false]);
  });

  it('is left to TypeScript where a pattern asks for a field that the core does not read, until that is gone', () => {
    const core = lineEngine({ word: word('storm'), odd: prefix('sto', 'unheard_of') });
    expect([core.walkLine(line('storm')), core.lineCounts.leftFor.field]).toEqual([false, 1]);
    core.drop('odd');
    expect([core.walkLine(line('storm')), core.lineCounts.leftFor.field]).toEqual([true, 1]);
    expect(core.lineCounts).toEqual({
      walked: 1,
      left: 1,
      leftFor: { shape: 0, part: 0, text: 0, length: 0, field: 1 },
      triedPatterns: 0,
    });
  });
});

describe('the patterns that a line is looked through for', () => {
  it.each<[string, Query, string, string]>([
    ['a beginning of one byte', prefix('q'), 'q', 'xq'],
    ['of two', prefix('qu'), 'quick', 'q xqu'],
    ['of three', prefix('qui'), 'quick', 'qu xqui'],
    ['of four', prefix('quic'), 'quick', 'qui xquic'],
    ['of more', prefix('quickly'), 'quickly', 'qui'],
    ['in another script', prefix('ö'), 'öl', 'o xö'],
    ['three bytes inside', part('uic'), 'quick', 'ui c'],
    ['four or more', part('quick'), 'a quick one', 'quack'],
    ['the most telling part', part('aaaaqrst'), 'xaaaaqrst', 'aaaaaaaa'],
    ['the first of equals', part('abcdefgh'), 'abcdefgh', 'efgh'],
  ])('%s: found where it is, and no line without it is analysed', (_, query, fitting, other) => {
    const core = lineEngine({ pattern: query });
    expect([idsOf(core, fitting), core.lineCounts.triedPatterns]).toEqual([['pattern'], 1]);
    expect([idsOf(core, other), core.lineCounts.triedPatterns]).toEqual([[], 1]);
  });

  it('are any where one is half a pair of surrogates, which has no bytes of its own', () => {
    const core = lineEngine({ pattern: prefix('\ud83c') });
    expect([idsOf(core, 'x'), core.lineCounts.triedPatterns]).toEqual([[], 1]);
    expect(idsOf(core, '🌋')).toEqual(['pattern']);
  });

  it('are forgotten when more than 64 are gone beyond those that are left, or none is left', () => {
    const core = lineEngine({ kept: prefix('kept') });
    for (let pattern = 10; pattern < 76; pattern++) core.put(`p${pattern}`, prefix(`q${pattern}`));
    const tried = (text: string) => {
      const before = core.lineCounts.triedPatterns;
      idsOf(core, text);
      return core.lineCounts.triedPatterns - before;
    };
    for (let pattern = 10; pattern < 75; pattern++) core.drop(`p${pattern}`);
    expect([tried('q10'), tried('q75'), tried('kept'), tried('other')]).toEqual([1, 1, 1, 0]);
    core.drop('p75');
    expect([tried('q10'), tried('q75'), tried('kept')]).toEqual([0, 0, 1]);
    core.drop('kept');
    expect(tried('kept')).toBe(0);
    core.put('again', prefix('kept'));
    expect([tried('kept'), idsOf(core, 'kept')]).toEqual([1, ['again']]);
  });

  it('are those of patterns with several rules until the last rule is gone', () => {
    const core = lineEngine({ one: prefix('sto'), two: all([prefix('sto'), not(word('rain'))]) });
    core.drop('one');
    expect(idsOf(core, 'storm')).toEqual(['two']);
    core.drop('two');
    core.put('word', word('storm'));
    const { triedPatterns } = core.lineCounts;
    expect([idsOf(core, 'storm'), core.lineCounts.triedPatterns]).toEqual([['word'], triedPatterns]);
  });
});

describe('the memory of the core', () => {
  it('is given back with the last rule', () => {
    const core = createCoreEngine();
    const { bytes } = core.stats();
    for (let rule = 0; rule < 2_000; rule++) core.put(`rule_${rule}`, all([word(`w${rule}`), phrase('a', `b${rule}`)]));
    expect(core.stats().bytes).toBeGreaterThan(bytes + 2_000 * 60);
    for (let rule = 0; rule < 2_000; rule++) core.drop(`rule_${rule}`);
    // Only a page of the list of programs stays.
    expect(core.stats()).toMatchObject({ rules: 0, terms: 0, used: 0 });
    expect(core.stats().bytes).toBeLessThan(bytes + 2_000 * 50);
    core.put('a', word('a'));
    expect(core.match(textEvent('a')).matches).toEqual(['a']);
  });

  it('has tables made ahead in many small steps, once', () => {
    const steps = [...makeCoreTables()];
    expect(Math.max(0, ...steps)).toBeLessThanOrEqual(0x800);
    expect([...makeCoreTables()]).toEqual([]);
  });
});

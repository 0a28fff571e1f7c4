import { describe, expect, it } from 'vitest';
import { languages } from '../../src/rules/languages.ts';
import { analyzerFor } from '../corpus.ts';
import { addFields, forPeers, textsOfEvent } from './event-texts.ts';
import { type PeerFigures, summarise } from './figures.ts';
import { keysOf, WordCounts } from './keys.ts';
import { toLucene } from './lucene-form.ts';
import { plotPeers } from './plot.ts';
import { toTsquery } from './postgres-form.ts';
import { readReport } from './program.ts';
import { describePeer, tableOf } from './table.ts';
import { toCombinations, toLiterals, toPatterns } from './vectorscan-form.ts';

const read = (platform: 'x' | 'firehose', text: string) => {
  const { query } = languages({ level: 'enterprise', local: true })[platform].parse(text);
  return forPeers(query!, platform);
};
const ruleOf = (number: number, text: string) => ({ number, query: read('x', text), keys: [] });

describe('a rule in the form of a peer', () => {
  it('is quoted clauses with plus and minus for Lucene', () => {
    expect(toLucene(read('x', '(cat OR "big dog") bird -fish'))).toBe(
      '(+(text:"cat" text:"big dog") +text:"bird" -text:"fish")',
    );
    expect(toLucene(read('x', '#cat'))).toBe('hashtag:"cat"');
  });

  it('is a tsquery for PostgreSQL, with weights only where rules name two fields of text', () => {
    const rule = read('firehose', 'title:cat AND "big dog" AND NOT fish AND language:de');
    expect(toTsquery(rule, 'firehose', false)).toBe("('cat' & ('big' <-> 'dog') & (!'fish') & 'language/de')");
    expect(toTsquery(rule, 'firehose', true)).toContain("'cat':A & ('big':D <-> 'dog':D)");
  });

  it('has the host of a link as one word', () => {
    expect(toTsquery(read('x', 'url:"example.com"'), 'x', false)).toBe("'example.com'");
    expect(toLucene(read('x', 'url:"example.com"'))).toBe('url:"example.com"');
  });

  it('doubles what would end a lexeme', () => {
    expect(toTsquery({ kind: 'term', field: 'text', term: "it's\\" }, 'x', false)).toBe("'it''s\\\\'");
    expect(toLucene({ kind: 'term', field: 'text', term: 'a"b\\' })).toBe('text:"a\\"b\\\\"');
  });

  it('is the pattern itself where the peer has patterns', () => {
    const [prefix, wildcard, regex] = ['cat*', '*c?t', '/cats?[0-9]/'].map((text) => read('firehose', text));
    expect([toLucene(prefix!), toLucene(wildcard!), toLucene(regex!)]).toEqual([
      'added:cat*',
      'added:*c?t',
      'added:/cats?[0-9]/',
    ]);
    expect([toTsquery(prefix!, 'firehose', false), toTsquery(prefix!, 'firehose', true)]).toEqual([
      "'cat':*",
      "'cat':*D",
    ]);
    expect([toTsquery(wildcard!, 'firehose', false), toTsquery(regex!, 'firehose', false)]).toEqual([
      undefined,
      undefined,
    ]);
    const { lines, rules } = toPatterns(
      [prefix!, wildcard!, regex!, read('firehose', 'cat')].map((query, number) => ({ number, query, keys: [] })),
      'added',
    );
    expect(lines.map((line) => line.split('\t')[2])).toEqual(['\\bcat', '\\b\\w*c\\wt\\b', '\\b(?:cats?[0-9])\\b']);
    expect([...rules.values()].flat()).toEqual([0, 1, 2]);
  });

  it('is left out where the peer cannot say it', () => {
    const near = { kind: 'phrase', field: 'text', terms: ['a', 'b'], slop: 2 } as const;
    const odd = { kind: 'all', of: [near, { kind: 'term', field: 'text', term: 'c' }] } as const;
    expect([toLucene(odd), toTsquery(odd, 'x', false)]).toEqual([undefined, undefined]);
    expect(toCombinations([ruleOf(0, 'cat -fish'), ruleOf(1, 'cat lang:de')], 'text').lines).toEqual([]);
  });

  it('is literals and combinations of their numbers for Vectorscan', () => {
    const rules = [ruleOf(7, 'cat'), ruleOf(8, '(cat OR "big dog") bird'), ruleOf(9, '#cat')];
    const { lines, rules: whole } = toCombinations(rules, 'text');
    expect(lines.map((line) => line.split('\t')[2])).toEqual([
      'cat',
      'big dog',
      'bird',
      '#cat',
      '(0 | 0)',
      '((0 | 1) & 2)',
      '(3 | 3)',
    ]);
    expect([...whole]).toEqual([
      [4, [7]],
      [5, [8]],
      [6, [9]],
    ]);
  });

  it('is whole as a literal only where it is one', () => {
    const { lines, rules } = toLiterals([ruleOf(1, 'cat'), ruleOf(2, 'cat -fish'), ruleOf(3, 'cat')], 'text');
    expect(lines).toEqual(['1\t3\tcat', '1\t4\tfish']);
    expect([...rules]).toEqual([[0, [1, 3]]]);
  });
});

describe('the keys of a rule', () => {
  const counts = new WordCounts();
  const analyze = analyzerFor('x');
  for (const text of ['the cat', 'the dog', 'the bird', 'a dog']) {
    const view = analyze({ data: { id: '1', text } });
    if (!('rejected' in view)) counts.add(view);
  }
  const keys = (text: string) => keysOf(read('x', text), counts).map((key) => key.text);

  it('are the rarest word that it requires, or one of each alternative', () => {
    expect(keys('the dog')).toEqual(['dog']);
    expect(keys('(cat OR dog) the')).toEqual(['cat', 'dog']);
    expect(keys('(the OR dog) cat')).toEqual(['cat']);
    expect(keys('(cat OR bird)')).toEqual(['cat', 'bird']);
  });

  it('are none where the rule can match without any word', () => {
    expect(keysOf({ kind: 'not', query: read('x', 'cat') }, counts)).toEqual([]);
    expect(keysOf({ kind: 'any', of: [read('x', 'cat'), { kind: 'not', query: read('x', 'dog') }] }, counts)).toEqual(
      [],
    );
  });
});

it('gives peers the fields that rules name, each text in one line', () => {
  const fields = new Set<string>();
  addFields(fields, read('x', 'cat -lang:de'));
  const view = analyzerFor('x')({ data: { id: '1', text: 'A Cat\n#tag', lang: 'en' } });
  expect('rejected' in view ? [] : textsOfEvent('x', fields, view)).toEqual([
    { field: 'text', text: 'A Cat #tag' },
    { field: 'lang', text: 'en' },
  ]);
});

it('takes the best turn, and compares matches only on the rules that the peer has', () => {
  const { told, ...report } = readReport(
    'loaded\t1.5\nbytes\t2000\nmatch\t0\t1\nmatch\t0\t4\ncompared\t2\nmeasured\t10\t200\t3\nmeasured\t10\t100\t3\n',
  );
  const found = told.map((numbers) => new Set(numbers));
  const ours = [new Set([1, 2, 3]), new Set([3])];
  expect(summarise({ ...report, found, whole: new Set([1, 2, 4]) }, ours)).toEqual({
    eventsPerSecond: 100_000,
    events: 10,
    matchesPerEvent: 0.3,
    taken: 3,
    loadSeconds: 1.5,
    bytes: 2_000,
    same: 1,
    onlyOurs: 1,
    onlyTheirs: 1,
  });
});

describe('the table and the plot', () => {
  const measured = {
    events: 10,
    matchesPerEvent: 1,
    taken: 500,
    loadSeconds: 0.1,
    bytes: 100_000,
    same: 3,
    onlyOurs: 2,
    onlyTheirs: 1,
  };
  const at = (rules: number, peer: string) => ({ platform: 'x', set: 'A', rules, peer }) as const;
  const figures: PeerFigures[] = [1_000, 10_000].flatMap((rules): PeerFigures[] => [
    { ...at(rules, 'Peer'), ...measured, eventsPerSecond: rules * 2 },
    { ...at(rules, 'Other'), absent: 'not installed; on Debian: apt-get install other' },
  ]);

  it('has a row for a peer that is not there, which says why', () => {
    const rows = tableOf(figures).split('\n');
    expect(rows[2]).toBe('| Peer | 2,000 | 20,000 | 5 % | 5,000 | 200 | 3 | 2 / 1 |');
    expect(rows[3]).toBe('| Other | – | – | not installed; on Debian: apt-get install other |  |  |  |  |');
    expect(describePeer(figures[0]!)).toContain('500 rules left out');
    expect(describePeer(figures[1]!)).toContain('apt-get install other');
  });

  it('draws what was measured, and nothing else', () => {
    const drawing = plotPeers(figures);
    expect(drawing.match(/<polyline/g)).toHaveLength(1);
    expect(drawing).not.toContain('Other');
    expect(drawing).not.toContain('NaN');
  });
});

import { describe, expect, it } from 'vitest';
import { createScan } from '../../../test/stages/scan.ts';
import { languages } from '../../rules/languages.ts';
import type { Query } from '../../rules/query.ts';
import { newAnalyzer } from '../events/analyzer.ts';
import { type EventView, isRejection } from '../events/event-view.ts';
import { type CoreEngine, createCoreEngine } from './core-engine.ts';

const language = languages({ level: 'enterprise', local: true }).firehose;
const analyze = newAnalyzer('firehose');

const PATTERNS = [
  'title:volc*',
  'domain:*.gov',
  'title:erupt??n*',
  'title:*quake*',
  'title:seism* AND language:en',
  'url:*press-release*',
  'title:tsunam*',
  'title:magm*',
  'title:*spheric',
  'title:geys*',
];

const RULES = [...PATTERNS, ...Array.from({ length: 990 }, (_, index) => `title:word${index}`)];

/** One page in fifty has a title, and one in fifty a host, that some pattern fits. */
const page = (number: number) => ({
  id: `page-${number}`,
  title: number % 50 === 0 ? `Volcano ${number} erupts` : `A headline with word${number % 990} in it`,
  url: number % 50 === 25 ? 'https://www.usgs.gov/news' : 'https://example.com/news',
  language: 'en',
});

function viewOf(line: string): EventView {
  const view = analyze(JSON.parse(line));
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

function load(engine: { put(ruleId: string, query: Query): unknown }): void {
  for (const text of RULES) engine.put(text, language.queryOf(text)!);
}

function idsOf(engine: CoreEngine, line: string, read: () => EventView): string[] {
  expect(engine.walkLine(line)).toBe(true);
  const { numbers, count } = engine.matchWalked(read);
  return Array.from(numbers.subarray(0, count), (number) => engine.idOf(number)).toSorted();
}

describe('rules that are anchored on patterns', () => {
  const lines = Array.from({ length: 500 }, (_, number) => JSON.stringify(page(number)));

  it('leave every line to the core, and have only those analysed that a pattern may fit', () => {
    const engine = createCoreEngine({ platform: 'firehose' });
    const scan = createScan();
    load(engine);
    load(scan);
    let read = 0;
    for (const line of lines) {
      const found = idsOf(engine, line, () => {
        read++;
        return viewOf(line);
      });
      expect(found).toEqual(scan.match(viewOf(line)).matches.toSorted());
    }
    expect(read).toBe(20);
    expect(engine.lineCounts).toMatchObject({ walked: 500, left: 0, triedPatterns: 20 });
  });

  it('ask for nothing once they are gone, however they came and went', () => {
    const engine = createCoreEngine({ platform: 'firehose' });
    load(engine);
    for (let turn = 0; turn < 30; turn++) {
      for (const text of PATTERNS) engine.drop(text);
      for (const text of PATTERNS) engine.put(text, language.queryOf(text)!);
    }
    expect(idsOf(engine, lines[0]!, () => viewOf(lines[0]!))).toEqual(['title:volc*']);
    for (const text of PATTERNS) engine.drop(text);
    const unread = (): never => {
      throw new Error('no pattern is left to try');
    };
    expect(idsOf(engine, lines[0]!, unread)).toEqual([]);
    engine.put('title:volc*', language.queryOf('title:volc*')!);
    expect(idsOf(engine, lines[0]!, () => viewOf(lines[0]!))).toEqual(['title:volc*']);
  });

  it('leave all lines where the core does not read the field of a pattern', () => {
    const engine = createCoreEngine({ platform: 'firehose' });
    engine.put('odd', { kind: 'prefix', field: 'unheard_of', prefix: 'volc' });
    expect(engine.walkLine(lines[0]!)).toBe(false);
    expect(engine.lineCounts).toMatchObject({ walked: 0, left: 1, leftFor: { field: 1 } });
    engine.drop('odd');
    expect(engine.walkLine(lines[0]!)).toBe(true);
  });

  it('find words that only half a character of the pattern tells apart', () => {
    const engine = createCoreEngine({ platform: 'firehose' });
    engine.put('half', { kind: 'wildcard', field: 'title', pattern: '𝒶\ud835*' });
    engine.put('whole', { kind: 'prefix', field: 'title', prefix: 'волк' });
    const line = JSON.stringify({ id: '1', title: 'Волкан' });
    expect(idsOf(engine, line, () => viewOf(line))).toEqual(['whole']);
  });
});

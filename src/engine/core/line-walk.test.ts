/** Events matched straight from the bytes of their lines. */
import { describe, expect, it } from 'vitest';
import type { Platform } from '../../domain/platform.ts';
import { not, type Query } from '../../rules/query.ts';
import { newAnalyzer } from '../events/analyzer.ts';
import { type EventView, isRejection } from '../events/event-view.ts';
import { CoreIndex } from './core-index.ts';

const word = (term: string, field: string): Query => ({ kind: 'term', field, term });

function stand(platform: Platform, rules: Record<string, Query>) {
  const core = new CoreIndex({ platform });
  for (const [id, query] of Object.entries(rules)) core.put(id, query);
  const analyze = newAnalyzer(platform);
  const reads: string[] = [];
  const read = (line: string) => (): EventView | undefined => {
    reads.push(line);
    const view = analyze(JSON.parse(line));
    return isRejection(view) ? undefined : view;
  };
  const match = (line: string): string[] | undefined => {
    const report = core.matchLine(Buffer.from(line), read(line));
    return report && [...report.numbers.subarray(0, report.count)].map((number) => core.idOf(number)).toSorted();
  };
  return { core, match, reads };
}

const post = (text: string, more: object = {}): string =>
  JSON.stringify({ data: { id: '7', text, entities: {} }, ...more });

describe('a line', () => {
  it('is matched from its bytes, without being analysed', () => {
    const { core, match, reads } = stand('x', { storm: word('storm', 'text'), ash: word('ash', 'text') });
    expect([match(post('a Storm')), match(post('rain')), match(post('ash storm'))]).toEqual([
      ['storm'],
      [],
      ['ash', 'storm'],
    ]);
    expect([reads, core.lineCounts]).toMatchObject([[], { walked: 3, left: 0 }]);
  });

  it('is analysed where the core is not sure of it, and is no event where that finds none', () => {
    const { core, match, reads } = stand('x', { storm: word('storm', 'text') });
    expect(match('{"data":{"id":"7"}}')).toBeUndefined();
    expect(match(post(`storm ${'x'.repeat(140_000)}`))).toEqual(['storm']);
    expect([reads.length, core.lineCounts]).toMatchObject([2, { walked: 0, left: 2 }]);
  });

  it('is read up to 131,072 bytes', () => {
    const { core, match } = stand('firehose', { storm: word('storm', 'title') });
    const padded = (length: number) => JSON.stringify({ id: '1', title: 'storm' }).padEnd(length);
    expect(match(padded(131_072))).toEqual(['storm']);
    expect(core.lineCounts).toMatchObject({ walked: 1, left: 0 });
    expect(match(padded(131_073))).toEqual(['storm']);
    expect(core.lineCounts).toMatchObject({ walked: 1, left: 1 });
  });

  it('is analysed once where something must be decided that the core cannot', () => {
    const { core, match, reads } = stand('x', {
      sampled: { kind: 'all', of: [word('storm', 'text'), { kind: 'sample', percent: 100 }] },
      unsampled: { kind: 'all', of: [word('storm', 'text'), { kind: 'sample', percent: 0 }] },
    });
    expect(match(post('rain'))).toEqual([]);
    expect(reads).toHaveLength(0);
    expect(match(post('storm'))).toEqual(['sampled']);
    expect([reads.length, core.lineCounts]).toMatchObject([1, { walked: 2, left: 0 }]);
  });

  it('is analysed for a pattern only where it has the bytes that the pattern asks for', () => {
    const { core, match, reads } = stand('x', { pattern: { kind: 'prefix', field: 'text', prefix: 'sto' } });
    expect(match(post('rain'))).toEqual([]);
    expect([reads.length, core.lineCounts]).toMatchObject([0, { walked: 1, left: 0, triedPatterns: 0 }]);
    expect(match(post('storm'))).toEqual(['pattern']);
    expect([reads.length, core.lineCounts]).toMatchObject([1, { walked: 2, left: 0, triedPatterns: 1 }]);
    core.drop('pattern');
    core.put('word', word('storm', 'text'));
    expect(match(post('storm'))).toEqual(['word']);
    expect([reads.length, core.lineCounts]).toMatchObject([1, { walked: 3, left: 0, triedPatterns: 1 }]);
  });

  it('is matched with the fields of rules that come and go', () => {
    const { core, match } = stand('x', { text: word('storm', 'text') });
    const line = JSON.stringify({ data: { id: '7', text: 'storm', lang: 'en', entities: {} } });
    expect(match(line)).toEqual(['text']);
    core.put('lang', word('en', 'lang'));
    expect(match(line)).toEqual(['lang', 'text']);
    core.drop('text');
    expect(match(line)).toEqual(['lang']);
    core.drop('lang');
    expect(match(line)).toEqual([]);
    core.put('not', not(word('rain', 'text')));
    expect(match(line)).toEqual(['not']);
  });

  it('has its id, and of a post keeps what was sent of it', () => {
    const { core } = stand('x', { storm: word('storm', 'text') });
    const plain = ` ${post('storm', { includes: { users: [] } })} `;
    expect(core.walkLine(plain)).toBe(true);
    expect([core.walkedId, core.keptOf(plain)]).toEqual(['7', plain.trim()]);
    const more = post('größer', { matching_rules: [{ id: '1' }], includes: { users: [] } });
    expect(core.walkLine(more)).toBe(true);
    expect(core.keptOf(more)).toBe(post('größer', { includes: { users: [] } }));
    const without = post('storm', { errors: [] });
    expect(core.walkLine(Buffer.from(without))).toBe(true);
    expect(core.keptOf(without)).toBe(post('storm'));
  });

  it('of a page may have no id', () => {
    const { core, match } = stand('firehose', { storm: word('storm', 'title') });
    const line = JSON.stringify({ url: 'https://a.example/', title: 'The Storm' });
    expect(match(line)).toEqual(['storm']);
    expect(core.walkedId).toBeUndefined();
    expect(core.walkLine(JSON.stringify({ id: '9', title: 'x' }))).toBe(true);
    expect(core.walkedId).toBe('9');
  });

  it('of a page has the sites of its address, as the analysis has them', () => {
    const sites = { gov: 'gov.uk', service: 'service.gov.uk', co: 'co.uk', bbc: 'bbc.co.uk', com: 'com' };
    const rules = Object.entries(sites).map(([id, site]) => [id, word(site, 'domain')] as const);
    const { core, match, reads } = stand('firehose', Object.fromEntries(rules));
    const page = (host: string) => match(JSON.stringify({ url: `https://${host}/a`, title: 'x' }));
    expect([page('www.gov.uk'), page('www.service.gov.uk'), page('gov.uk')]).toEqual([['gov'], ['service'], ['gov']]);
    expect([page('www.bbc.co.uk'), page('www.com'), page('news.gov.uk')]).toEqual([['bbc'], [], []]);
    expect([reads, core.lineCounts]).toMatchObject([[], { walked: 6, left: 0 }]);
  });

  it('is not read by an engine that knows no platform', () => {
    expect(new CoreIndex({}).walkLine(post('storm'))).toBe(false);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlightsOf } from '../../../test/stages/explaining.ts';
import { type EventView, isRejection } from './event-view.ts';
import { pageAnalyzer } from './page-event.ts';

const analyze = pageAnalyzer();

function viewOf(payload: unknown): EventView {
  const view = analyze(payload);
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

/** The words of a field with their positions, the first of them at 0. */
function wordsOf({ pieces, words }: EventView, field: string): string[] {
  const found: string[] = [];
  let first: number | undefined;
  for (let at = 0; at < words.count; at++) {
    const piece = pieces[words.pieces[at]!]!;
    if (piece.field !== field) continue;
    first ??= words.positions[at]!;
    found.push(`${piece.text.slice(words.starts[at], words.ends[at])} ${words.positions[at]! - first}`);
  }
  return found;
}

describe('a page', () => {
  it.each([undefined, null, 7, [], {}, { url: '' }, { id: {}, url: 7 }])('%j is rejected', (payload) => {
    expect(analyze(payload)).toHaveProperty('rejected');
  });

  it('is known by its id, else by its URL', () => {
    expect(viewOf({ id: 7, url: 'https://a.example/' }).id).toBe('7');
    expect(viewOf({ url: 'https://a.example/' }).id).toBe('https://a.example/');
  });

  it('has its changes in two fields, as one text each, with holes where stop words were', () => {
    const view = viewOf({
      id: '1',
      title: 'The State of It',
      diff: {
        chunks: [
          { typ: 'ins', text: 'State of the art, and' },
          { typ: 'del', text: 'old words' },
          { typ: 'ins', text: 'more' },
          { typ: 'eq', text: 'unchanged' },
        ],
      },
      added: 'flat',
    });
    expect(wordsOf(view, 'added')).toEqual(['state 0', 'art 3', 'more 5', 'flat 6']);
    expect(wordsOf(view, 'removed')).toEqual(['old 0', 'words 1']);
    expect(wordsOf(view, 'title')).toEqual(['the 0', 'state 1', 'of 2', 'it 3']);
  });

  it('keeps other values to the letter', () => {
    const view = viewOf({ url: 'https://www.Example.com/A', language: 'EN', page_category: ['/News', 7, ''] });
    expect(wordsOf(view, 'url')).toEqual(['https://www.Example.com/A 0']);
    expect(wordsOf(view, 'language')).toEqual(['EN 0']);
    expect(wordsOf(view, 'page_category')).toEqual(['/News 0']);
  });

  it('has the rating of its domain under either name, and none when it is no number', () => {
    expect(viewOf({ id: '1', domain_rating: 71 }).numbers).toEqual([{ field: 'dr', value: 71 }]);
    expect(viewOf({ id: '1', dr: 0 }).numbers).toEqual([{ field: 'dr', value: 0 }]);
    expect(viewOf({ id: '1', domain_rating: 5, dr: 9 }).numbers).toEqual([{ field: 'dr', value: 5 }]);
    expect(viewOf({ id: '1', dr: 'high' }).numbers).toEqual([]);
  });

  it('takes values under the names of rules and of payloads, and its domain from the URL only when it names none', () => {
    const view = viewOf({
      id: '1',
      url: 'https://www.a.example/',
      domain: 'b.example',
      page_types: ['/x'],
      page_type: '/y',
    });
    expect(wordsOf(view, 'domain')).toEqual(['b.example 0']);
    expect(wordsOf(view, 'page_type').map((word) => word.split(' ')[0])).toEqual(['/x', '/y']);
    const plain = viewOf({ id: '1', url: 'https://www.a.example/', publish_time: '2026-11-15T08:30:00Z' });
    expect(wordsOf(plain, 'domain').map((word) => word.split(' ')[0])).toEqual(['www.a.example', 'a.example']);
    expect(plain.publishedAt).toBe(Date.parse('2026-11-15T08:30:00Z'));
  });

  it.each([[null], [''], [[]]])('has the domain of its URL where it names none but says %j', (domain) => {
    const view = viewOf({ id: '1', url: 'https://www.a.example/', domain });
    expect(wordsOf(view, 'domain').map((word) => word.split(' ')[0])).toEqual(['www.a.example', 'a.example']);
  });

  it('shows a match in the chunk or in the URL', () => {
    const page = {
      url: 'https://www.Example.com/',
      diff: {
        chunks: [
          { typ: 'del', text: 'x' },
          { typ: 'ins', text: 'ΟΔΟΣ Σ' },
        ],
      },
    };
    const shown = (field: string, term: string) => highlightsOf({ kind: 'term', field, term }, viewOf(page), 0);
    expect(shown('added', 'οδοσ')).toEqual([{ field: 'diff.chunks.1.text', start: 0, end: 4 }]);
    expect(shown('domain', 'example.com')).toEqual([{ field: 'url', start: 12, end: 23 }]);
  });

  it('never makes analysis throw, whatever its shape', () => {
    const keys = fc.constantFrom('url', 'id', 'title', 'diff', 'added', 'domain', 'page_types', 'dr', 'publish_time');
    const payloads = fc.oneof(
      fc.anything(),
      fc.dictionary(keys, fc.jsonValue()).map((page) => ({ id: '1', ...page })),
      fc.jsonValue().map((chunks) => ({ id: '1', diff: { chunks } })),
    );
    fc.assert(
      fc.property(payloads, (payload) => {
        expect(analyze(payload)).toBeTypeOf('object');
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { earlierVersions, postIdOf, readLine } from './payloads.ts';

const MEBIBYTE = 1024 * 1024;

describe('a pushed line', () => {
  it('is taken to the letter where it holds nothing but a post, and any page as it is', () => {
    const post = ' {"data":{"id":"1"},"includes":{}} ';
    expect(readLine('x', post)).toEqual({ payload: { data: { id: '1' }, includes: {} }, json: post.trim() });
    expect(readLine('firehose', '{"url":"u","more":1}')).toEqual({
      payload: { url: 'u', more: 1 },
      json: '{"url":"u","more":1}',
    });
  });

  it('loses what does not belong to a post', () => {
    const line = '{"data":{"id":"1"},"matching_rules":[1]}';
    expect(readLine('x', line)).toEqual({ payload: { data: { id: '1' } }, json: undefined });
    expect(readLine('x', '{"data":{},"includes":{"a":1},"x":1}')).toMatchObject({ payload: { includes: { a: 1 } } });
  });

  it.each([
    ['', 'it is not a JSON object'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['{"a"', 'it is not valid JSON'],
    [`{"a":${'['.repeat(64)}${']'.repeat(64)}}`, 'it is nested deeper than 64 levels'],
    [`{"a":"${'x'.repeat(MEBIBYTE)}"}`, 'it is longer than 1 MiB'],
  ])('is refused with what is wrong (%#)', (line, rejected) => expect(readLine('x', line)).toEqual({ rejected }));

  it('may be a mebibyte long and 64 levels deep', () => {
    const frame = '{"a":""}';
    expect(readLine('firehose', `{"a":"${'x'.repeat(MEBIBYTE - frame.length)}"}`)).toHaveProperty('payload');
    expect(readLine('firehose', `{"a":${'['.repeat(63)}${']'.repeat(63)}}`)).toHaveProperty('payload');
  });
});

describe('the id of an event', () => {
  const page = { url: 'https://a.example/', publish_time: '2026', diff: { chunks: [{ typ: 'ins', text: 'a' }] } };

  it('is its own where it has one', () => {
    expect(postIdOf('x', { data: { id: '1' } }, '1')).toBe('1');
    expect(postIdOf('firehose', { ...page, id: 7 }, '7')).toBe('7');
  });

  it('of a page without one is told by its address, its time and what changed', () => {
    const of = (change: object) => postIdOf('firehose', { ...page, ...change }, 'the url');
    const ids = [
      of({}),
      of({ url: 'https://b.example/' }),
      of({ publish_time: '2027' }),
      of({ publish_time: undefined }),
      of({ diff: { chunks: [] } }),
      of({ diff: undefined }),
      of({ added: 'x' }),
      of({ removed: 'x' }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(of({ title: 'another' })).toBe(ids[0]);
  });
});

describe('earlier versions of a post', () => {
  const of = (ids: unknown, name = 'edit_history_tweet_ids') =>
    earlierVersions('x', { data: { id: '3', [name]: ids } }, '3');

  it('are named by either vocabulary, without the post itself', () => {
    expect(of(['1', '2', '3'])).toEqual(['1', '2']);
    expect(of(['1', '3'], 'edit_history_post_ids')).toEqual(['1']);
  });

  it('are none where there is no history, or none that is a list', () => {
    expect([of(['3']), of(undefined), of('1,2')]).toEqual([undefined, undefined, undefined]);
    expect(earlierVersions('firehose', { data: { edit_history_tweet_ids: ['1', '2'] } }, '2')).toBeUndefined();
    expect(earlierVersions('x', {}, '2')).toBeUndefined();
  });

  it('are ids that a post can have, sixteen at most, the latest of them', () => {
    expect(of([7, 'x'.repeat(100_000), null, '1', '3'])).toEqual(['1']);
    const many = Array.from({ length: 40 }, (_, index) => `${index + 100}`);
    expect(of(many)).toEqual(many.slice(-16));
  });
});

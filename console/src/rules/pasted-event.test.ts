import { describe, expect, it } from 'vitest';
import { readPasted } from './pasted-event.ts';

describe('what is pasted', () => {
  it.each([
    ['plain text', 'Lava!', { data: { id: '1', text: 'Lava!' } }],
    ['a post as the API has it', '{"data":{"id":"7","text":"Lava"}}', { data: { id: '7', text: 'Lava' } }],
    ['the inside of one', '{"text":"Lava","lang":"en"}', { data: { id: '1', text: 'Lava', lang: 'en' } }],
    ['a match around one', '{"payload":{"data":{"id":"7","text":"a"}}}', { data: { id: '7', text: 'a' } }],
    ['a number', '42', { data: { id: '1', text: '42' } }],
  ])('is a post: %s', (_, pasted, payload) => {
    expect(readPasted('x', pasted)).toEqual(payload);
  });

  it('is a page: its first line for the title, the rest for what was added', () => {
    expect(readPasted('firehose', 'A title\nand a text')).toEqual({
      url: 'https://page.example/',
      title: 'A title',
      diff: { chunks: [{ typ: 'ins', text: 'and a text' }] },
    });
    expect(readPasted('firehose', 'one line')).toMatchObject({ diff: { chunks: [{ text: 'one line' }] } });
    expect(readPasted('firehose', '{"document":{"url":"https://a.example/","title":"b"}}')).toEqual({
      url: 'https://a.example/',
      title: 'b',
    });
  });
});

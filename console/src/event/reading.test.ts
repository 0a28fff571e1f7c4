import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, readEvent, spansOf, webLink } from './reading.ts';

const post = {
  data: { id: '1989234567890123456', text: 'The volcano is erupting.', author_id: '7', lang: 'en' },
  includes: { users: [{ id: '7', username: 'mara_quill', name: 'Mara Quill' }] },
};

describe('reading an event', () => {
  it('finds author, text and link of a post', () => {
    const event = readEvent('x', post, [{ field: 'data.text', start: 4, end: 11 }]);
    expect(event.author).toEqual({ username: 'mara_quill', name: 'Mara Quill' });
    expect(event.link).toBe('https://x.com/mara_quill/status/1989234567890123456');
    expect(event.passages).toEqual([
      { field: 'data.text', role: 'text', text: 'The volcano is erupting.', spans: [{ start: 4, end: 11 }] },
    ]);
  });

  it('shows the whole text of a long post', () => {
    const long = { data: { ...post.data, note_tweet: { text: 'The volcano is erupting, at length.' } } };
    expect(readEvent('x', long, []).passages[0]!.field).toBe('data.note_tweet.text');
  });

  it('shows what matched elsewhere as a detail', () => {
    const event = readEvent('x', post, [{ field: 'includes.users.0.username', start: 0, end: 4 }]);
    expect(event.passages[1]).toEqual({
      field: 'includes.users.0.username',
      role: 'detail',
      text: 'mara_quill',
      spans: [{ start: 0, end: 4 }],
    });
  });

  it('finds title, changes, host and link of a page', () => {
    const page = {
      url: 'https://daily.example/a?b',
      title: 'Hesper',
      diff: {
        chunks: [
          { typ: 'del', text: 'calm' },
          { typ: 'ins', text: 'lava' },
          { typ: 'odd', text: '?' },
        ],
      },
    };
    const event = readEvent('firehose', page, []);
    expect(event.host).toBe('daily.example');
    expect(event.link).toBe('https://daily.example/a?b');
    expect(event.passages.map(({ role, text }) => `${role} ${text}`)).toEqual([
      'title Hesper',
      'removed calm',
      'added lava',
    ]);
  });

  it('leads nowhere but to the web', () => {
    expect(webLink('javascript:alert(1)')).toBeUndefined();
    expect(webLink('data:text/html,hi')).toBeUndefined();
    expect(webLink('//daily.example')).toBeUndefined();
    expect(webLink('HTTPS://daily.example')).toBe('https://daily.example/');
    expect(readEvent('x', { data: { ...post.data, id: '1/../../evil' } }, []).link).toBeUndefined();
    expect(readEvent('x', post, [], true).link).toBeUndefined();
  });

  it('takes whatever a stranger sends', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('data', 'includes', 'url', 'title', 'diff', 'added'), fc.jsonValue()),
        (payload) => {
          for (const platform of ['x', 'firehose'] as const) {
            const highlights = [{ field: 'data.text', start: 0, end: 3 }];
            for (const { text } of readEvent(platform, payload, highlights).passages)
              expect(typeof text).toBe('string');
          }
        },
      ),
    );
  });
});

describe('an excerpt', () => {
  it('is around the first mark, and marks the same words', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('aa', 'bbb', 'c', 'lava'), { minLength: 1, maxLength: 300 }), (words) => {
        const text = words.join(' ');
        const start = text.indexOf('lava');
        const spans = start === -1 ? [] : [{ start, end: start + 4 }];
        const short = excerptOf({ text, spans }, 80);
        expect(short.text.length).toBeLessThanOrEqual(84);
        const shown = short.spans.map((span) => short.text.slice(span.start, span.end));
        expect(shown).toEqual(spans.map(() => 'lava'));
      }),
    );
  });
});

it('finds what was searched in upper and lower case', () => {
  expect(spansOf('Zebra and zebra', 'ZEBRA')).toEqual([
    { start: 0, end: 5 },
    { start: 10, end: 15 },
  ]);
  expect(spansOf('none', 'zebra')).toEqual([]);
});

describe('a watched page that changed', () => {
  it('has old and new side by side, and nothing of another shape', () => {
    const rows = [{ before: '40', after: '38' }, { after: 'new' }, { before: 4 }, 'text', null];
    const page = { url: 'https://shop.example/', source: { name: 'shop', original: { watched: true, rows } } };
    expect(readEvent('firehose', page, []).rows).toEqual([
      { before: '40', after: '38' },
      { before: undefined, after: 'new' },
    ]);
    expect(readEvent('firehose', { source: 'shop' }, []).rows).toEqual([]);
  });
});

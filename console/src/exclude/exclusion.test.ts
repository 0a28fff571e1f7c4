import { describe, expect, it } from 'vitest';
import { languages } from '../../../src/rules/languages.ts';
import { readEvent } from '../event/reading.ts';
import { exclusionsOf, withExclusion, wordExclusion } from './exclusion.ts';

const { x, firehose } = languages({ local: true });

const post = readEvent(
  'x',
  {
    data: { id: '1', text: 'The volcano cake is baked at https://example.com/cake', author_id: '7', lang: 'en' },
    includes: { users: [{ id: '7', username: 'mara_quill', name: 'Mara' }] },
  },
  [{ field: 'data.text', start: 4, end: 11 }],
);
const page = readEvent('firehose', { url: 'https://www.example.com/a', title: 'Volcano cake', language: 'de' }, []);

describe('an exclusion', () => {
  it('is offered for author, language and the words that did not match', () => {
    expect(exclusionsOf('x', post).map(({ clause }) => clause)).toEqual([
      'from:mara_quill',
      'lang:en',
      'cake',
      'baked',
    ]);
    expect(exclusionsOf('firehose', page)[0]).toEqual({
      kind: 'domain',
      name: 'www.example.com',
      clause: 'domain:"example.com"',
    });
  });

  it('excludes from the whole rule, also from one that is an OR', () => {
    const cake = wordExclusion('x', 'cake');
    expect(withExclusion(x, 'volcano', cake)).toBe('volcano -cake');
    expect(withExclusion(x, 'volcano OR lava', cake)).toBe('(volcano OR lava) -cake');
    expect(withExclusion(x, 'volcano OR lava -cold', cake)).toBe('(volcano OR lava -cold) -cake');
    expect(withExclusion(firehose, 'title:a OR title:b', wordExclusion('firehose', 'cake'))).toBe(
      '(title:a OR title:b) AND NOT (title:cake OR added:cake)',
    );
  });

  it('is a rule that the language takes, whatever was offered or typed', () => {
    for (const one of exclusionsOf('x', post)) expect(withExclusion(x, 'volcano OR lava', one)).toBeDefined();
    for (const one of exclusionsOf('firehose', page))
      expect(withExclusion(firehose, 'title:volcano', one)).toBeDefined();
    for (const word of ['a "b" c', 'o\\neill', 'ACME-2', 'naïve'])
      expect(withExclusion(x, 'volcano', wordExclusion('x', word)), word).toBeDefined();
  });
});

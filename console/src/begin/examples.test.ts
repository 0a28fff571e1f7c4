import { describe, expect, it } from 'vitest';
import { addressIn } from './address-in.ts';
import { eventOn, exampleOf, nameOf, pastedExamples } from './examples.ts';

describe('what a person begins with', () => {
  it.each(['https://example.org/feed', 'www.example.org', 'example.com', 'example.co/blog', ' https://a.example '])(
    'is an address: %s',
    (text) => {
      expect(addressIn(text)).toBe(text.trim());
    },
  );

  it.each(['Tell me when a volcano erupts', 'node.js', 'volcano', 'see https://example.org', ''])(
    'is a sentence: %s',
    (text) => {
      expect(addressIn(text)).toBeUndefined();
    },
  );

  it('is pasted as lines, or as paragraphs', () => {
    expect(pastedExamples('one\n two \n\n')).toEqual([{ text: 'one' }, { text: 'two' }]);
    expect(pastedExamples('A title\nits text\n\nanother')).toEqual([
      { text: 'A title\nits text' },
      { text: 'another' },
    ]);
    expect(pastedExamples(' \n')).toEqual([]);
  });

  it('is an event of its own platform, and its text on the other one', () => {
    const payload = { data: { id: '5', text: 'Lava again' } };
    const example = exampleOf('x', payload);
    expect(eventOn('x', example)).toBe(payload);
    expect(eventOn('firehose', example)).toMatchObject({ title: 'Lava again' });
    expect(eventOn('x', { text: 'Lava' })).toEqual({ data: { id: '1', text: 'Lava' } });
  });

  it.each([
    ['Tell me when a volcano erupts.', 'A volcano erupts'],
    ['complaints about Acme', 'Complaints about Acme'],
    [
      'Posts of people who look for another bank because theirs closed the branch',
      'Posts of people who look for another bank because theirs …',
    ],
  ])('names the rule: %s', (sentence, name) => {
    expect(nameOf(sentence)).toBe(name);
  });
});

import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { performAsText } from '../perform/perform.ts';
import { listStories } from './list-stories.ts';

const RULE = { name: 'Northline', intent: '', platforms: ['x'], overrides: { x: 'northline' } };

const post = (id: number, text: string): string => `${JSON.stringify({ data: { id: String(id), text } })}\n`;

describe('list stories', () => {
  it('tells apart what shares the words of the rule alone, and joins what tells the same', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', RULE);
    const lines = [
      'Northline outage leaves customers without service',
      'Northline hires a plumber',
      'Customers of Northline are without service after an outage',
      'What a concert by the choir of Northline',
    ].map((text, index) => post(index, text));
    await test.call(alice, 'pushEvents', { platform: 'x', lines: lines.join('') });
    const { stories } = await test.call(alice, 'listStories');
    expect(stories.map(({ size, title }) => [size, title])).toEqual([
      [1, 'What a concert by the choir of Northline'],
      [2, 'Northline outage leaves customers without service'],
      [1, 'Northline hires a plumber'],
    ]);
  });

  it('writes as text what it answers, also when it is asked again', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', { ...RULE, intent: 'outages of Northline' });
    await test.call(alice, 'pushEvents', {
      platform: 'x',
      lines: post(1, 'Northline outage ↯') + post(2, 'No Northline'),
    });
    const request = { idempotencyKey: undefined, signal: new AbortController().signal };
    const { context } = test.service;
    for (const input of [{}, {}, { platform: 'x' }, { platform: 'firehose' }] as const) {
      const text = await performAsText(context, listStories, alice, input, request);
      const answer = await listStories.run(context, alice, listStories.input.parse(input));
      expect(text.toString()).toBe(JSON.stringify(answer));
    }
    // A cursor is never written the same twice.
    const first = await performAsText(context, listStories, alice, { limit: 1 }, request);
    const { next_cursor, ...page } = JSON.parse(first.toString()) as Record<string, unknown>;
    expect(next_cursor).toEqual(expect.any(String));
    expect(page).toEqual({ stories: (await test.call(alice, 'listStories', { limit: 1 })).stories });
  });

  it('goes on from page to page until none is left, and refuses a cursor of anything else', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', RULE);
    const texts = ['Northline outage leaves customers dark', 'Northline hires a plumber', 'A choir sings at Northline'];
    const lines = texts.map((text, index) => post(index, text)).join('');
    await test.call(alice, 'pushEvents', { platform: 'x', lines });
    const titles: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await test.call(alice, 'listStories', { limit: 1, ...(cursor !== undefined && { cursor }) });
      titles.push(...page.stories.map(({ title }) => title));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(titles).toEqual(texts.toReversed());
    const { latest_cursor } = await test.call(alice, 'listMatches');
    await expect(test.call(alice, 'listStories', { cursor: latest_cursor })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path: 'cursor' }] },
    });
  });
});

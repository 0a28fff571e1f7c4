import { describe, expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import { deliveryBody, testBody } from './formats.ts';

const matchOf = (change: Partial<Match> = {}): Match => ({
  id: 'match_1',
  createdAt: new Date(0),
  position: 1,
  platform: 'x',
  platformPostId: '77',
  ruleId: 'rule_1',
  ruleName: 'Volcano news',
  ruleVersion: 1,
  payload: { data: { id: '77', text: 'Lava <!channel> & @everyone' } },
  highlights: [],
  ...change,
});
const encode = ({ id }: Match) => JSON.stringify({ id });
const page = matchOf({
  platform: 'firehose',
  payload: {
    url: 'https://a.test/x|y?a=1&b=<2>',
    title: 'Title',
    diff: {
      chunks: [
        { typ: 'del', text: 'old' },
        { typ: 'ins', text: '🌋'.repeat(400) },
      ],
    },
  },
});

describe('bodies', () => {
  it('of JSON hold matches as they are listed, whole, up to a size', () => {
    const { text, matches } = deliveryBody(
      { id: 'hook_1', format: 'json' },
      [matchOf(), matchOf({ id: 'match_2' })],
      encode,
    );
    expect(JSON.parse(text)).toEqual({
      type: 'matches',
      webhook_id: 'hook_1',
      matches: [{ id: 'match_1' }, { id: 'match_2' }],
    });
    expect(matches).toBe(2);
    const long = () => JSON.stringify('x'.repeat(100_000));
    expect(
      deliveryBody(
        { id: 'h', format: 'json' },
        Array.from({ length: 9 }, () => matchOf()),
        long,
      ).matches,
    ).toBe(2);
    expect(
      deliveryBody({ id: 'h', format: 'json' }, [matchOf()], () => JSON.stringify('x'.repeat(1_000_000))).matches,
    ).toBe(1);
  });

  it('for a chat show what was added to a page, not what was removed, and nothing that is not text', () => {
    const textOf = (payload: Match['payload']): string => {
      const { text } = deliveryBody({ id: 'h', format: 'slack' }, [matchOf({ platform: 'firehose', payload })], encode);
      return (JSON.parse(text) as { blocks: { text: { text: string } }[] }).blocks[0]!.text.text;
    };
    const chunks = [
      { typ: 'del', text: 'old' },
      { typ: 'ins', text: 'new' },
      { typ: 'ins', text: 7 },
      { typ: 'ins', text: 'newer' },
      'noise',
      null,
    ];
    expect(textOf({ diff: { chunks } })).toBe('*Volcano news*\nnew  newer');
    expect(textOf({ added: ' all of it ', diff: null })).toBe('*Volcano news*\nall of it');
    expect(textOf({ title: 'A title', url: 'javascript:alert(1)' })).not.toContain('javascript');
  });

  it('of the demo say so in every chat, and have no link', () => {
    for (const format of ['slack', 'discord'] as const) {
      const { text } = deliveryBody({ id: 'h', format }, [matchOf({ source: 'demo' })], encode);
      expect(text).toContain('Demo: Volcano news');
      expect(text).not.toContain('https://x.com');
      expect(deliveryBody({ id: 'h', format }, [matchOf()], encode).text).not.toContain('Demo');
    }
  });

  it('for a chat lead to the page where a person can rate the match, where its address is known', () => {
    const linked = Object.assign((match: Match) => encode(match), {
      rateUrl: ({ id }: Match) => `https://s.test/#/matches?match=${id}`,
    });
    const of = (format: 'slack' | 'discord') => deliveryBody({ id: 'h', format }, [matchOf()], linked).text;
    expect(of('slack')).toContain('<https://s.test/#/matches?match=match_1|Rate it>');
    expect(of('discord')).toContain('[Rate it](https://s.test/#/matches?match=match_1)');
    expect(deliveryBody({ id: 'h', format: 'slack' }, [matchOf()], (match) => match.id).text).not.toContain('Rate it');
  });

  it('of a test are of the form that the chat takes, and say that they are a test', () => {
    const of = (format: 'slack' | 'discord') => JSON.parse(testBody({ id: 'h', format }, matchOf(), encode)) as object;
    expect(of('slack')).toMatchObject({ text: expect.stringContaining('test from Sluice'), blocks: expect.any(Array) });
    expect(of('discord')).toMatchObject({ content: expect.stringContaining('test from Sluice'), embeds: [{}] });
    expect(of('discord')).not.toHaveProperty('blocks');
  });

  it('for Slack have a headline of 1,000 characters at most, however many rules it names', () => {
    const many = Array.from({ length: 20 }, (_, index) => matchOf({ ruleName: `${index} ${'n'.repeat(70)}` }));
    const { text } = JSON.parse(deliveryBody({ id: 'h', format: 'slack' }, many, encode).text) as { text: string };
    expect(text).toMatch(/^20 new matches: 0 n+/);
    expect(text).toHaveLength(1_000);
  });

  it('for Slack mention no user and link only to the post or page', () => {
    const { text } = deliveryBody({ id: 'h', format: 'slack' }, [matchOf(), page], encode);
    const { blocks } = JSON.parse(text) as { blocks: { text: { text: string } }[] };
    expect(blocks[0]!.text.text).toBe(
      '*Volcano news*\nLava &lt;!channel&gt; &amp; @everyone\n<https://x.com/i/status/77>',
    );
    expect(blocks[1]!.text.text).toContain('<https://a.test/x%7Cy?a=1&amp;b=%3C2%3E>');
    expect(text.isWellFormed()).toBe(true);
  });

  it('for Discord mention no user and keep within its limits', () => {
    const { text } = deliveryBody(
      { id: 'h', format: 'discord' },
      Array.from({ length: 10 }, () => page),
      encode,
    );
    const message = JSON.parse(text) as {
      allowed_mentions: unknown;
      content: string;
      embeds: { title: string; description: string; footer: { text: string } }[];
    };
    expect(message.allowed_mentions).toEqual({ parse: [] });
    expect(message.content).toBe('10 new matches: Volcano news');
    const characters = message.embeds.map(
      ({ title, description, footer }) => Array.from(title + description + footer.text).length,
    );
    expect(characters.reduce((sum, length) => sum + length)).toBeLessThan(6_000);
    expect(message.embeds).toHaveLength(10);
  });

  it('of JSON never exceed 256 KiB, counted in bytes, unless one match alone does', () => {
    const many = Array.from({ length: 100 }, () => matchOf());
    for (const letter of ['x', 'é', '🌋']) {
      for (const length of [10, 1_000, 30_000]) {
        const { text, matches } = deliveryBody({ id: 'h', format: 'json' }, many, () =>
          JSON.stringify(letter.repeat(length)),
        );
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1024);
        expect((JSON.parse(text) as { matches: unknown[] }).matches).toHaveLength(matches);
        const one = Buffer.byteLength(JSON.stringify(letter.repeat(length)));
        expect(matches === 100 || Buffer.byteLength(text) + one + 1 > 256 * 1024).toBe(true);
      }
    }
  });

  it('of JSON encode no more matches than they hold, and one', () => {
    let encoded = 0;
    const many = Array.from({ length: 100 }, () => matchOf());
    const large = () => {
      encoded++;
      return JSON.stringify('x'.repeat(300_000));
    };
    expect([deliveryBody({ id: 'h', format: 'json' }, many, large).matches, encoded]).toEqual([1, 2]);
  });

  it('for Discord show Markdown of a post as it was written, and hide no link', () => {
    const text = '[bank](https://evil.example/a_b) **now** ||x|| `y` ~~z~~ <@1> # h\\n- i';
    const { text: body } = deliveryBody(
      { id: 'h', format: 'discord' },
      [matchOf({ payload: { data: { text } }, ruleName: 'Rule [a](https://b.example)' })],
      encode,
    );
    const { embeds, content } = JSON.parse(body) as {
      content: string;
      embeds: { title: string; description: string }[];
    };
    const shown = (escaped: string) => escaped.replace(/\\([^0-9A-Za-z\s])/g, '$1');
    expect(embeds[0]!.description).toContain('\\[bank\\]\\(https://evil.example/a_b\\) \\*\\*now');
    for (const part of [embeds[0]!.description, embeds[0]!.title, content])
      expect(part).not.toMatch(/(?<!\\)[[\]*|`~<#]/);
    expect(shown(embeds[0]!.description)).toBe(text);
    expect(shown(embeds[0]!.title)).toBe('Rule [a](https://b.example)');
  });

  it('for Discord keep within its limits when every character is escaped', () => {
    const hostile = matchOf({
      platform: 'firehose',
      ruleName: '*'.repeat(200),
      payload: { title: '*'.repeat(9_000), added: '['.repeat(9_000), url: 'https://a.example' },
    });
    const { text } = deliveryBody(
      { id: 'h', format: 'discord' },
      Array.from({ length: 10 }, () => hostile),
      encode,
    );
    const { embeds, content } = JSON.parse(text) as {
      content: string;
      embeds: { title: string; description: string; footer: { text: string } }[];
    };
    const sizes = embeds.map(
      ({ title, description, footer }) => title.length + description.length + footer.text.length,
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(6_000);
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(embeds[0]!.description).toMatch(/^(\\\[)+…$/);
  });

  it('may be made from payloads that lack anything', () => {
    for (const payload of [{}, { data: 1 }, { title: 3, url: 'javascript:alert(1)', diff: { chunks: 'no' } }]) {
      for (const platform of ['x', 'firehose'] as const) {
        const { text } = deliveryBody({ id: 'h', format: 'discord' }, [matchOf({ platform, payload })], encode);
        expect(text).not.toContain('javascript');
      }
    }
  });

  it.each(['json', 'slack', 'discord'] as const)('of a test say so in %s', (format) => {
    expect(testBody({ id: 'h', format }, matchOf(), encode)).toMatch(/test/);
  });
});

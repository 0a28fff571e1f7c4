/** One message in the form of each chat, as it goes over the wire. */
import { describe, expect, it } from 'vitest';
import type { DigestStory } from '../../../domain/wake.ts';
import { isProblem, parseTemplate } from '../../templates/template.ts';
import {
  type ChatContent,
  type ChatSummary,
  digestByTemplate,
  headline,
  linkOf,
  takeFitting,
  type WriteChat,
} from './chat.ts';
import { CHATS } from './chats.ts';

const full: ChatSummary = {
  rule: 'Lava <b>',
  title: 'A @title',
  text: 'two\nlines & "more"',
  url: 'https://news.example/@a?b=1&c=2',
  rateUrl: 'https://sluice.example/rate?m=1&n=2',
};
const bare: ChatSummary = { rule: 'Ash', title: '', text: '', url: undefined };

const written = (write: WriteChat, content: Partial<ChatContent> = {}) => {
  const { text, told } = write({ kind: 'matches', summaries: [full, bare], ...content });
  return { message: JSON.parse(text) as Record<string, unknown>, told };
};

describe('Telegram', () => {
  it('gets HTML in which no text is markup and no name is mentioned', () => {
    expect(written(CHATS.telegram!, { note: 'Note <1>' })).toEqual({
      told: 2,
      message: {
        text: 'Note &lt;1&gt;\n\n<b>Lava &lt;b&gt;</b>\nA @\u2060title\ntwo\nlines &amp; &quot;more&quot;\n<a href="https://news.example/@a?b=1&amp;c=2">https://news.example/@a?b=1&amp;c=2</a>\n<a href="https://sluice.example/rate?m=1&amp;n=2">Rate it</a>\n\n<b>Ash</b>',
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
      },
    });
    expect(written(CHATS.telegram!, { summaries: [bare] }).message['text']).toBe('<b>Ash</b>');
  });

  it('gets 4,096 shown characters at most, counted without the markup', () => {
    // Each is "<b>Ash</b>", a line break, the text, and the two line breaks before the next.
    const of = (length: number) => ({ ...bare, text: 'x'.repeat(length - 'Ash'.length - 3) });
    expect(written(CHATS.telegram!, { summaries: [of(2_048), of(2_048)] }).told).toBe(2);
    expect(written(CHATS.telegram!, { summaries: [of(2_048), of(2_049)] }).told).toBe(1);
    expect(written(CHATS.telegram!, { summaries: [of(2_048), of(2_042)], note: 'note' }).told).toBe(2);
    expect(written(CHATS.telegram!, { summaries: [of(2_048), of(2_043)], note: 'note' }).told).toBe(1);
  });
});

describe('Matrix', () => {
  it('gets the same words as text and as HTML, and mentions no one', () => {
    expect(written(CHATS.matrix!, { note: 'Note\n<1>' })).toEqual({
      told: 2,
      message: {
        msgtype: 'm.text',
        body: 'Note\n<1>\n\nLava <b>\nA @title\ntwo\nlines & "more"\nhttps://news.example/@a?b=1&c=2\nRate it: https://sluice.example/rate?m=1&n=2\n\nAsh',
        format: 'org.matrix.custom.html',
        formatted_body:
          '<p>Note<br>&lt;1&gt;</p><p><b>Lava &lt;b&gt;</b><br>A @title<br>two<br>lines &amp; &quot;more&quot;<br><a href="https://news.example/@a?b=1&amp;c=2">https://news.example/@a?b=1&amp;c=2</a><br><a href="https://sluice.example/rate?m=1&amp;n=2">Rate it</a></p><p><b>Ash</b></p>',
        'm.mentions': {},
      },
    });
  });

  it('gets 48 KiB at most', () => {
    const long = { ...bare, text: 'x'.repeat(10_000) };
    const { told, message } = written(CHATS.matrix!, { summaries: [long, long, long] });
    expect(told).toBe(2);
    expect(JSON.stringify(message).length).toBeLessThan(48 * 1024);
  });
});

describe('Teams', () => {
  const run = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  });
  const open = (url: string) => ({ selectAction: { type: 'Action.OpenUrl', url } });
  const cardOf = (message: Record<string, unknown>) =>
    (message['attachments'] as { contentType: string; content: { body: object[] } }[])[0]!;

  it('gets a card whose texts are runs, which it shows as they are', () => {
    const { message, told } = written(CHATS.teams!);
    expect([told, message['type']]).toEqual([2, 'message']);
    expect(cardOf(message)).toEqual({
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          run('2 new matches: Lava <b>, Ash'),
          {
            type: 'Container',
            separator: true,
            items: [
              run('Lava <b>', { weight: 'Bolder' }),
              run('A @title'),
              run('two\nlines & "more"'),
              run(full.url!, open(full.url!)),
              run('Rate it', open(full.rateUrl!)),
            ],
          },
          { type: 'Container', separator: true, items: [run('Ash', { weight: 'Bolder' })] },
        ],
      },
    });
    expect(cardOf(written(CHATS.teams!, { note: 'Note' }).message).content.body[0]).toEqual(run('Note'));
  });

  it('gets 20 KiB at most', () => {
    const long = { ...bare, text: 'x'.repeat(9_000) };
    expect(written(CHATS.teams!, { summaries: [long, long, long] }).told).toBe(2);
    // What stands above the matches takes of their room.
    const close = { ...bare, text: 'x'.repeat(9_600) };
    expect(written(CHATS.teams!, { summaries: [close, close], note: 'Note' }).told).toBe(2);
    expect(written(CHATS.teams!, { summaries: [close, close], note: 'x'.repeat(1_000) }).told).toBe(1);
  });
});

describe('ntfy', () => {
  it('gets plain text under a headline, with the link of a single match', () => {
    expect(written(CHATS.ntfy!)).toEqual({
      told: 2,
      message: {
        title: '2 new matches: Lava <b>, Ash',
        message: `Lava <b>\nA @title\ntwo\nlines & "more"\n${full.url}\nRate it: ${full.rateUrl}\n\nAsh`,
        priority: 3,
        tags: [],
      },
    });
    expect(written(CHATS.ntfy!, { summaries: [full] }).message).toMatchObject({
      title: '1 new match: Lava <b>',
      click: full.url,
    });
    expect(written(CHATS.ntfy!, { summaries: [bare] }).message).not.toHaveProperty('click');
  });

  it.each<[ChatContent['kind'], string, number, string[]]>([
    ['test', 'Test from Sluice', 3, []],
    ['digest', 'Digest from Sluice', 2, ['newspaper']],
    ['operational', 'Notice from Sluice', 4, ['warning']],
    ['alert', 'Alert from Sluice', 4, ['bell']],
  ])('gets a message of kind %s with its title, its weight and its picture', (kind, title, priority, tags) => {
    const { message } = written(CHATS.ntfy!, { kind, summaries: [], note: 'Note' });
    expect(message).toEqual({ title, priority, tags, message: 'Note' });
  });

  it('gets 4,096 bytes at most, and a title of 200 characters', () => {
    const of = (length: number, rule = 'Ash') => ({ ...bare, rule, text: 'é'.repeat((length - rule.length - 3) / 2) });
    expect(written(CHATS.ntfy!, { summaries: [of(2_048), of(2_048)] }).told).toBe(2);
    expect(written(CHATS.ntfy!, { summaries: [of(2_048), of(2_050)] }).told).toBe(1);
    const { message } = written(CHATS.ntfy!, { summaries: [{ ...bare, rule: 'r'.repeat(500) }] });
    expect(String(message['title'])).toHaveLength(200);
  });
});

describe('Slack', () => {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });

  it('gets sections in which no text is a mention or a link of its own', () => {
    const piped = { ...full, url: 'https://a.example/?b|c&d' };
    expect(written(CHATS.slack!, { summaries: [piped, bare], note: 'Note <1>' })).toEqual({
      told: 2,
      message: {
        text: 'Note &lt;1&gt;',
        unfurl_links: false,
        blocks: [
          section('Note &lt;1&gt;'),
          section(
            '*Lava &lt;b&gt;*\nA @title\ntwo\nlines &amp; "more"\n<https://a.example/?b%7Cc&amp;d>\n<https://sluice.example/rate?m=1&amp;n=2|Rate it>',
          ),
          section('*Ash*'),
        ],
      },
    });
    expect(written(CHATS.slack!, { summaries: [bare] }).message).toMatchObject({
      text: '1 new match: Ash',
      blocks: [section('*Ash*')],
    });
  });
});

describe('Discord', () => {
  it('gets embeds whose Markdown is escaped, and mentions no one', () => {
    const marked = { ...full, text: '[bank](https://evil.example) *b*' };
    expect(written(CHATS.discord!, { summaries: [marked, bare] })).toEqual({
      told: 2,
      message: {
        content: '2 new matches: Lava \\<b\\>, Ash',
        allowed_mentions: { parse: [] },
        embeds: [
          {
            title: 'A @title',
            description: `\\[bank\\]\\(https://evil.example\\) \\*b\\*\n[Rate it](${full.rateUrl})`,
            footer: { text: 'Lava <b>' },
            url: full.url,
          },
          { title: 'Ash', description: '', footer: { text: 'Ash' } },
        ],
      },
    });
    expect(written(CHATS.discord!, { note: 'Note' }).message['content']).toBe('Note');
  });

  it('gets descriptions of 360 characters at most, the link to rate included', () => {
    const described = (text: string, rateUrl?: string) =>
      (
        written(CHATS.discord!, { summaries: [{ ...bare, text, rateUrl }] }).message['embeds'] as {
          description: string;
        }[]
      )[0]!.description;
    expect(described('x'.repeat(359))).toBe('x'.repeat(359));
    expect(described('x'.repeat(360))).toBe(`${'x'.repeat(359)}…`);
    expect(described('*'.repeat(200))).toBe(`${'\\*'.repeat(179)}…`);
    const link = (length: number) =>
      `https://a.example/${'r'.repeat(length - '\n[Rate it](https://a.example/)'.length)}`;
    expect(described('x'.repeat(400), link(180))).toBe(`${'x'.repeat(179)}…\n[Rate it](${link(180)})`);
    expect(described('text', link(181))).toBe('text');
  });
});

describe('a digest that a template writes', () => {
  const at = '2026-11-15T08:00:00.000Z';
  const story = (title: string): DigestStory => ({
    story_id: null,
    title,
    url: null,
    size: 1,
    first_at: at,
    last_at: at,
    platforms: ['x'],
    by: [],
    rules: [],
    links: [],
    match_ids: [],
  });
  const titlesIn = (text: string, count: number, length: number): string[] => {
    const template = parseTemplate(text);
    if (isProblem(template)) throw new Error(template.message);
    const stories = Array.from({ length: count }, (_, number) => story(`${number}`.padEnd(length, 'x')));
    const digest = { since: at, until: at, match_count: count, story_count: count, stories };
    const message = digestByTemplate(template, digest, CHATS.telegram!);
    return (JSON.parse(message.text) as { text: string }).text.match(/\d+/g) ?? [];
  };

  it('has the first of its stories, half as many until they fit', () => {
    const all = '{% for story in stories %}{{ story.title }}\n{% endfor %}';
    expect(titlesIn(all, 8, 250)).toHaveLength(8);
    expect(titlesIn(all, 20, 250)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(titlesIn(all, 40, 250)).toHaveLength(10);
  });

  it('is not written by it where even its frame is too long', () => {
    expect(() => titlesIn(`${'x'.repeat(3_600)}${'{{ since }}'.repeat(30)}`, 3, 10)).toThrow('the channel takes 4000');
  });
});

describe('all chats', () => {
  it('leave out an address of more than 1,000 characters', () => {
    const long = `https://a.example/${'a'.repeat(982)}`;
    expect([linkOf(long), linkOf(`${long}a`), linkOf(undefined)]).toEqual([long, undefined, undefined]);
  });

  it('name each rule once in a headline, which is cut', () => {
    expect(headline([full, bare, full])).toBe('3 new matches: Lava <b>, Ash');
    expect(headline([{ ...bare, rule: 'r'.repeat(2_000) }])).toHaveLength(1_000);
  });

  it('take parts while they fit, and the first in any case', () => {
    const take = (sizes: number[]) => takeFitting(sizes, (size) => size, 10);
    expect([take([5, 5]), take([5, 6]), take([11, 1]), take([4, 7, 1]), take([])]).toEqual([
      [5, 5],
      [5],
      [11],
      [4],
      [],
    ]);
  });
});

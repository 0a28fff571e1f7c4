import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { telegramText } from '../../../test/outlets/stand-ins/telegram.ts';
import { CHANNEL_TEXTS, htmlText } from './channel-text.ts';
import { MessageLink } from './fields.ts';
import { isProblem, parseTemplate } from './template.ts';

const URL = 'https://news.example/a?b=1&c=(2)_[3]*|';

function piecesOf(text: string, value: string) {
  const template = parseTemplate(text);
  if (isProblem(template)) throw new Error(template.message);
  return template.write({ text: value, author: value, title: '', url: new MessageLink(URL) });
}

const CHANNELS = Object.keys(CHANNEL_TEXTS) as (keyof typeof CHANNEL_TEXTS)[];
const write = (channel: keyof typeof CHANNEL_TEXTS, template: string, value: string): string =>
  CHANNEL_TEXTS[channel](piecesOf(template, value));

/** Texts that strangers write to be more than text, somewhere. */
const HOSTILE = [
  '<!channel> <!here|here> <@U123> <#C123> <https://evil.example|bank>',
  '@everyone @here <@123> <@&456> <#789> <:a:1> :tada:',
  '*bold* _italic_ ~strike~ `code` ```block``` ||spoiler|| __under__',
  '[bank](https://evil.example) ![x](https://evil.example/x.png) <https://evil.example>',
  '<b>bold</b><script>alert(1)</script><img src=x onerror=alert(1)>',
  '"><a href="https://evil.example">bank</a><a href=\'javascript:alert(1)\'>',
  'https://evil.example http://evil.example www.evil.example evil.example t.me/evil //evil.example',
  'javascript:alert(1) data:text/html,x mailto:eve@evil.example tel:+4912345',
  '@ada #tag $CASH /start@bot eve@evil.example',
  '&lt;b&gt; &amp; &#60;script&#62; &#x3c;b&#x3e;',
  'line\r\nBcc: eve@evil.example\r\n\r\n<b>body</b>\u2028next\u0085last',
  '> quote\n# head\n- item\n+ item\n1. item\n-# small\n>>> all',
  '\\*a\\* \\\\<b>',
  '\u202eevil\u202c \u200bhttps\u200b://evil.example \u2060@ada \u0001\u0002\u00030\u0003',
  '{{ rule }} {% if text %}x{% endif %} {{ url }}',
  '|evil> )evil] "evil',
];

/** Everything that a channel may make more of than text. */
const ALIVE =
  /https?:\/\/|[\p{L}\p{N}]\.[\p{L}\p{N}]|@[\p{L}\p{N}_]|#[\p{L}\p{N}_]|\$[A-Z]|\/[a-z]|:[a-z0-9_+-]+:|[\p{Cc}\u2028\u2029]/iu;

/** The markup in a text that is all by a stranger. */
const MARKUP: Readonly<Record<keyof typeof CHANNEL_TEXTS, (text: string) => string>> = {
  slack: (text) => text.replaceAll(/\u200b?&(?:amp|lt|gt);/g, '').replaceAll(/[^<>&*_~`]/g, ''),
  discord: (text) => text.replaceAll(/\\[\s\S]/g, '').replaceAll(/[^\\*_~`|<>[\]()#+-]/g, ''),
  telegram: html,
  matrix: html,
  email: html,
  feed: html,
  ntfy: () => '',
  teams: () => '',
};

function html(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, '').replaceAll(/[^<>&"]/g, '');
}

describe.each(CHANNELS)('text by a stranger in %s', (channel) => {
  it.each(HOSTILE)('is text and nothing else: %s', (hostile) => {
    const text = write(channel, '{{ text }}', hostile);
    const plain = channel === 'slack' || channel === 'discord' ? text : text.replaceAll('&quot;', '"');
    expect(plain.replaceAll(/&(?:amp|lt|gt|quot);/g, ' ').replaceAll('\\', '')).not.toMatch(ALIVE);
    expect(MARKUP[channel](text)).toBe('');
  });

  it('joins nothing with what stands beside it', () => {
    for (const [left, right] of [
      ['https:', '//evil.example'],
      ['https:/', '/evil.example'],
      ['evil.', 'example'],
      ['evil', '.example'],
      ['@', 'ada'],
      ['#', 'tag'],
    ] as const) {
      const template = parseTemplate('{{ text }}{{ author }}');
      if (isProblem(template)) throw new Error(template.message);
      expect(CHANNEL_TEXTS[channel](template.write({ text: left, author: right })).replaceAll('\\', '')).not.toMatch(
        ALIVE,
      );
    }
  });
});

describe('markup of the account', () => {
  it('is kept in each channel, with values inside it', () => {
    expect(write('slack', '*{{ text }}* <{{ url }}|{{ text }}> {{ url }} <!here> a<b', 'x|y')).toBe(
      `*x|y* <${SAFE_SLACK}|x|y> <${SAFE_SLACK}> <!here> a&lt;b`,
    );
    expect(write('discord', '**{{ text }}** [{{ text }}]({{ url }})', 'a]b')).toBe(`**a\\]b** [a\\]b](${SAFE})`);
    expect(write('ntfy', '{{ text }}: {{ url }}', 'a b')).toBe(`a b: ${SAFE}`);
    const markup = '<b>{{ text }}</b> & <a href="{{ url }}">{{ text }} {{ url }}</a> {{ url }}';
    expect(htmlText(piecesOf(markup, '<i>'))).toEqual({
      html: `<b>&lt;i&gt;</b> &amp; <a href="${SAFE_HTML}">&lt;i&gt; ${SAFE_HTML}</a> <a href="${SAFE_HTML}">${SAFE_HTML}</a>`,
      plain: `<i> & <i> ${SAFE} (${SAFE}) ${SAFE}`,
    });
  });

  it('is closed in its order, and shown as it was written where a channel does not know it', () => {
    expect(htmlText(piecesOf('<b><i>{{ text }}</b>', 'x')).html).toBe('<b><i>x&lt;/b&gt;</i></b>');
    expect(htmlText(piecesOf('<script>{{ text }}</script> 1 < 2 &lt; &copy;', 'x')).html).toBe(
      '&lt;script&gt;x&lt;/script&gt; 1 &lt; 2 &lt; &amp;copy;',
    );
    expect(htmlText(piecesOf('<a href="javascript:x">{{ text }}</a>', 'x')).html).not.toContain('<a');
    expect(htmlText(piecesOf('&lt;&#128512;&amp;{{ text }}', 'x')).plain).toBe('<😀&x');
  });

  it.each([
    ['slack', '<{{ text }}|click>', '&lt;'],
    ['slack', '<https://ok.example/{{ text }}|click>', '&lt;'],
    ['telegram', '<a href="{{ text }}">click</a>', '&lt;a href='],
    ['email', '<a href="https://{{ text }}">click</a>', '&lt;a href='],
  ] as const)('has no value in the target of a link: %s', (channel, template, begin) => {
    expect(write(channel, template, 'evil')).toMatch(new RegExp(`^${begin}`));
  });
});

const SAFE = 'https://news.example/a?b=1&c=%282%29_%5B3%5D%2A%7C';
const SAFE_SLACK = SAFE.replace('&', '&amp;');
const SAFE_HTML = SAFE.replace('&', '&amp;');

/** Pieces that templates are made of at random: markup of every channel, values and links. */
const OWN_MARKS = '* _ ** ` || <b> </b> <i> </i> <pre> </a> <a~href=" "> < > | & &lt; [ ]( ) \\ <!here>'.split(' ');
const PART = fc.oneof(
  fc.constantFrom(
    '{{ text }}',
    '{{ author }}',
    '{{ url }}',
    '{{ text | upcase }}',
    '{% if text %}{{ text }}{% endif %}',
  ),
  fc.constantFrom('https://', 'https://ok.example/', '.example', '@', '#', '\n', '\n> ', '\n- ', ' word '),
  fc.constantFrom(...OWN_MARKS.map((mark) => mark.replace('~', ' '))),
);
const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc
    .array(fc.constantFrom(...HOSTILE.flatMap((text) => text.split(/(?=[^\w\s])/))), { maxLength: 8 })
    .map((parts) => parts.join('')),
  fc.string({ unit: ANY_CHARACTER, maxLength: 60 }),
);

/** The markup of a message: what its channel reads as more than text, in order. */
const SKELETON: Readonly<Record<keyof typeof CHANNEL_TEXTS, RegExp>> = {
  slack: /<[!@#][\w^|-]+>|<https?:[^<>|]*|[<>*_~`\n]|https?:\/\/|[@#](?=\w)/g,
  discord: /\\[\s\S]|[*_~`|<>[\]()#+\n-]|https?:\/\/|@(?=\w)/g,
  telegram: /<[^<>]*>|\n|https?:\/\/|[@#](?=\w)/g,
  matrix: /<[^<>]*>|\n|https?:\/\/|[@#](?=\w)/g,
  email: /<[^<>]*>|\n|https?:\/\/|[@#](?=\w)/g,
  feed: /<[^<>]*>|\n|https?:\/\/|[@#](?=\w)/g,
  ntfy: /\n|https?:\/\/|[@#](?=\w)/g,
  teams: /\n|https?:\/\/|[@#](?=\w)/g,
};

/** Own text right before a value may end in a mark that a letter after it would complete; a value never begins with a letter here. */
const HARMLESS = '·';

describe('whatever the template and the text', () => {
  it.each(CHANNELS)('no text changes the markup of a message in %s', (channel) => {
    const skeleton = (template: string, value: string) =>
      (write(channel, template, value).match(SKELETON[channel]) ?? []).filter(
        (mark) => channel !== 'discord' || mark.length !== 2 || mark[0] !== '\\',
      );
    fc.assert(
      fc.property(fc.array(PART, { minLength: 1, maxLength: 12 }), hostileText, (parts, value) => {
        const template = `.${parts.join('')}`;
        if (isProblem(parseTemplate(template))) return;
        expect(skeleton(template, `${HARMLESS}${value}`)).toEqual(skeleton(template, HARMLESS));
      }),
      { numRuns: 500 },
    );
  });

  it('Telegram takes every message', () => {
    fc.assert(
      fc.property(fc.array(PART, { minLength: 1, maxLength: 12 }), hostileText, (parts, value) => {
        const template = `.${parts.join('')}`;
        if (isProblem(parseTemplate(template))) return;
        expect(telegramText(write('telegram', template, value))).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });
});

/** Templates of messages through the whole service, against stand-ins that hold to the channels' own limits and reading. */
import { describe, expect, it } from 'vitest';
import { confirmMail } from '../../src/service/webhooks/mail-consent.ts';
import { openReceiver } from '../stages/receiver.ts';
import { outletStage } from './stage.ts';
import { matrix } from './stand-ins/matrix.ts';
import { ntfy } from './stand-ins/ntfy.ts';
import { openMailServer } from './stand-ins/smtp.ts';
import { serve } from './stand-ins/stand-in.ts';
import { teams } from './stand-ins/teams.ts';
import { telegram } from './stand-ins/telegram.ts';

const TOKEN = '123456:AAH-secret_of_the_bot';
const ROOM = '!room:example.org';
const HOSTILE = '<b>x</b> & *bold* [link](https://evil.example) @channel';
/** As a person reads it: the invisible spaces keep it from being more. */
const SHOWN = 'storm <b>x</b> & *bold* [link](https://evil.example) @channel';
const seen = (text: string): string => text.replaceAll('\u200b', '');

const CHATS = {
  telegram(now: () => number) {
    const standIn = telegram({ token: TOKEN, now });
    return {
      standIn,
      path: `/bot${TOKEN}/sendMessage?chat_id=-100200`,
      shown: () => standIn.shown,
      credential: undefined,
    };
  },
  ntfy(now: () => number) {
    const standIn = ntfy({ token: 'tk_secret', now });
    const shown = () => standIn.published.map(({ message }) => message);
    return { standIn, path: '/storms', shown, credential: 'tk_secret' };
  },
  teams(now: () => number) {
    const standIn = teams({ signature: 'abc', now });
    const path = '/workflows/1/triggers/manual/paths/invoke?api-version=2016-06-01&sig=abc';
    return { standIn, path, shown: () => standIn.shown, credential: undefined };
  },
  matrix(now: () => number) {
    const standIn = matrix({ roomId: ROOM, token: 'syt_secret', now });
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(ROOM)}/send/m.room.message`;
    return { standIn, path, shown: () => standIn.room.map(({ body }) => body), credential: 'syt_secret' };
  },
};

async function stand(format: keyof typeof CHATS, more: object) {
  const stage = await outletStage();
  const { standIn, path, shown, credential } = CHATS[format](stage.now);
  const server = await serve(standIn);
  const webhook = await stage.webhook({
    url: `${server.url}${path}`,
    format,
    ...(credential && { credential }),
    ...more,
  });
  return {
    ...stage,
    shown,
    webhook,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

type Called = Pick<Awaited<ReturnType<typeof outletStage>>, 'test' | 'caller'>;

const notesOf = async ({ test, caller }: Called, webhook_id: string) =>
  (await test.call(caller, 'listDeliveries', { webhook_id })).deliveries.map(({ note }) => note);

describe.each(Object.keys(CHATS) as (keyof typeof CHATS)[])('%s', (format) => {
  it('gets the words of the template, with every match in them, and text by a stranger as text', async () => {
    await using chat = await stand(format, { template: 'New: {{ text }} ({{ platform }})' });
    await chat.store(HOSTILE, 'two');
    await chat.pass(10_000, 1_000);
    expect(chat.shown().map(seen).join('\n')).toContain(`New: ${SHOWN} (x)`);
    expect(seen(chat.shown().join('\n'))).toContain('New: storm two (x)');
    expect(chat.shown().join('')).not.toMatch(/https?:\/\/evil|@channel/);
    expect(await notesOf(chat, chat.webhook.webhook_id)).toEqual([undefined]);
  });

  it('gets the usual message where the template fails, and the delivery says so', async () => {
    await using chat = await stand(format, {
      template: '{{ text }}{% if text contains "bad" %}{{ time | date: "%H", text }}{% endif %}',
    });
    await chat.store('good');
    await chat.pass(10_000, 1_000);
    await chat.store('bad');
    await chat.pass(10_000, 1_000);
    expect(chat.shown()).toHaveLength(2);
    expect(seen(chat.shown()[1]!)).toContain('Storms & <b>floods</b>');
    expect(seen(chat.shown()[1]!)).toContain('storm bad');
    expect(await notesOf(chat, chat.webhook.webhook_id)).toEqual([
      'The template was not used, and the usual message was sent. There is no such time zone. Give its IANA name, such as Europe/Berlin.',
      undefined,
    ]);
  });
});

/** A receiver that takes anything: its body is looked at. */
async function plain(format: 'slack' | 'discord', more: object) {
  const stage = await outletStage({ publicUrl: 'https://sluice.example' });
  const receiver = await openReceiver();
  const webhook = await stage.webhook({ url: receiver.url, format, ...more });
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return {
    ...stage,
    webhook,
    bodies,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

describe('Slack and Discord', () => {
  it('get the markup of the account, and none of a stranger', async () => {
    await using slack = await plain('slack', { template: '*{{ rule }}*: {{ text }} <{{ console_url }}|Rate>' });
    await slack.store(HOSTILE);
    await slack.pass(2_000, 1_000);
    const { text } = (slack.bodies()[0]!['blocks'] as { text: { text: string } }[])[0]!.text;
    expect(seen(text)).toMatch(
      /^\*Storms &amp; &lt;b&gt;floods&lt;\/b&gt;\*: storm &lt;b&gt;x&lt;\/b&gt; &amp; ∗bold∗ \[link\]\(https:\/\/evil\.example\) @channel <https:\/\/sluice\.example\/#\/matches\?rule=rule_\w+&amp;match=match_\w+\|Rate>$/,
    );
    expect(slack.bodies()[0]!['text']).not.toContain('<');
    await using discord = await plain('discord', { template: '**{{ author | default: "?" }}** {{ text }}' });
    await discord.store(HOSTILE);
    await discord.pass(2_000, 1_000);
    const [body] = discord.bodies();
    expect(body).toMatchObject({ content: '', allowed_mentions: { parse: [] } });
    expect(seen((body!['embeds'] as { description: string }[])[0]!.description)).toBe(
      '**?** storm \\<b\\>x\\</b\\> & \\*bold\\* \\[link\\]\\(https://evil.example\\) @channel',
    );
  });

  it('split what is too long for one message, and lose none', async () => {
    await using discord = await plain('discord', { template: `{{ text }}${'x'.repeat(2_500)}` });
    await discord.store('one', 'two', 'three');
    await discord.pass(5_000, 1_000);
    const told = discord.bodies().map(({ embeds }) => (embeds as unknown[]).length);
    expect(told).toEqual([2, 1]);
  });

  it('get digests by a template that names their fields, and the usual ones by another', async () => {
    const wake = { at_most: '1/hour' };
    const template =
      '{% if digest %}{{ match_count }} held:{% for story in stories %}\n{{ story.size }}× {{ story.title }}{% endfor %}{% else %}{{ text }}{% endif %}';
    await using own = await plain('slack', { template, wake });
    await own.store('one', 'two', 'three');
    await own.pass(3_700_000, 100_000);
    const texts = own
      .bodies()
      .map(({ blocks }) => (blocks as { text: { text: string } }[]).map(({ text }) => text.text));
    expect(texts[0]).toEqual(['storm one']);
    expect(seen(texts[1]![0]!)).toMatch(/^2 held:\n1× storm \w+\n1× storm \w+$/);
    await using usual = await plain('slack', { template: '{{ text }}', wake });
    await usual.store('one', 'two');
    await usual.pass(3_700_000, 100_000);
    expect(usual.bodies()[1]!['text']).toMatch(/^Digest: 1 match in 1 story/);
  });

  it('are sent a match by hand, and a test, in the words of the template', async () => {
    await using slack = await plain('slack', {
      template: 'Look: {{ text }}',
      rule_ids: undefined,
      wake: { at_most: '1/day' },
    });
    const { test, caller, webhook } = slack;
    await slack.store('one');
    const { matches } = await test.call(caller, 'listMatches');
    const { webhook_id } = webhook;
    await test.call(caller, 'sendMatch', { webhook_id, match_id: matches[0]!.id });
    await test.call(caller, 'testWebhook', { webhook_id });
    await slack.pass(3_000, 1_000);
    const sent = slack.bodies().map((body) => JSON.stringify(body));
    expect(sent).toHaveLength(3);
    for (const body of sent) expect(body).toContain('Look: ');
  });
});

describe('an e-mail', () => {
  it('has the words of the template as text and as HTML, one subject, and nothing that a stranger wrote in a header', async () => {
    await using server = await openMailServer();
    const mail = { url: server.url, from: 'Sluice <sluice@sluice.example>', domains: undefined };
    await using stage = await outletStage({ mail, publicUrl: 'https://sluice.example' });
    const template = '<b>{{ text }}</b>\n<a href="{{ url }}">Open</a>';
    await stage.webhook({ url: 'mailto:ada@example.com', format: 'email', template });
    const token = /\/mail\/confirm\?token=([\w-]+)/.exec(server.mails[0]!.text)![1]!;
    expect(await confirmMail(stage.test.service.context, token)).toBe(true);
    server.mails.length = 0;
    await stage.store('x\r\nBcc: eve@evil.example\r\n\r\n<script>');
    await stage.pass(20_000, 5_000);
    const [got] = server.mails;
    expect(seen(got!.html)).toContain(
      '<p><b>storm x Bcc: eve@evil.example &lt;script&gt;</b><br><a href="https://x.com/i/status/',
    );
    expect(seen(got!.text)).toMatch(
      /^storm x Bcc: eve@evil\.example <script>\nOpen \(https:\/\/x\.com\/i\/status\/\d+\)/,
    );
    expect(got!.text).not.toContain('eve@evil.example');
    expect(JSON.stringify([...got!.headers])).not.toContain('evil');
    expect(got!.to).toEqual(['ada@example.com']);
  });
});

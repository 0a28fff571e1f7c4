import { describe, expect, it } from 'vitest';
import type { ChatContent, ChatSummary } from '../chats/chat.ts';
import { failedToSend, type WebhookRequest } from '../transport.ts';
import { type MailParts, mailMessage } from './mail-message.ts';
import { createMailTransport, type Mail } from './mailer.ts';

const summary: ChatSummary = {
  rule: 'Lava <b>',
  title: 'A title',
  text: 'A "text"',
  url: 'https://news.example/?a=1&b=2',
  rateUrl: 'https://sluice.example/rate',
};
const written = (content: Partial<ChatContent>) => {
  const { text, told } = mailMessage({ kind: 'matches', summaries: [summary], ...content });
  return { mail: JSON.parse(text) as MailParts, told };
};

describe('a mail', () => {
  it('says the same as text and as HTML, with links to what matched alone', () => {
    expect(written({ note: 'A note' }).mail).toEqual({
      isWake: true,
      subject: '1 new match: Lava <b>',
      text: 'A note\n\nLava <b>\nA title\nA "text"\nhttps://news.example/?a=1&b=2\nRate it: https://sluice.example/rate',
      html: '<p>A note</p>\n<p><b>Lava &lt;b&gt;</b><br><span>A title</span><br><span>A &quot;text&quot;</span><br><a href="https://news.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow">https://news.example/?a=1&amp;b=2</a><br><a href="https://sluice.example/rate" rel="noopener noreferrer nofollow">Rate it</a></p>',
    });
  });

  it('has old and new of a watched page beside each other, as a table and as lines', () => {
    const rows = [
      { before: 'Price: <b>40</b>', after: 'Price: 35, see evil.example' },
      { before: 'Sold\nout \u202e' },
      { after: 'x'.repeat(600) },
      ...Array.from({ length: 20 }, (_, at) => ({ after: `n${at}` })),
    ];
    const { text, html } = written({ summaries: [{ ...summary, rows }] }).mail;
    expect(text.split('\n').slice(0, 6)).toEqual([
      'Lava <b>',
      'A title',
      '- Price: <b>40</b>',
      '+ Price: 35, see evil.\u200bexample',
      '- Sold out',
      `+ ${'x'.repeat(499)}…`,
    ]);
    expect(text).toContain('3 more changes are at the page.');
    expect(html).toMatch(
      /^<div><b>.*<th[^>]*>Before<\/th><th[^>]*>Now<\/th><\/tr><tr><td[^>]*>Price: &lt;b&gt;40&lt;\/b&gt;<\/td><td[^>]*>Price: 35/,
    );
    expect(html.match(/<tr>/g)).toHaveLength(21);
  });

  it('leaves out what there is none of', () => {
    const bare = { rule: 'Lava', title: '', text: '', url: undefined, rateUrl: undefined };
    expect(written({ summaries: [bare] }).mail).toMatchObject({ text: 'Lava', html: '<p><b>Lava</b></p>' });
  });

  it.each<[ChatContent['kind'], string]>([
    ['test', 'Test from Sluice'],
    ['digest', 'Digest from Sluice'],
    ['operational', 'Notice from Sluice'],
    ['alert', 'Alert from Sluice'],
  ])('of kind %s has the subject "%s"', (kind, subject) => expect(written({ kind }).mail.subject).toBe(subject));

  it('has a subject of one line and 150 characters, of what it tells', () => {
    const rules = ['One\r\nBcc: evil@example.com', 'x'.repeat(200)];
    const { mail } = written({ summaries: rules.map((rule) => ({ ...summary, rule })) });
    expect(mail.subject).toMatch(/^2 new matches: One Bcc: evil@example\.com, x+…$/);
    expect(mail.subject.length).toBeLessThanOrEqual(150);
  });

  it('tells as much as fits into 90 KiB, and one summary in any case', () => {
    const long = { ...summary, text: 'x'.repeat(20 * 1024) };
    expect(written({ summaries: [long, long, long, long] })).toMatchObject({
      told: 2,
      mail: { subject: '2 new matches: Lava <b>' },
    });
    expect(written({ summaries: [{ ...long, text: 'x'.repeat(100 * 1024) }, summary] }).told).toBe(1);
  });
});

describe('the transport of mails', () => {
  const url = 'mailto:ada@example.com';
  const webhook = { id: 'hook_1', accountId: 'acct_1', confirmedUrl: url };
  const done = { ...failedToSend(''), error: undefined, statusCode: 250 };

  async function send(change: Partial<WebhookRequest>) {
    const mails: Mail[] = [];
    const transport = createMailTransport(
      async (mail) => {
        mails.push(mail);
        return done;
      },
      {
        unsubscribe: (of, address) => `https://sluice.example/leave?a=${of.id}&b=${address}`,
        acknowledge: (of, _, wakeId) => `https://sluice.example/seen?a=${of.id}&b=${wakeId}`,
      },
    );
    const body = JSON.stringify({ subject: 'S', text: 'T', html: '<p>H</p>' });
    const { signal } = new AbortController();
    const sent = await transport({ url, webhook, body, id: 'dlv_1', headers: {}, signal, ...change });
    return { sent, mail: mails[0] };
  }

  it('sends to the one who agreed, with a way to end it in every part', async () => {
    const { sent, mail } = await send({});
    const leave = `https://sluice.example/leave?a=hook_1&b=${url}`;
    expect(sent).toBe(done);
    expect(mail).toMatchObject({
      to: 'ada@example.com',
      id: 'dlv_1',
      subject: 'S',
      text: `T\n\n-- \nUnsubscribe: ${leave}\n`,
      headers: {
        'List-Unsubscribe': `<${leave}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
      },
    });
    expect(mail!.html).toContain(
      `<p>H</p>\n<p><a href="${leave.replaceAll('&', '&amp;')}">Unsubscribe</a></p>\n</body>`,
    );
    expect(mail!.html).toMatch(/^<!doctype html>\n<html lang="en">/);
  });

  it('has a link that acknowledges it, when it tells of matches', async () => {
    const { mail } = await send({ body: JSON.stringify({ subject: 'S', text: 'T', html: '', isWake: true }) });
    expect(mail!.text).toContain('-- \nAcknowledge: https://sluice.example/seen?a=hook_1&b=dlv_1\nUnsubscribe: ');
    expect(mail!.html).toContain('<a href="https://sluice.example/seen?a=hook_1&amp;b=dlv_1">Acknowledge</a> · <a ');
  });

  it.each<[string, Partial<WebhookRequest>]>([
    ['no one agreed', { webhook: { ...webhook, confirmedUrl: undefined } }],
    ['another address agreed', { webhook: { ...webhook, confirmedUrl: 'mailto:bob@example.com' } }],
    ['the address is none', { url: 'mailto:', webhook: { ...webhook, confirmedUrl: 'mailto:' } }],
  ])('sends nothing when %s', async (_, change) => {
    const { sent, mail } = await send(change);
    expect([sent.error, mail]).toEqual(['Nothing was sent, because the recipient has not confirmed yet.', undefined]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../../test/generated/any-character.ts';
import { matrixText } from '../../../../test/outlets/stand-ins/matrix.ts';
import { cardText } from '../../../../test/outlets/stand-ins/teams.ts';
import { telegramText } from '../../../../test/outlets/stand-ins/telegram.ts';
import type { ChatSummary, WriteChat } from './chat.ts';
import { CHATS } from './chats.ts';

const text = (most: number) =>
  fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: most }),
    fc
      .array(
        fc.constantFrom(
          '<b>',
          '</b>',
          '&amp;',
          '&',
          '<',
          '>',
          '"',
          '@all',
          '*',
          '_',
          '[a](https://e.example)',
          '\n',
          '\\',
        ),
        {
          maxLength: Math.floor(most / 25),
        },
      )
      .map((parts) => parts.join('')),
  );
const summary: fc.Arbitrary<ChatSummary> = fc.record({
  rule: text(79).map((name) => `R${name}`),
  title: text(120),
  text: text(280),
  url: fc.option(fc.webUrl({ withQueryParameters: true }), { nil: undefined }),
});
const summaries = fc.array(summary, { minLength: 1, maxLength: 20 });

/** A person sees the parts that are there, each on its line. */
const linesOf = ({ rule, title, text: words, url }: ChatSummary) =>
  [rule, ...[title, words].filter((line) => line !== ''), ...(url === undefined ? [] : [url])].join('\n');
const told = (given: readonly ChatSummary[], count: number) => given.slice(0, count).map(linesOf).join('\n\n');
const written = <Body>(write: WriteChat, given: readonly ChatSummary[]) => {
  const message = write({ kind: 'matches', summaries: given });
  expect(message.told).toBeGreaterThan(0);
  return { ...message, body: JSON.parse(message.text) as Body, bytes: Buffer.byteLength(message.text) };
};

describe('any text comes out as text', () => {
  it('in Telegram, within 4,096 characters', () => {
    fc.assert(
      fc.property(summaries, (given) => {
        const message = written<{ text: string }>(CHATS.telegram!, given);
        const shown = telegramText(message.body.text);
        expect(shown?.replaceAll('\u2060', '')).toBe(told(given, message.told).replaceAll('\u2060', ''));
        expect(shown!.length).toBeLessThanOrEqual(4_096);
        for (const [, next] of shown!.replaceAll(/https?:\/\/\S+/g, '').matchAll(/@(.?)/gsu))
          expect(next).toBe('\u2060');
      }),
    );
  });

  it('in Matrix, the same as plain text and as HTML', () => {
    fc.assert(
      fc.property(summaries, (given) => {
        const message = written<{ body: string; formatted_body: string }>(CHATS.matrix!, given);
        expect(message.body.body).toBe(told(given, message.told));
        expect(matrixText(message.body.formatted_body)).toBe(given.slice(0, message.told).map(linesOf).join(''));
        expect(message.bytes).toBeLessThan(65_536);
      }),
    );
  });

  it('in Teams, within 28 KB', () => {
    fc.assert(
      fc.property(summaries, (given) => {
        const message = written<Parameters<typeof cardText>[0]>(CHATS.teams!, given);
        const [, ...lines] = cardText(message.body)!.split('\n');
        const expected = given.slice(0, message.told).map(linesOf).join('\n').split('\n');
        expect(lines.slice(-expected.length)).toEqual(expected);
        expect(message.bytes).toBeLessThan(28 * 1024);
      }),
    );
  });

  it('in ntfy, within 4,096 bytes and a title of 1,024', () => {
    fc.assert(
      fc.property(summaries, (given) => {
        const message = written<{ message: string; title: string }>(CHATS.ntfy!, given);
        expect(message.body.message).toBe(told(given, message.told));
        expect(Buffer.byteLength(message.body.message)).toBeLessThanOrEqual(4_096);
        expect(Buffer.byteLength(message.body.title)).toBeLessThanOrEqual(1_024);
      }),
    );
  });
});

describe('the longest matches', () => {
  const longest: ChatSummary = {
    rule: '@'.repeat(80),
    title: '🌋'.repeat(120),
    text: '&'.repeat(280),
    url: `https://a.test/${'x'.repeat(980)}`,
    rateUrl:
      'https://sluice.example/#/matches?rule=rule_01k3zqc4d6f8h0k2m4p6r8t0v2&match=match_01k3zqc4d6f8h0k2m4p6r8t0v2',
  };

  it.each(['telegram', 'ntfy', 'teams', 'matrix'] as const)('fit into %s one by one', (format) => {
    const { text: body, told: count } = CHATS[format]!({
      kind: 'matches',
      summaries: Array.from({ length: 20 }, () => longest),
    });
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(20);
    const sent = JSON.parse(body) as { text?: string; message?: string };
    const lengths = { telegram: () => telegramText(sent.text!)!.length, ntfy: () => Buffer.byteLength(sent.message!) };
    expect(format in lengths ? lengths[format as keyof typeof lengths]() : 0).toBeLessThanOrEqual(4_096);
    expect(Buffer.byteLength(body)).toBeLessThan(format === 'matrix' ? 65_536 : 28 * 1024);
  });

  it('leave out an address that would take the room of the text', () => {
    for (const format of ['telegram', 'ntfy', 'teams', 'matrix'] as const) {
      const url = `https://a.test/${'x'.repeat(2_000)}`;
      const { text: body } = CHATS[format]!({ kind: 'matches', summaries: [{ ...longest, url }] });
      expect(body).not.toContain('xxx');
    }
  });
});

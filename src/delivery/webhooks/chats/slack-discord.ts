/** Matches as messages for Slack and Discord. No text of a post can mention a user, hide a link or forge formatting. */
import { cutText } from '../../../wakes/summary.ts';
import { discordText as discordPieces, slackText as slackPieces, unmarkedText } from '../../templates/channel-text.ts';
import type { MessagePiece } from '../../templates/template.ts';
import { type ChatSummary, checkFits, headline, LONGEST_CHAT_NOTE, takeFitting, type WriteChat } from './chat.ts';

/** Slack's three special characters; once they are escaped, no text can mention a user or hide a link. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Slack takes so many characters in a section. */
const MAX_SECTION = 3_000;

function slackTemplated(pieces: readonly MessagePiece[]): string {
  const text = slackPieces(pieces);
  checkFits(text.length, MAX_SECTION, 'characters');
  return text;
}

/** A notification shows so many characters. */
const LONGEST_SHOWN = 150;
const shownFirst = (summaries: readonly ChatSummary[]): string => {
  const [first] = summaries;
  return first?.pieces === undefined ? headline(summaries) : cutText(unmarkedText(first.pieces), LONGEST_SHOWN);
};

export function slackMessage(summaries: readonly ChatSummary[], note?: string): object {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });
  const usual = ({ rule, title, text, url, rateUrl }: ChatSummary) =>
    [
      `*${slackText(rule)}*`,
      slackText(title),
      slackText(text),
      url === undefined ? '' : `<${slackText(url).replaceAll('|', '%7C')}>`,
      rateUrl === undefined ? '' : `<${slackText(rateUrl)}|Rate it>`,
    ]
      .filter((part) => part !== '')
      .join('\n');
  const line = (one: ChatSummary) => (one.pieces === undefined ? usual(one) : slackTemplated(one.pieces));
  return {
    text: slackText(note ?? shownFirst(summaries)),
    unfurl_links: false,
    blocks: [...(note === undefined ? [] : [section(slackText(note))]), ...summaries.map((one) => section(line(one)))],
  };
}

/** Discord allows 6,000 characters in the ten embeds of a message together. A footer of 80 is not escaped. */
const MAX_EMBED_TITLE = 150;
const MAX_EMBED_TEXT = 360;

/** Discord takes so many characters in a description, and in all embeds of a message together. */
const MAX_DESCRIPTION = 4_096;
const MAX_EMBEDS = 6_000;

export function discordMessage(summaries: readonly ChatSummary[], note?: string): object {
  const isTemplated = summaries[0]?.pieces !== undefined;
  return {
    content: isTemplated && note === undefined ? '' : discordText(note ?? headline(summaries), LONGEST_CHAT_NOTE),
    allowed_mentions: { parse: [] },
    embeds: summaries.map((one) => (one.pieces === undefined ? usualEmbed(one) : templatedEmbed(one.pieces))),
  };
}

const usualEmbed = ({ rule, title, text, url, rateUrl }: ChatSummary) => ({
  title: discordText(title === '' ? rule : title, MAX_EMBED_TITLE),
  description: described(text, rateUrl),
  footer: { text: rule },
  ...(url !== undefined && { url }),
});

function templatedEmbed(pieces: readonly MessagePiece[]): { description: string } {
  const description = discordPieces(pieces);
  checkFits(description.length, MAX_DESCRIPTION, 'characters');
  return { description };
}

/** Takes the templated messages that fit. The usual ones always do. */
const fitting = (summaries: readonly ChatSummary[]): readonly ChatSummary[] =>
  takeFitting(
    summaries,
    ({ pieces }) => (pieces === undefined ? 0 : templatedEmbed(pieces).description.length),
    MAX_EMBEDS,
  );

/** The link is ours and counts against the same limit; an address that leaves no room for the text is left out. */
function described(text: string, rateUrl: string | undefined): string {
  const link = rateUrl === undefined ? '' : `\n[Rate it](${rateUrl})`;
  if (link.length > MAX_EMBED_TEXT / 2) return discordText(text, MAX_EMBED_TEXT);
  return `${discordText(text, MAX_EMBED_TEXT - link.length)}${link}`;
}

/** Addresses stay as they are, so that they can still be opened; they end where a character of a format stands. */
const DISCORD_PIECE = /https?:\/\/[^\s<>()[\]|`*\\]+|[\s\S]/gu;
const DISCORD_SPECIAL = /^[\\*_~`|<>[\]()#+-]$/;

/** Escapes Discord's Markdown: without it, `[bank](https://evil.example)` would show as a link named "bank". */
function discordText(text: string, most: number): string {
  let escaped = '';
  for (const [piece] of text.matchAll(DISCORD_PIECE)) {
    const next = DISCORD_SPECIAL.test(piece) ? `\\${piece}` : piece;
    if (escaped.length + next.length > most - 1) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
}

export const writeSlack: WriteChat = ({ summaries, note }) => ({
  text: JSON.stringify(slackMessage(summaries, note)),
  told: summaries.length,
});

export const writeDiscord: WriteChat = ({ summaries, note }) => {
  const told = fitting(summaries);
  return { text: JSON.stringify(discordMessage(told, note)), told: told.length };
};

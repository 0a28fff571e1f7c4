/** Matches as messages for Slack and Discord. No text of a post can mention a user, hide a link or forge formatting. */
import { type ChatSummary, headline, LONGEST_CHAT_NOTE, type WriteChat } from './chat.ts';

/** Slack's three special characters; once they are escaped, no text can mention a user or hide a link. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function slackMessage(summaries: readonly ChatSummary[], note?: string): object {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });
  const line = ({ rule, title, text, url, rateUrl }: ChatSummary) =>
    [
      `*${slackText(rule)}*`,
      slackText(title),
      slackText(text),
      url === undefined ? '' : `<${slackText(url).replaceAll('|', '%7C')}>`,
      rateUrl === undefined ? '' : `<${slackText(rateUrl)}|Rate it>`,
    ]
      .filter((part) => part !== '')
      .join('\n');
  return {
    text: slackText(note ?? headline(summaries)),
    unfurl_links: false,
    blocks: [...(note === undefined ? [] : [section(slackText(note))]), ...summaries.map((one) => section(line(one)))],
  };
}

/** Discord allows 6,000 characters in the ten embeds of a message together. A footer of 80 is not escaped. */
const MAX_EMBED_TITLE = 150;
const MAX_EMBED_TEXT = 360;

export function discordMessage(summaries: readonly ChatSummary[], note?: string): object {
  return {
    content: discordText(note ?? headline(summaries), LONGEST_CHAT_NOTE),
    allowed_mentions: { parse: [] },
    embeds: summaries.map(({ rule, title, text, url, rateUrl }) => ({
      title: discordText(title === '' ? rule : title, MAX_EMBED_TITLE),
      description: described(text, rateUrl),
      footer: { text: rule },
      ...(url !== undefined && { url }),
    })),
  };
}

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

export const writeDiscord: WriteChat = ({ summaries, note }) => ({
  text: JSON.stringify(discordMessage(summaries, note)),
  told: summaries.length,
});

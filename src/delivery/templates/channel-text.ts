/**
 * The pieces of a message as each kind of channel takes them. What the account wrote may have the channel's markup. A value is one
 * line of text, whatever a stranger put into it: no markup, no link and no mention. A link leads to an event or to this server.
 */
import { seen } from '../../wakes/summary.ts';
import { escapedHtml } from '../escaped-html.ts';
import type { MessagePiece } from './template.ts';

const BLANKS = /[\p{Cc}\s]+/gu;
/** An invisible space after each keeps it from being part of an address, a mention, a tag or a picture, also together with what comes next. */
const JOINING = /[.:@/#$]/g;

/** Plain text in which nothing can be opened or calls anybody. */
const plainValue = (text: string): string => seen(text).replaceAll(BLANKS, ' ').trim().replaceAll(JOINING, '$&\u200b');

/** Nothing in an address ends it or the markup around it. */
const plainAddress = (address: string): string =>
  address.replaceAll(/[\s"'<>()[\]{}|\\^`*~]/gu, (character) => encodeURIComponent(character).replace(/^[^%]$/, hexOf));

const hexOf = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** For channels without markup: lines, in which an address is apart from what stands around it. */
export function textLines(pieces: readonly MessagePiece[]): { readonly text: string; readonly isLink: boolean }[][] {
  const lines: { text: string; isLink: boolean }[][] = [[]];
  for (const { kind, text } of pieces) {
    if (kind !== 'own') {
      const isLink = kind === 'link';
      lines.at(-1)!.push({ text: isLink ? plainAddress(text) : plainValue(text), isLink });
      continue;
    }
    const [rest = '', ...more] = text.split('\n');
    lines.at(-1)!.push({ text: rest, isLink: false });
    for (const line of more) lines.push([{ text: line, isLink: false }]);
  }
  return lines.map((line) => line.filter(({ text }) => text !== ''));
}

export const unmarkedText = (pieces: readonly MessagePiece[]): string =>
  textLines(pieces)
    .map((line) => line.map(({ text }) => text).join(''))
    .join('\n');

/** Slack has no escape for these, so letters that look alike take their places. */
const ALIKE: Readonly<Record<string, string>> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ' };

const slackEntities = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '\u200b&gt;');

const slackValue = (text: string): string =>
  slackEntities(plainValue(text).replaceAll(/[*_~`]/g, (character) => ALIKE[character]!));

const slackAddress = (address: string): string => plainAddress(address).replaceAll('&', '&amp;');

/**
 * Slack markup that an account may write between angle brackets: a link with a name or without, or somebody to call.
 */
const SLACK_MARKUP = /<(?:(?:\ufdd1\d+\ufdd2|https?:\/\/[^<>|\s\ufdd0-\ufdd2]+)(?:\|[^<>\n]*)?|[!@#][\w^|-]+)>/g;

export function slackText(pieces: readonly MessagePiece[]): string {
  const { text, filled } = placed(pieces);
  let [written, end] = ['', 0];
  const own = (from: number, to: number): string =>
    text
      .slice(from, to)
      .replaceAll('<', '&lt;')
      .replaceAll(/\ufdd1(\d+)\ufdd2/g, '<$&>');
  for (const { 0: markup, index } of text.matchAll(SLACK_MARKUP)) {
    written += `${own(end, index)}${markup}`;
    end = index + markup.length;
  }
  return filled(written + own(end, text.length), slackValue, slackAddress);
}

const DISCORD_SPECIAL = /[\\*_~`|<>[\]()#+-]/g;

/** A value is escaped wherever it stands, and an address in it is broken, so that it cannot be the target of a link either. */
export const discordText = (pieces: readonly MessagePiece[]): string =>
  pieces
    .map(({ kind, text }) => {
      if (kind === 'own') return text;
      return kind === 'link' ? plainAddress(text) : plainValue(text).replaceAll(DISCORD_SPECIAL, '\\$&');
    })
    .join('');

/** The HTML tags that chats, mail programs and feed readers all know. Others are shown as they were written. */
const HTML_PART =
  /<a href="(\ufdd1\d+\ufdd2|https?:\/\/[^"<>\s\ufdd0-\ufdd2]+)">|<(\/?)(b|strong|i|em|u|s|code|pre|blockquote|a)>|&(?:amp|lt|gt|quot|#\d{1,6});|[&<>]|\ufdd1(\d+)\ufdd2/g;

export interface HtmlText {
  readonly html: string;
  /** The words without markup; the address of a link stands behind its name. */
  readonly plain: string;
}

/** Every tag is closed in its order, so a channel that is strict takes it. */
export function htmlText(pieces: readonly MessagePiece[]): HtmlText {
  const { text, filled } = placed(pieces);
  const open: { readonly tag: string; readonly address: string }[] = [];
  let [html, plain, end, isLinked] = ['', '', 0, false];
  const write = (asHtml: string, asPlain: string): void => {
    html += asHtml;
    plain += asPlain;
  };
  const close = (): void => {
    const { tag, address } = open.pop()!;
    if (tag === 'a') isLinked = false;
    write(`</${tag}>`, address === '' ? '' : ` (${address})`);
  };
  for (const { 0: part, 1: address, 2: slash, 3: tag = '', 4: link, index } of text.matchAll(HTML_PART)) {
    const before = text.slice(end, index);
    write(before, before);
    end = index + part.length;
    if (address !== undefined && !isLinked) {
      open.push({ tag: 'a', address });
      isLinked = true;
      write(part, '');
    } else if (slash === '' && tag !== 'a' && tag !== '') {
      open.push({ tag, address: '' });
      write(part, '');
    } else if (slash === '/' && open.at(-1)?.tag === tag) close();
    else if (link !== undefined) write(isLinked ? part : `<a href="${part}">${part}</a>`, part);
    else if (part.length > 1 && part.startsWith('&')) write(part, decoded(part));
    else write(escapedHtml(part), part);
  }
  write(text.slice(end), text.slice(end));
  while (open.length > 0) close();
  return {
    html: filled(
      html,
      (value) => escapedHtml(plainValue(value)),
      (address) => escapedHtml(plainAddress(address)),
    ),
    plain: filled(plain, plainValue, plainAddress),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

const decoded = (entity: string): string => {
  const code = Number(entity.slice(2, -1));
  return ENTITIES[entity] ?? (code > 31 ? String.fromCodePoint(code).toWellFormed() : '');
};

/** A message of one match in a channel, with the markup that is sent. */
export const CHANNEL_TEXTS = {
  slack: slackText,
  discord: discordText,
  telegram: (pieces) => htmlText(pieces).html,
  ntfy: unmarkedText,
  teams: unmarkedText,
  matrix: (pieces) => htmlText(pieces).html,
  email: (pieces) => htmlText(pieces).html,
  feed: (pieces) => htmlText(pieces).html,
} as const satisfies Record<string, (pieces: readonly MessagePiece[]) => string>;

/** The text of the account with a place for each value and link: so its markup is read without them. */
function placed(pieces: readonly MessagePiece[]) {
  const mark = { value: ['\ufdd0', '\ufdd2'], link: ['\ufdd1', '\ufdd2'] } as const;
  const text = pieces
    .map(({ kind, text: own }, index) => (kind === 'own' ? own : `${mark[kind][0]}${index}${mark[kind][1]}`))
    .join('');
  const filled = (given: string, value: (text: string) => string, address: (text: string) => string): string =>
    given.replaceAll(/[\ufdd0\ufdd1](\d+)\ufdd2/g, (place, index: string) => {
      const of = pieces[Number(index)]!.text;
      return place.startsWith('\ufdd0') ? value(of) : address(of);
    });
  return { text, filled };
}

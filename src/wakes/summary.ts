/** A match in a few words, for a chat. Payloads come from outside: fields that are missing or not text are left out. */
import { webUrl } from '../base/parse-url.ts';
import type { Match } from '../domain/match.ts';
import { isDemo } from '../domain/source.ts';

export interface Summary {
  readonly rule: string;
  readonly title: string;
  readonly text: string;
  readonly url: string | undefined;
}

type Summarised = Pick<Match, 'ruleName' | 'platform' | 'platformPostId' | 'payload' | 'source'>;

export const LONGEST_NAME = 80;
const LONGEST_TITLE = 120;
const LONGEST_TEXT = 280;

/** No link is made of what the demo feed invented: it could lead to the post of a real person. */
export function summaryOf(match: Summarised): Summary {
  const summary = realSummary(match);
  return isDemo(match) ? { ...summary, rule: `${DEMO_NOTE}${summary.rule}`, url: undefined } : summary;
}

const DEMO_NOTE = 'Demo: ';

function realSummary({ ruleName, platform, platformPostId, payload }: Summarised): Summary {
  const rule = cutText(ruleName, LONGEST_NAME - DEMO_NOTE.length);
  if (platform === 'x') {
    const text = cutText(textAt(payload, 'data', 'text'), LONGEST_TEXT);
    // A post of another network has its own address.
    const url = textAt(payload, 'url');
    const atX = `https://x.com/i/status/${encodeURIComponent(platformPostId)}`;
    return { rule, title: '', text, url: url === '' ? atX : webAddress(url) };
  }
  return {
    rule,
    title: cutText(textAt(payload, 'title'), LONGEST_TITLE),
    text: cutText(addedText(payload), LONGEST_TEXT),
    url: webAddress(textAt(payload, 'url')),
  };
}

/** The speaker: the author of a post, the site of a page. */
export function speakerOf(match: Pick<Match, 'platform' | 'payload'>, url: string | undefined): string | undefined {
  if (match.platform !== 'x') return url === undefined ? undefined : cutText(webUrl(url)?.hostname ?? '', LONGEST_NAME);
  const users = at(match.payload, 'includes', 'users');
  const author = at(match.payload, 'data', 'author_id');
  const user = Array.isArray(users) ? (users.find((one) => at(one, 'id') === author) as unknown) : undefined;
  const name = textAt(user, 'username');
  return name === '' ? undefined : `@${cutText(name, LONGEST_NAME)}`;
}

/** All words of a match: what a silence looks at. */
export const wholeText = ({ platform, payload }: Pick<Match, 'platform' | 'payload'>): string =>
  platform === 'x' ? textAt(payload, 'data', 'text') : `${textAt(payload, 'title')} ${addedText(payload)}`;

function addedText(payload: Match['payload']): string {
  const chunks = at(payload, 'diff', 'chunks');
  const texts = Array.isArray(chunks)
    ? chunks.filter((chunk) => at(chunk, 'typ') === 'ins').map((chunk) => textAt(chunk, 'text'))
    : [textAt(payload, 'added')];
  return texts.join(' ').trim();
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inside, name) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[name] : undefined,
    value,
  );
}

function textAt(value: unknown, ...path: string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

const webAddress = (text: string): string | undefined => webUrl(text)?.href;

/** By characters as people count them, so that no emoji is cut in half. Nothing in it is hidden. */
export function cutText(text: string, longest: number): string {
  const characters = Array.from(seen(text.slice(0, 4 * longest)));
  return characters.length <= longest ? characters.join('') : `${characters.slice(0, longest - 1).join('')}…`;
}

/** Every character that cannot be seen or that moves others, but for the one that makes an emoji coloured. */
const UNSEEN =
  /(?!\uFE0F)[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?<![\p{Extended_Pictographic}0-9#*])\uFE0F|(?![\n\t])\p{Cc}/gu;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/gu;
const BLANKS = /[\p{Cc}\s]+/gu;
const ADDRESS = /(?<=:)(?=\/\/)|(?<=[\p{L}\p{N}]\.)(?=[\p{L}\p{N}])|(?=@)/gu;

/** The text with nothing hidden in it. */
export const seen = (text: string): string => text.toWellFormed().replaceAll(LINE_ENDS, '\n').replaceAll(UNSEEN, '');

/**
 * Text by strangers inside a document of ours: on one line, without characters that hide or reorder text, and with every
 * address in it broken up by an invisible space, so that no mail program or Markdown renderer makes a link of it.
 */
export const unlinked = (text: string): string =>
  seen(text).replaceAll(BLANKS, ' ').trim().replaceAll(ADDRESS, '\u200b');

/** An address that a document of ours may link to; undefined for any other scheme. */
export const webLink = (address: string | null): string | undefined => webUrl(address ?? '')?.href;

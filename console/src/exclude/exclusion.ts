/** The parts of a match that its rule can exclude, and the rule's text with one of them excluded. Pure. */
import type { Language } from '../../../src/rules/language.ts';
import type { Platform } from '../data/queries.ts';
import type { ReadEvent } from '../event/reading.ts';

export interface Exclusion {
  readonly kind: 'author' | 'domain' | 'language' | 'word';
  /** As people know it. */
  readonly name: string;
  /** As the platform's language writes it, without the negation. */
  readonly clause: string;
}

/** Offered besides a word of the reader's own. */
const MOST_WORDS = 8;
const SHORTEST_WORD = 4;

export function exclusionsOf(platform: Platform, event: ReadEvent): Exclusion[] {
  const { host, language } = event;
  return [
    ...(platform === 'x' ? authorsOf(event) : []),
    ...(platform === 'firehose' && host !== undefined && /^[\w.-]+$/.test(host)
      ? [{ kind: 'domain' as const, name: host, clause: `domain:"${host.replace(/^www\./, '')}"` }]
      : []),
    ...(language !== undefined && /^[a-z]{2,3}$/.test(language)
      ? [{ kind: 'language' as const, name: language, clause: `${LANGUAGE[platform]}:${language}` }]
      : []),
    ...wordsOf(event).map((word) => wordExclusion(platform, word)),
  ];
}

/** By the name, or by the id where a post comes without its user. */
function authorsOf({ author, authorId }: ReadEvent): Exclusion[] {
  if (author !== undefined && /^\w{1,50}$/.test(author.username))
    return [{ kind: 'author', name: `@${author.username}`, clause: `from:${author.username}` }];
  return authorId !== undefined && /^\d{1,20}$/.test(authorId)
    ? [{ kind: 'author', name: authorId, clause: `from:${authorId}` }]
    : [];
}

/** Whether an event has what is excluded, as a reader sees it. The rule itself is tried before it is saved. */
export function hasExcluded(event: ReadEvent, { kind, name, clause }: Exclusion): boolean {
  if (kind === 'author') return clause === authorsOf(event)[0]?.clause;
  if (kind === 'domain') return event.host === name;
  if (kind === 'language') return event.language === name;
  const isWord = (text: string) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .includes(name.toLowerCase());
  return event.passages.some(({ role, text }) => role !== 'detail' && role !== 'removed' && isWord(text));
}

const LANGUAGE: Readonly<Record<Platform, string>> = { x: 'lang', firehose: 'language' };

/** On web pages a word without a field would be looked for in the added text alone. */
export const wordExclusion = (platform: Platform, word: string): Exclusion => {
  const plain = word.replaceAll(/["\\]/g, ' ').trim();
  const quoted = /^[\p{L}\p{N}]+$/u.test(plain) ? plain : `"${plain}"`;
  return { kind: 'word', name: plain, clause: platform === 'x' ? quoted : `(title:${quoted} OR added:${quoted})` };
};

/** Words of the text that did not make it match. */
function wordsOf({ passages }: ReadEvent): string[] {
  const found = new Set<string>();
  for (const { role, text: whole, spans } of passages) {
    if (role === 'detail' || role === 'removed') continue;
    const text = whole.replaceAll(/https?:\S+/g, (link) => ' '.repeat(link.length));
    for (const { 0: word, index } of text.matchAll(/(?<![\p{L}\p{N}@#/.])[\p{L}][\p{L}\p{N}]+/gu)) {
      const isMatched = spans.some(({ start, end }) => index < end && index + word.length > start);
      if (word.length >= SHORTEST_WORD && !isMatched) found.add(word.toLowerCase());
    }
  }
  return [...found].slice(0, MOST_WORDS);
}

/** The text with the exclusion; undefined if the language refuses it. A text that is an OR gets parentheses. */
export function withExclusion(language: Language, text: string, { clause }: Exclusion): string | undefined {
  const isAny = language.parse(text).query?.kind === 'any';
  const held = isAny ? `(${text})` : text;
  const changed = language.name === 'x' ? `${held} -${clause}` : `${held} AND NOT ${clause}`;
  return language.parse(changed).query === undefined ? undefined : changed;
}

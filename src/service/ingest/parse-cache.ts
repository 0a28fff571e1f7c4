/**
 * A language that remembers what it read lately. A text is checked, packed and put into an engine one after the other:
 * it is parsed once for all of them. So is the text of a rule whose matches are shown. Texts with errors go no further, so they are not kept.
 */
import { createLru } from '../../base/lru.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Language, Parsed } from '../../rules/language.ts';
import type { Query } from '../../rules/query.ts';

/** Characters of all texts together; a parsed text takes about a hundred times its length in bytes. */
const CHARACTERS_KEPT = 128 * 1024;

interface Entry {
  readonly query: Query;
  /** It is undefined where the query alone was read. */
  readonly parsed: Parsed | undefined;
  readonly length: number;
}

export function withParseCache(language: Language): Language {
  const entries = createLru<string, Entry>({ limit: CHARACTERS_KEPT, weightOf: ({ length }) => length + 1 });
  return {
    ...language,
    queryOf(text) {
      const kept = entries.get(text);
      if (kept !== undefined) return kept.query;
      const query = language.queryOf(text);
      if (query !== undefined) entries.set(text, { query, parsed: undefined, length: text.length });
      return query;
    },
    parse(text, mending) {
      const kept = entries.get(text)?.parsed;
      if (kept !== undefined) return kept;
      // With a budget of its own a text may get fewer fixes than the next reader is due.
      if (mending !== undefined) return language.parse(text, mending);
      const parsed = language.parse(text);
      if (parsed.query !== undefined) entries.set(text, { query: parsed.query, parsed, length: text.length });
      return parsed;
    },
  };
}

export const withParseCaches = (
  languages: Readonly<Record<Platform, Language>>,
): Readonly<Record<Platform, Language>> => ({
  x: withParseCache(languages.x),
  firehose: withParseCache(languages.firehose),
});

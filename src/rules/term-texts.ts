/** How the languages write that a word, a tag or a pair of words is there. */
import type { Language } from './language.ts';
import type { Query } from './query.ts';

export interface TermText {
  readonly text: string;
  readonly query: Query;
}

const NO_FIXES = { left: 0, warnings: false };

/** Rules of their own that find the term: in the text, and in the title where a language knows titles. None with a remark. */
export function termTexts(language: Language, term: string): TermText[] {
  const quoted = `"${term}"`;
  const forms = [term.includes(' ') ? [quoted] : [term, quoted], [`title:${term.includes(' ') ? quoted : term}`]];
  return forms.flatMap((texts) => {
    const fitting = texts.map((text) => termText(language, text)).find((one) => one !== undefined);
    return fitting === undefined ? [] : [fitting];
  });
}

function termText(language: Language, text: string): TermText | undefined {
  const { query, diagnostics } = language.parse(text, { ...NO_FIXES });
  if (query === undefined || diagnostics.length > 0 || query.kind === 'nothing') return undefined;
  return { text, query };
}

/** The canonical text of a query, if it is a rule of the language that means the same; undefined for one that is too long. */
export function textOfQuery(language: Language, query: Query): string | undefined {
  const text = language.print(query);
  const read = language.parse(text, { ...NO_FIXES });
  return read.query !== undefined && language.print(read.query) === text ? text : undefined;
}

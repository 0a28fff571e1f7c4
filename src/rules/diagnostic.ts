/**
 * A diagnostic is one remark on rule text, as data: the command line prints it, the API returns it, the editor
 * underlines it. Parsing never throws; what is wrong with a text is said here, all of it at once.
 */
export interface Span {
  /** UTF-16 offsets into the rule text; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

export interface Diagnostic {
  /** One of the codes in the language's `messages.ts`; `docs/rule-languages.md` lists them all. */
  readonly code: string;
  /** A rule with an error is refused; a warning says that a legal rule is surely not what was meant. */
  readonly severity: 'error' | 'warning';
  readonly span: Span;
  /** One plain sentence says what is wrong and what to do; the platform's own wording follows where it is known. */
  readonly message: string;
  /** The platform's own wording alone. */
  readonly wording?: string;
  /** Proven edits, the likeliest first. Several where several meanings are likely. */
  readonly fixes?: readonly Fix[];
}

export interface Fix {
  readonly span: Span;
  readonly text: string;
  /** The meaning of the rule with this fix, in a few words. */
  readonly meaning?: string;
  /** The meaning that the text must have in its place; without it, that of the text as a clause by itself. */
  readonly intent?: Intent;
  /** It is from the table of habits: what it still leaves to mend has fixes of its own. */
  readonly habit?: true;
}

/**
 * A meaning, put together from clauses that are each read alone. `same` is what the rule means without the fix. `habit` is what the
 * table of habits says of a text that has no meaning as it stands; `excludes` is the rest of the rule without this clause.
 */
export type Intent =
  | 'same'
  | 'habit'
  | { readonly excludes: string }
  | { readonly clause: string }
  | { readonly all: readonly Intent[] }
  | { readonly any: readonly Intent[] }
  | { readonly not: Intent };

export const isJoin = (intent: Intent): boolean => typeof intent === 'object' && ('all' in intent || 'any' in intent);

/** The meaning in words. */
export function intentText(intent: Intent): string {
  if (typeof intent === 'string') return 'the same';
  if ('excludes' in intent) return `no ${intent.excludes}`;
  if ('clause' in intent) return intent.clause;
  if ('not' in intent) return `no ${intentText(intent.not)}`;
  const [parts, word] = 'all' in intent ? [intent.all, ' and '] : [intent.any, ' or '];
  return parts.map((part) => (isJoin(part) ? `(${intentText(part)})` : intentText(part))).join(word);
}

/** A meaning, or a part of a rule, that is said in a sentence. */
export const briefly = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

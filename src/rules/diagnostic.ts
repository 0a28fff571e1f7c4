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
  readonly message: string;
  /** An edit that removes this diagnostic and adds no error. */
  readonly fix?: Fix;
}

export interface Fix {
  readonly span: Span;
  readonly text: string;
}

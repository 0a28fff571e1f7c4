/** One small change to the source that some test should notice. */
export interface Mutant {
  /** Relative to the root of the project. */
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  /** The name of the function around it. */
  readonly within: string;
  readonly was: string;
  /** Empty: the statement, or the body of the function, is gone. */
  readonly now: string;
  readonly start: number;
  readonly end: number;
  readonly kind: 'expression' | 'statement' | 'body';
}

/** Names a mutant without its line, so that the name outlives edits elsewhere in the file. */
export const keyOf = ({ file, within, operator, was, now }: Omit<Mutant, 'line' | 'start' | 'end' | 'kind'>): string =>
  [file, within, operator, oneLine(was), oneLine(now)].join('\u0000');

/** The place of a mutant and what it changes, on one line. */
export const describeMutant = ({ file, line, operator, was, now }: Mutant): string =>
  `${file}:${line} ${operator}: ${oneLine(was)} → ${now === '' ? '(gone)' : oneLine(now)}`;

/** Text on one line, for keys and lists. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 157)}...` : line;
}

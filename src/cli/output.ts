/** What commands print: tables for people, JSON for programs, and failures with an exit status. */
import pc from 'picocolors';

/** A failure whose message is all there is to say: no stack, and the exit status it ends with. */
export class CliError extends Error {
  override readonly name = 'CliError';
  /** 1: it did not work. 2: it was asked for wrongly. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, undefined, 2));

/** Columns as wide as their widest cell; the first row is the heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [pc.dim(line(heading)), ...rows.map(line)].join('\n');
}

/** Text from elsewhere, on one line and without characters that move the cursor. */
export const plain = (text: string, length = 60): string => {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};

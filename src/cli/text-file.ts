/** A file that an option names; `-` is standard input. */
import { readFileSync } from 'node:fs';
import { CliError } from './output.ts';

export function fileText(file: string, what: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CliError(`The ${what} cannot be read: ${(error as Error).message}`, 2);
  }
}

/** Editors end a file with a line break, which belongs to no message. */
export const templateIn = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : fileText(file, 'template').replace(/\r?\n$/, '');

/** Questions to a person at a terminal. Where there is none, nothing is asked. */
import * as clack from '@clack/prompts';
import { CliError, INTERRUPTED } from './output.ts';

/**
 * Both ends must be a terminal: a question without a reader would leave the program hanging. With `--json` nothing but JSON
 * is printed.
 */
export const isInteractive = (): boolean =>
  process.stdin.isTTY && process.stdout.isTTY && !process.env['CI'] && !process.argv.includes('--json');

/** The answer, unless the person would rather leave. */
export async function ask<Value>(question: Promise<Value | typeof clack.CANCEL_SYMBOL>): Promise<Value> {
  const answer = await question;
  if (clack.isCancel(answer)) {
    clack.cancel('Nothing was done.');
    throw new CliError('', INTERRUPTED);
  }
  return answer;
}

/** Yes, unless a person at a terminal says no; `--yes` says it beforehand. */
export async function confirmed(message: string, yes: boolean | undefined): Promise<boolean> {
  if (yes || !isInteractive()) return true;
  return ask(clack.confirm({ message, initialValue: false }));
}

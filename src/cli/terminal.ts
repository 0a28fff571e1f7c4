/** Questions to a person at a terminal. Where there is none, nothing is asked. */
import { CliError, INTERRUPTED } from './output.ts';

type Prompts = typeof import('@clack/prompts');

/** Loaded with the first question: most commands ask none. */
export const prompts = (): Promise<Prompts> => import('@clack/prompts');

/**
 * Both ends must be a terminal: a question without a reader would leave the program hanging. With `--json` nothing but JSON
 * is printed.
 */
export const isInteractive = (): boolean =>
  process.stdin.isTTY && process.stdout.isTTY && !process.env['CI'] && !process.argv.includes('--json');

/** The answer, unless the person would rather leave. */
export async function ask<Value>(
  question: (shown: Prompts) => Promise<Value | Prompts['CANCEL_SYMBOL']>,
): Promise<Value> {
  const shown = await prompts();
  const answer = await question(shown);
  if (shown.isCancel(answer)) {
    shown.cancel('Nothing was done.');
    throw new CliError('', INTERRUPTED);
  }
  return answer;
}

/** Yes, unless a person at a terminal says no; `--yes` says it beforehand. */
export async function confirmed(message: string, yes: boolean | undefined): Promise<boolean> {
  if (yes || !isInteractive()) return true;
  return ask(({ confirm }) => confirm({ message, initialValue: false }));
}

/** Questions to a person at a terminal. Where there is none, nothing is asked. */
import { CliError, err, INTERRUPTED } from './output.ts';

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

/** One line on a terminal that is written over and over; nothing where standard error is no terminal. */
const WIDTH = 24;

interface ProgressLine {
  show(part: number | undefined, text: string): void;
  end(): void;
}

export function progressLine(stream: NodeJS.WriteStream): ProgressLine {
  const began = Date.now();
  let firstPart: number | undefined;
  return {
    show(part, text) {
      if (!stream.isTTY) return;
      firstPart ??= part;
      stream.write(
        `\r\u001b[K${part === undefined ? '' : `${bar(part)} `}${text}${err.dim(timeLeft(part, firstPart, Date.now() - began))}`,
      );
    },
    end() {
      if (stream.isTTY) stream.write('\n');
    },
  };
}

function bar(part: number): string {
  const full = Math.round(Math.min(1, part) * WIDTH);
  return `${err.green('█'.repeat(full))}${err.dim('░'.repeat(WIDTH - full))} ${String(Math.floor(part * 100)).padStart(3)} %`;
}

/** Judged by what was done since the first line was shown, so that a resumed replay is not too hopeful. */
function timeLeft(part: number | undefined, from: number | undefined, elapsed: number): string {
  if (part === undefined || from === undefined || part <= from) return '';
  const seconds = Math.ceil(((1 - part) / (part - from)) * (elapsed / 1000));
  return `  ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
}

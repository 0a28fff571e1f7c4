/** One line on a terminal that is written over and over; nothing where standard error is no terminal. */
import { err } from './colours.ts';

const WIDTH = 24;

export interface ProgressLine {
  show(part: number | undefined, text: string): void;
  end(): void;
}

export function progressLine(stream: NodeJS.WriteStream, now: () => number = Date.now): ProgressLine {
  const began = now();
  let firstPart: number | undefined;
  return {
    show(part, text) {
      if (!stream.isTTY) return;
      firstPart ??= part;
      stream.write(
        `\r\u001b[K${part === undefined ? '' : `${bar(part)} `}${text}${err.dim(timeLeft(part, firstPart, now() - began))}`,
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

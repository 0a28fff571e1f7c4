/**
 * The log: JSON lines, or short readable ones on a terminal. What is logged is chosen where it is logged; this is the
 * second wall, which keeps anything that looks like a key out of a line all the same.
 */

import pc from 'picocolors';
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

const LEVELS: Readonly<Record<number, string>> = {
  20: pc.dim('debug'),
  30: pc.green('info '),
  40: pc.yellow('warn '),
  50: pc.red('error'),
};

/** A key, or a bearer token of any kind, in the middle of some text. */
const SECRETS = /\bsk_[A-Za-z0-9]{8,}|\bwhsec_[A-Za-z0-9+/=]{8,}|\bBearer\s+[^\s"]+/g;

const withoutSecrets = (line: string): string => line.replaceAll(SECRETS, '[secret]');

export function createLog(options: { level: string; terminal: boolean; write?: (text: string) => void }): Logger {
  const write = options.write ?? toStandardError();
  const format = options.terminal ? pretty : (line: string) => line;
  return pino(
    { level: options.level, base: null, timestamp: stdTimeFunctions.isoTime },
    { write: (line: string) => write(format(withoutSecrets(line))) },
  );
}

/** Written at once: the last line before a crash is the one that matters. */
function toStandardError(): (text: string) => void {
  const stream = destination({ dest: 2, sync: true });
  return (text) => void stream.write(text);
}

function pretty(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown> & {
    err?: { stack?: string };
  };
  const parts = Object.entries(fields).map(([name, value]) =>
    pc.dim(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  );
  const head = `${pc.dim(String(time).slice(11, 23))} ${LEVELS[Number(level)] ?? String(level)} ${String(msg)}`;
  return `${[head, ...parts].join(' ')}\n${err?.stack === undefined ? '' : `${pc.dim(err.stack)}\n`}`;
}

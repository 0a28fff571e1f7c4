/** The server as a process: the ready line and the first key. */

import { whenLeft } from '../../bin/signals.mjs';
import { stopSignals } from '../base/system.ts';
import type { Log } from '../service/telemetry.ts';
import { type Env, loadConfig } from './config.ts';
import { createLog } from './log.ts';
import { explainingDamage } from './open-store.ts';
import { permissionNote } from './private-folder.ts';
import { type Running, start } from './start.ts';

interface ServeOptions {
  readonly terminal: boolean;
  /** Called before the ready line. */
  hasStarted(running: Running): void;
}

export async function serve(env: Env, options: ServeOptions): Promise<void> {
  const config = loadConfig(env);
  const log = createLog({ level: config.logLevel, terminal: options.terminal });
  const note = permissionNote(process.platform);
  if (note !== undefined) log.warn({ folder: config.dataDir }, note);
  const signals = listenToSignals(log);
  const running = await start(config, { log });
  signals.hasStarted(running);
  options.hasStarted(running);
  if (running.firstKey !== undefined) console.log(welcome(running.firstKey));
  // The person at the terminal may enter; a link that signs in does not belong in a log file.
  if (running.firstKey !== undefined || process.stdout.isTTY) console.log(invitation(await running.entryLink()));
  console.log(`sluice: listening on ${running.url}`);
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'stopping: a defect in the program');
    process.exit(FAILED);
  });
  try {
    await explainingDamage(config, running.loaded);
  } catch (error) {
    // A signal ended the start before its end: the signal's own stop ends the process, with its status.
    if (signals.isStopping()) return;
    await running.stop();
    throw error;
  }
  log.info({ url: running.url }, 'all stored rules are loaded');
}

const invitation = (link: string | undefined): string =>
  link === undefined
    ? ''
    : `sluice: open the console with this link, which works once and for 15 minutes:

    ${link}
`;

const welcome = (key: string): string => `sluice: this is the first start. Your API key, shown this once:

    ${key}
`;

/** The signals that stop a server, from the beginning of its start on, and the statuses that its process ends with. */
const DONE = 0;
export const FAILED = 1;

interface Signals {
  /** From now on a signal stops this server in order. */
  hasStarted(running: Running): void;
  /** Whether a first signal has come. */
  isStopping(): boolean;
}

/**
 * The first signal stops the server in order; a second one ends it at once. So does the first one of a start that still waits
 * for its store or broker: it has acknowledged nothing, and as the first process of a container it must end itself.
 */
export function listenToSignals(log: Log): Signals {
  let server: Running | undefined;
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(FAILED);
    stopping = true;
    if (server === undefined) {
      log.info({}, 'stopped before the start had ended');
      process.exit(DONE);
    }
    server.stop().then(
      () => process.exit(DONE),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(FAILED);
      },
    );
  };
  for (const signal of stopSignals(process.platform)) process.on(signal, onSignal);
  whenLeft(onSignal);
  return {
    hasStarted(running) {
      server = running;
    },
    isStopping: () => stopping,
  };
}

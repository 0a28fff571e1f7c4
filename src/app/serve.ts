/** The server as a process: the ready line, the first key, and signals. */
import { whenLeft } from '../../bin/signals.mjs';
import { stopSignals } from '../base/system.ts';
import type { Log } from '../service/telemetry.ts';
import { type Env, loadConfig } from './config.ts';
import { createLog } from './log.ts';
import { explainingDamage } from './open-store.ts';
import { permissionNote } from './private-folder.ts';
import { type Running, start } from './start.ts';

const DONE = 0;
const FAILED = 1;

export async function serve(env: Env, options: { terminal: boolean }): Promise<void> {
  const config = loadConfig(env);
  const log = createLog({ level: config.logLevel, terminal: options.terminal });
  const note = permissionNote(process.platform);
  if (note !== undefined) log.warn({ folder: config.dataDir }, note);
  const running = await start(config, { log });
  if (running.firstKey !== undefined) console.log(welcome(running.firstKey));
  // The person at the terminal may enter; a link that signs in does not belong in a log file.
  if (running.firstKey !== undefined || process.stdout.isTTY) console.log(invitation(await running.entryLink()));
  // Before the line that others wait for: they may send a signal as soon as they have read it.
  const isStopping = stopOnSignal(running, log);
  console.log(`sluice: listening on ${running.url}`);
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'stopping: a defect in the program');
    process.exit(FAILED);
  });
  try {
    await explainingDamage(config, running.loaded);
  } catch (error) {
    // A signal ended the start before its end: the signal's own stop ends the process, with its status.
    if (isStopping()) return;
    await running.stop();
    throw error;
  }
  log.info({ url: running.url }, 'all stored rules are loaded');
}

/** The first signal stops the server in order; a second one ends it at once. Answers whether a first one has come. */
function stopOnSignal(running: Running, log: Log): () => boolean {
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(FAILED);
    stopping = true;
    running.stop().then(
      () => process.exit(DONE),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(FAILED);
      },
    );
  };
  for (const signal of stopSignals(process.platform)) process.on(signal, onSignal);
  whenLeft(onSignal);
  return () => stopping;
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

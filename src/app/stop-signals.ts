/** The signals that stop a server, from the beginning of its start on, and the statuses that its process ends with. */
import { whenLeft } from '../../bin/signals.mjs';
import { stopSignals } from '../base/system.ts';
import type { Log } from '../service/telemetry.ts';
import type { Running } from './start.ts';

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

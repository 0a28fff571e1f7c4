/** The thread that writes: one request at a time in the order they came, until it is told to end. */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { StoreError } from '../error.ts';
import { writingDb } from './db.ts';
import { keep } from './keeper.ts';
import { sqlOf } from './sql.ts';
import type { WorkerData, WriteReply, WriteRequest } from './writer.ts';
import { callsOn, writesOf } from './writes.ts';

const { path, options }: WorkerData = workerData;
const port = parentPort!;
const { run, close } = keep(path, (db) => callsOn(writesOf(writingDb(sqlOf(db), options.textKey), options)));

port.on('message', (request: WriteRequest | undefined) => {
  if (request !== undefined) void answer(request);
  else {
    close();
    port.close();
  }
});

async function answer({ id, name, args }: WriteRequest): Promise<void> {
  const reply = (message: WriteReply): void => port.postMessage(message);
  try {
    reply({ id, result: await run((call) => call(name, args)) });
  } catch (error) {
    if (error instanceof StoreError) reply({ id, failure: { reason: error.reason, message: error.message } });
    else reply({ id, error });
  }
}

// A server that is killed has written it too: its next thread then needs nothing that reads sources.
flushCompileCache();

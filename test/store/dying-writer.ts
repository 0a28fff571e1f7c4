/** A thread that answers every request, but for one to backup, of which it dies. */
import { parentPort } from 'node:worker_threads';
import type { WriteReply, WriteRequest } from '../../src/store/sqlite/writer.ts';

const port = parentPort!;
port.on('message', (request: WriteRequest | undefined) => {
  if (request === undefined) return port.close();
  if (request.name === 'backup') throw new Error('The thread dies.');
  const reply: WriteReply = { id: request.id, result: request.name };
  return port.postMessage(reply);
});

/** The thread behind `document-reader.ts`: reads the documents that it is sent, one after another, and answers each. */
import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { ReadAnswer, ReadRequest } from './document-reader.ts';
import { readers } from './readers.ts';

const port = parentPort!;

port.on('message', ({ what, document }: ReadRequest) => {
  const before = process.threadCpuUsage();
  const read = readers[what](document);
  const { user, system } = process.threadCpuUsage(before);
  port.postMessage({ read, cpuMs: (user + system) / 1_000 } satisfies ReadAnswer, []);
});

// A server that is killed has written it too: its next thread then needs nothing that reads sources.
flushCompileCache();

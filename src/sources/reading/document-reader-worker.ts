/** The thread behind `document-reader.ts`: reads the documents that it is sent, one after another, and answers each. */
import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { ReadRequest } from './document-reader.ts';
import { readers } from './readers.ts';

const port = parentPort!;

port.on('message', ({ what, document }: ReadRequest) => {
  port.postMessage(readers[what](document), []);
});

// A server that is killed has written it too: its next thread then needs nothing that reads sources.
flushCompileCache();

/** The thread behind `document-reader.ts`: reads the documents that it is sent, one after another, and answers each. */
import { parentPort } from 'node:worker_threads';
import type { ReadRequest } from './document-reader.ts';
import { readers } from './readers.ts';

const port = parentPort!;

port.on('message', ({ what, document }: ReadRequest) => {
  port.postMessage(readers[what](document), []);
});

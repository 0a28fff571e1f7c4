/** The thread behind `document-reader.ts`: reads the documents that it is sent, one after another, and answers each. */
import { parentPort } from 'node:worker_threads';
import { readFeed } from '../feeds/read-feed.ts';
import { mainText } from '../watch/main-text.ts';
import type { ReadRequest } from './document-reader.ts';

const port = parentPort!;

port.on('message', ({ what, document: { bytes, contentType, url } }: ReadRequest) => {
  const answer = what === 'feed' ? readFeed(bytes, contentType, url) : mainText(bytes, contentType, url);
  port.postMessage(answer, []);
});

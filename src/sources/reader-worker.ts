/** The thread behind `reader.ts`: reads what it is sent, one after another, and answers each. */
import { parentPort } from 'node:worker_threads';
import { readFeed } from './feeds/read-feed.ts';
import type { ReadRequest } from './reader.ts';
import { mainText } from './watch/main-text.ts';

const port = parentPort!;

port.on('message', ({ what, document: { bytes, contentType, url } }: ReadRequest) => {
  const answer = what === 'feed' ? readFeed(bytes, contentType, url) : mainText(bytes, contentType, url);
  port.postMessage(answer, []);
});

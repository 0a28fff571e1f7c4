/** Frames to many subscribers over real sockets, by our own code and by a bare loop: what `fanout.ts` compares. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../src/base/clock.ts';
import { createLive } from '../src/delivery/live/live.ts';
import type { MatchLog } from '../src/delivery/live/match-log.ts';
import type { Match } from '../src/domain/match.ts';
import { outletOf } from '../src/http/stream.ts';
import { createCursors } from '../src/service/outlets/cursors.ts';
import { matchText } from '../src/service/reader/reader.ts';

export const cursors = createCursors(Buffer.alloc(32));

export const SUBSCRIBERS = 1_000;

export const bytesOf = (frames: readonly Buffer[]): number => frames.reduce((sum, { length }) => sum + length, 0);

/** Given its subscribers, it answers how to send them the matches up to a number. */
type Writer = (responses: readonly ServerResponse[]) => (end: number) => void;

/**
 * Seconds until every reader has all of it, sent up to one of `ends` after the other; and seconds of our CPU, from the first of
 * them on where there are several.
 */
export async function measure(
  frames: readonly Buffer[],
  ends: readonly number[],
  writer: Writer,
): Promise<{ seconds: number; cpu: number }> {
  const responses: ServerResponse[] = [];
  const all = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    responses.push(response);
    if (responses.length === SUBSCRIBERS) all.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sums = ends.map((end) => bytesOf(frames.slice(0, end)));
  const readers = spawn(process.execPath, ['-e', READERS, String(port), String(SUBSCRIBERS), JSON.stringify(sums)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await all.promise;
  const began = performance.now();
  const send = writer(responses);
  let before = process.cpuUsage();
  for (const [index, end] of ends.entries()) {
    send(end);
    await once(readers.stdout, 'data');
    if (index === 0 && ends.length > 1) before = process.cpuUsage();
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - began) / 1_000;
  readers.kill();
  server.close();
  server.closeAllConnections();
  return { seconds, cpu: (user + system) / 1e6 };
}

/** Reads the answers as they come off the wire, and says when all have come to the next of the sums of bytes. */
const READERS = `
  const [port, count] = process.argv.slice(1, 3).map(Number);
  const sums = JSON.parse(process.argv[3]);
  const left = sums.map(() => count);
  for (let index = 0; index < count; index++) {
    let seen = 0, step = 0;
    require('node:http').get({ port, host: '127.0.0.1', agent: false }, (answer) => {
      answer.on('data', (part) => {
        seen += part.length;
        while (step < sums.length && seen >= sums[step]) if (--left[step++] === 0) console.log('all');
      });
    });
  }`;

/** The obvious solution: writes every match to every subscriber, and waits only for subscribers whose buffer is full. */
export const bareWriter =
  (frames: readonly Buffer[]): Writer =>
  (responses) => {
    let last = 0;
    const senders = responses.map((response) => {
      let next = 0;
      const more = () => {
        while (next < last) if (!response.write(frames[next++]!)) return void response.once('drain', more);
      };
      return more;
    });
    return (end) => {
      last = end;
      for (const more of senders) more();
    };
  };

export const ourWriter =
  (stored: readonly Match[]): Writer =>
  (responses) => {
    let last = 0;
    const matchLog: MatchLog = {
      latest: async () => 0,
      matchesAfter: async ({ after, limit }) => {
        const matches = stored.slice(after, Math.min(last, after + limit));
        return { matches, last: after + matches.length, more: matches.length === limit };
      },
    };
    const live = createLive({
      matches: matchLog,
      clock: systemClock,
      log: { info: () => {}, warn: () => {} },
      cursor: (accountId, position) => cursors.write(accountId, 'newer', position),
      placeCursor: (accountId, position) => cursors.writePlace(accountId, 'newer', position),
      encode: matchText,
      silences: async () => [],
      sessionWorks: async () => true,
      works: async () => true,
    });
    for (const response of responses) {
      const subscriber = live.subscribe({ accountId: 'one', keyId: 'key', after: 0, outlet: outletOf(response) });
      response.on('drain', () => subscriber.drained());
      response.once('close', () => subscriber.closed());
    }
    return (end) => {
      last = end;
      live.committed(['one']);
    };
  };

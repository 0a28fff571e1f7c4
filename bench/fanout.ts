/**
 * `npm run bench -- fanout`: matches a second to a thousand subscribers, against a bare loop of `res.write` of the same
 * bytes in the same run. Both serve real sockets; the readers live in a process of their own and only count bytes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../src/base/clock.ts';
import { createLive } from '../src/delivery/live/live.ts';
import type { MatchLog } from '../src/delivery/live/match-log.ts';
import type { Match } from '../src/domain/match.ts';
import { outletOf } from '../src/http/stream.ts';
import { createCursors } from '../src/service/outlets/cursors.ts';
import { matchText } from '../src/service/reader/match-text.ts';

const cursors = createCursors(Buffer.alloc(32));

const SUBSCRIBERS = 1_000;

export interface FanoutFigures {
  readonly subscribers: number;
  readonly matches: number;
  readonly bytes_per_match: number;
  readonly matches_per_second: number;
  readonly bare_matches_per_second: number;
  readonly ratio: number;
}

export async function benchFanout({ quick = false }: { quick?: boolean }): Promise<FanoutFigures> {
  const count = quick ? 300 : 2_000;
  const frames = Array.from({ length: count }, (_, index) => matchOf(index + 1));
  const bytes = frames.map((match) =>
    Buffer.from(`event: match\nid: ${cursors.write('one', 'newer', match.position)}\ndata: ${matchText(match)}\n\n`),
  );
  const total = bytes.reduce((sum, { length }) => sum + length, 0);
  const runs = { ours: [] as number[], bare: [] as number[] };
  // In turns: what disturbs the machine disturbs both.
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    runs.bare.push(await measure(total, (responses) => writeBare(responses, bytes)));
    runs.ours.push(await measure(total, (responses) => writeOurs(responses, frames)));
  }
  const [ours, bare] = [Math.min(...runs.ours), Math.min(...runs.bare)];
  return {
    subscribers: SUBSCRIBERS,
    matches: count,
    bytes_per_match: Math.round(total / count),
    matches_per_second: Math.round(count / ours),
    bare_matches_per_second: Math.round(count / bare),
    ratio: bare / ours,
  };
}

function matchOf(position: number): Match {
  const payload = {
    data: { id: String(position), text: `The volcano is erupting again, says report ${position}. `.repeat(6) },
  };
  return {
    id: `match_${String(position).padStart(26, '0')}`,
    createdAt: new Date(0),
    position,
    platform: 'x',
    platformPostId: String(position),
    ruleId: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b',
    ruleName: 'Volcano news',
    ruleVersion: 1,
    payload,
    json: JSON.stringify(payload),
    highlights: [{ field: 'data.text', start: 4, end: 11 }],
  };
}

/** Seconds until every reader has all of it. */
async function measure(bytes: number, write: (responses: readonly ServerResponse[]) => void): Promise<number> {
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
  const readers = spawn(process.execPath, ['-e', READERS, String(port), String(SUBSCRIBERS), String(bytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await all.promise;
  const began = performance.now();
  write(responses);
  await finished(readers);
  const seconds = (performance.now() - began) / 1_000;
  server.close();
  server.closeAllConnections();
  return seconds;
}

/** Reads the answer as it comes off the wire; chunk lengths make it a little longer than what was written. */
const READERS = `
  const [port, count, bytes] = process.argv.slice(1).map(Number);
  let left = count;
  for (let index = 0; index < count; index++) {
    let seen = 0;
    require('node:http').get({ port, host: '127.0.0.1', agent: false }, (answer) => {
      answer.on('data', (part) => {
        const had = seen;
        seen += part.length;
        if (had < bytes && seen >= bytes && --left === 0) { console.log('done'); process.exit(0); }
      });
    });
  }`;

async function finished(readers: ChildProcess): Promise<void> {
  await once(readers.stdout!, 'data');
}

/** The obvious solution: writes every match to every subscriber, and waits only for subscribers whose buffer is full. */
function writeBare(responses: readonly ServerResponse[], frames: readonly Buffer[]): void {
  for (const response of responses) {
    let next = 0;
    const more = () => {
      while (next < frames.length) if (!response.write(frames[next++]!)) return void response.once('drain', more);
    };
    more();
  }
}

function writeOurs(responses: readonly ServerResponse[], stored: readonly Match[]): void {
  const matchLog: MatchLog = {
    latest: async () => 0,
    matchesAfter: async ({ after, limit }) => {
      const matches = stored.slice(after, after + limit);
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
  live.committed(['one']);
}

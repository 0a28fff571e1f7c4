/** Stands before the sandbox and spoils what its streams say, record by record. Everything else goes through as it is. */
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Fault } from '../sources/odd-sites.ts';
import { openServer } from '../sources/server.ts';

const LOGIN = '<!doctype html><html><body><h1>Log in</h1></body></html>';
const HOUR_MS = 3_600_000;
/** Records that change places. */
const TOGETHER = 3;

interface Wire {
  /** The text that ends a record. */
  readonly end: string;
  readonly type: string;
  readonly path: RegExp;
  isRecord(text: string): boolean;
  malformed(record: string): string;
  wrongType(record: string): string;
}

const WIRES: readonly Wire[] = [
  {
    path: /^\/2\/tweets\/search\/stream(?:\?|$)/,
    end: '\r\n',
    type: 'application/json',
    isRecord: (text) => text.includes('"data"'),
    malformed: () => 'nonsense',
    wrongType: (record) => record.replace(/"id":"\d+"/, '"id":{}'),
  },
  {
    path: /^\/v1\/stream(?:\?|$)/,
    end: '\n\n',
    type: 'text/event-stream',
    isRecord: (text) => text.includes('"document"'),
    malformed: (record) => record.replace(/data:.*/s, 'data: nonsense'),
    wrongType: (record) => record.replace(/"url":"[^"]*"/, '"url":7'),
  },
];

export interface OddFront extends AsyncDisposable {
  readonly url: string;
  /** From now on; connections that stand are cut where the fault is met by connecting. */
  strike(fault: Fault | undefined): void;
}

export async function openOddFront(sandboxUrl: string): Promise<OddFront> {
  let fault: Fault | undefined;
  /** The record of the fault that is an odd item: the second. */
  let records = 0;
  const open = new Set<IncomingMessage>();

  function spoiled(wire: Wire, record: string): readonly string[] | 'cut' {
    records++;
    const isOdd = records === 2;
    if (fault === 'malformed item' && isOdd) return [wire.malformed(record)];
    if (fault === 'wrong type' && isOdd) return [wire.wrongType(record)];
    if (fault === 'truncated' && isOdd) return 'cut';
    if (fault === 'duplicated page') return [record, record];
    if (fault === 'clock ahead')
      return [record.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => new Date(Date.parse(at) + HOUR_MS).toISOString())];
    return [record];
  }

  function pipe(wire: Wire, from: IncomingMessage, to: ServerResponse): void {
    let rest = '';
    const waiting: string[] = [];
    let isCut = false;
    const send = (texts: readonly string[]): void => {
      for (const text of texts) to.write(`${text}${wire.end}`);
    };
    const cut = (text: string): void => {
      isCut = true;
      to.write(text.slice(0, Math.floor(text.length * 0.7)));
      // The bytes that were written go out before the connection breaks.
      setImmediate(() => to.destroy());
    };
    const take = (text: string): void => {
      const isSpoiled = fault !== undefined && wire.isRecord(text);
      if (isSpoiled && fault === 'reordered page') {
        waiting.push(text);
        if (waiting.length === TOGETHER) send(waiting.splice(0).toReversed());
        return;
      }
      const made = isSpoiled ? spoiled(wire, text) : [text];
      if (made === 'cut') cut(text);
      else send(made);
    };
    from.setEncoding('utf8');
    from.on('data', (chunk: string) => {
      const parts = (rest + chunk).split(wire.end);
      rest = parts.pop()!;
      for (const part of parts) if (!isCut) take(part);
    });
    from.on('end', () => {
      send(waiting.toReversed());
      to.end(rest);
    });
    from.on('error', () => to.destroy());
    to.on('close', () => from.destroy());
    open.add(from);
    from.on('close', () => open.delete(from));
  }

  const server = await openServer((request, response) => {
    const path = request.url ?? '';
    const wire = WIRES.find((one) => one.path.test(path));
    if (path === '/login' || (wire !== undefined && fault === 'HTML with 200'))
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(LOGIN);
    if (wire !== undefined && fault === 'redirect to login')
      return void response.writeHead(302, { location: '/login' }).end();
    if (wire !== undefined && fault === 'empty')
      return void response.writeHead(200, { 'content-type': wire.type }).end();
    const { 'accept-encoding': _, ...headers } = request.headers;
    const asked = ask(`${sandboxUrl}${path}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      if (wire === undefined || answer.statusCode !== 200) answer.pipe(response);
      else pipe(wire, answer, response);
    });
    asked.on('error', () => response.destroy());
    request.pipe(asked);
  });
  return {
    url: server.url,
    strike(next) {
      fault = next;
      records = 0;
      const isMet = next === undefined || next === 'empty' || next === 'HTML with 200' || next === 'redirect to login';
      if (isMet) for (const stream of open) stream.destroy(new Error('cut'));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

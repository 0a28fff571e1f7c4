/**
 * An S3-compatible store for tests: s3rver behind a door that does what s3rver lacks and networks do. The door checks
 * signatures, stores an object with `If-None-Match: *` once, answers 503, and cuts connections before or after an object is stored.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { signatureProblem } from './signature-v4.ts';

const require = createRequire(import.meta.url);
const S3rver = require('s3rver') as new (options: object) => { run(): Promise<AddressInfo>; close(): Promise<void> };

export const BUCKET = 'archive';
/** The one key that s3rver knows. */
const KEY_ID = 'S3RVER';
const SECRET = 'a+secret/of=forty-characters-or-so-xxxxx';
export const BUCKET_KEY = `${KEY_ID}:${SECRET}`;

export type Fault = '503' | 'cut before' | 'cut after';

export interface ObjectStore extends AsyncDisposable {
  readonly url: string;
  /** The faults that the next requests meet, one after the other; those after them are answered. */
  readonly faults: Fault[];
  /** The key of every PUT that came, also of those that met a fault. */
  readonly puts: string[];
  /** The keys of what is stored. */
  readonly stored: Set<string>;
  read(key: string): Promise<Buffer>;
}

export async function openObjectStore(): Promise<ObjectStore> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-objects-'));
  const options = { port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: BUCKET }] };
  const s3 = new S3rver(options);
  const { port } = await s3.run();
  const [faults, puts, stored]: [Fault[], string[], Set<string>] = [[], [], new Set()];
  const meet = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const key = decodeURIComponent(request.url!.slice(`/${BUCKET}/`.length));
    const { method = '', headers } = request;
    const isPut = method === 'PUT';
    if (isPut) puts.push(key);
    const fault = isPut ? faults.shift() : undefined;
    if (fault === 'cut before') return void request.socket.destroy();
    if (fault === '503') return refuse(response, 503, 'SlowDown');
    const problem = isPut
      ? signatureProblem({ method, path: request.url!, headers, body }, (id) => (id === KEY_ID ? SECRET : undefined))
      : undefined;
    if (problem !== undefined) return refuse(response, 403, problem);
    if (headers['if-none-match'] === '*' && stored.has(key)) return refuse(response, 412, 'PreconditionFailed');
    pass({ request, response, body, port }, (status) => {
      if (isPut && status === 200) stored.add(key);
      if (fault === 'cut after') request.socket.destroy();
    });
  };
  const door = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => meet(request, response, Buffer.concat(parts)));
  });
  await new Promise<void>((done) => {
    door.listen(0, '127.0.0.1', done);
  });
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  return {
    url,
    faults,
    puts,
    stored,
    async read(key) {
      const got = await fetch(`${url}/${BUCKET}/${key}`);
      if (!got.ok) throw new Error(`${key}: ${got.status}`);
      return Buffer.from(await got.arrayBuffer());
    },
    async [Symbol.asyncDispose]() {
      door.closeAllConnections();
      await new Promise<void>((done) => {
        door.close(() => done());
      });
      await s3.close();
      rmSync(directory, { recursive: true });
      vi.useRealTimers();
    },
  };
}

const refuse = (response: ServerResponse, status: number, code: string): void =>
  void response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);

interface Passed {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly port: number;
}

/** `seen` is told the status before the answer goes on. */
function pass({ request, response, body, port }: Passed, seen: (status: number) => void): void {
  follow(request.headers['x-amz-date']);
  const { method = 'GET', url = '/', headers } = request;
  const onward = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    seen(answer.statusCode!);
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  onward.end(body);
}

/** The store compares the time of a signature with its own, which is the test's. */
function follow(date: string | string[] | undefined): void {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(date)) ?? [];
  if (year === undefined) return;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) });
}

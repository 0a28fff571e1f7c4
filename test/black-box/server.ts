/** The real program as a child process, on a free port, with a data folder of its own; and a client that knows only HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROGRAM } from './program.ts';

export const KEY = 'black-box-test-key-0001';

export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface Started extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  /** The settings that it was started with: a command that is given them works on the same store. */
  readonly settings: Readonly<Record<string, string>>;
  readonly process: ChildProcess;
  /** Everything on stdout before the ready line. */
  readonly greeting: readonly string[];
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  push(platform: string, events: readonly unknown[], key?: string): Promise<Answer>;
  /** Ends it with a signal and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface CallOptions {
  readonly key?: string | undefined;
  readonly headers?: Record<string, string>;
  /** Sent as it is, instead of JSON. */
  readonly raw?: string | Uint8Array;
}

/**
 * A child inherits nothing of ours, so that the settings of whoever runs the tests do not matter, but for the path and
 * the place where compiled modules are kept, because there are very many children.
 */
export function environment(settings: Record<string, string>): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...settings };
}

/**
 * Loading the program fills the memory for new objects many times over: with more of it a start takes a tenth less CPU. With more of it,
 * collections also take longer, so a server that is given options of Node's own is started as users start it.
 */
const ROOM_TO_START = '--min-semi-space-size=32';

export async function startServer(
  settings: Record<string, string> = {},
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-')),
  /** A command that runs what follows it. */
  within: readonly string[] = [],
  program = PROGRAM,
): Promise<Started> {
  const given = {
    SLUICE_PORT: '0',
    SLUICE_DATA_DIR: dataDir,
    SLUICE_API_KEY: KEY,
    SLUICE_RATE_LIMIT: 'off',
    SLUICE_DEMO: 'off',
    SLUICE_LOG_LEVEL: 'error',
    ...settings,
  };
  const room = 'NODE_OPTIONS' in settings ? [] : [ROOM_TO_START];
  const words = [...within, process.execPath, ...room, program, 'serve'];
  const child = spawn(words[0]!, words.slice(1), {
    env: environment(given),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) =>
    child.once('exit', (code, signal) => done({ code, signal })),
  );
  const { url, greeting } = await readyLine(child, ended);
  const call = (method: string, path: string, body?: unknown, options?: CallOptions) =>
    callServer(url, method, path, body, options);
  return {
    url,
    dataDir,
    settings: given,
    process: child,
    greeting,
    call,
    push: (platform, events, key) => pushTo(url, platform, events, key),
    end(signal) {
      child.kill(signal);
      return ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** How a suite starts its servers. Whoever is given the folder of an earlier one goes on with what that one had stored. */
export type StartServer = typeof startServer;

async function readyLine(child: ChildProcess, ended: Promise<unknown>): Promise<{ url: string; greeting: string[] }> {
  let complaints = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const greeting: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /^sluice: listening on (http:\/\/\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, greeting };
    greeting.push(line);
  }
  throw new Error(`the server ended before it was ready: ${JSON.stringify(await ended)} ${complaints}`);
}

export async function callServer(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const key = 'key' in options ? options.key : KEY;
  const content = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(content !== undefined && { body: content as NonNullable<RequestInit['body']> }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

export const pushTo = (url: string, platform: string, events: readonly unknown[], key = KEY): Promise<Answer> =>
  callServer(url, 'POST', `/events?platform=${platform}`, undefined, {
    key,
    raw: events.map((event) => JSON.stringify(event)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });

/** The status and code of a failure, or what is wrong with its shape: every failure has the one body and nothing else. */
export function failureIn({ status, headers, text, body }: Answer): string {
  const { code, message, details, ...rest } = body;
  const isShaped =
    typeof code === 'string' && typeof message === 'string' && isObject(details) && Object.keys(rest).length === 0;
  if (!isShaped || headers.get('x-request-id') === null)
    return `${status}, not in the shape of an error: ${text.slice(0, 200)}`;
  return `${status} ${code}`;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

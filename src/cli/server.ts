/** The commands that talk to a running server do so through this: the address, the key, and failures in plain words. */
import { loadConfig } from '../app/config.ts';
import { CliError } from './output.ts';

export interface Server {
  readonly url: string;
  get(path: string): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
  push(path: string, lines: string, signal?: AbortSignal): Promise<Response>;
}

export function connectToServer(env = process.env): Server {
  const { serverUrl, apiKey } = loadConfig(env);
  if (apiKey === undefined)
    throw new CliError('Set SLUICE_API_KEY to a key of the server (and SLUICE_URL if it is elsewhere).', 2);
  const authorization = `Bearer ${apiKey}`;

  async function call(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization };
    const answer = await fetch(serverUrl + path, { ...init, headers }).catch((error: unknown) => {
      throw new CliError(`There is no answer from ${serverUrl}: is the server running? (${causeOf(error)})`);
    });
    if (!answer.ok)
      throw new ServerError(answer.status, await messageOf(answer), Number(answer.headers.get('retry-after') ?? 0));
    return answer;
  }

  return {
    url: serverUrl,
    get: (path) => call(path, {}),
    post: (path, body) =>
      call(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    push: (path, lines, signal) =>
      call(path, {
        method: 'POST',
        body: lines,
        headers: { 'content-type': 'application/x-ndjson' },
        ...(signal && { signal }),
      }),
  };
}

/** The server answered, and said no. */
export class ServerError extends CliError {
  readonly status: number;
  readonly retryAfter: number;

  constructor(status: number, message: string, retryAfter: number) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

async function messageOf(answer: Response): Promise<string> {
  try {
    const { code, message } = (await answer.json()) as { code: string; message: string };
    return `The server says ${code}: ${message}`;
  } catch {
    return `The server answers with status ${answer.status}.`;
  }
}

const causeOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
};

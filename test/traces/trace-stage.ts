/** The whole server in this process, with traces on or off, and what a pusher and a receiver see of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { loadConfig } from '../../src/app/config.ts';
import { start } from '../../src/app/start.ts';

export const KEY = 'trace-test-key-0001';
export const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
export const PARENT = '00f067aa0ba902b7';

export interface TraceStage {
  readonly url: string;
  /** Every warning in the log. */
  readonly warnings: string[];
  call(path: string, body: unknown, headers?: Record<string, string>): Promise<Record<string, unknown>>;
  push(id: string, text: string, headers?: Record<string, string>): Promise<Record<string, unknown>>;
  /** Stops the server: the traces are sent by then. */
  stop(): Promise<void>;
}

export async function startTraced(variables: Record<string, string>): Promise<TraceStage> {
  // The exporter reads the variables itself.
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-traces-'));
  const config = loadConfig({
    SLUICE_PORT: '0',
    SLUICE_DATA_DIR: folder,
    SLUICE_STORE_URL: 'sqlite::memory:',
    SLUICE_API_KEY: KEY,
    SLUICE_DEMO: 'off',
    SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
    ...variables,
  });
  const warnings: string[] = [];
  const warn = (fields: object, message: string) => void warnings.push(`${message} ${JSON.stringify(fields)}`);
  const server = await start(config, { log: { info: () => {}, warn, error: warn } });
  await server.loaded;
  const send = async (path: string, type: string, body: string, headers: Record<string, string>) => {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': type, ...headers },
      body,
    });
    const text = await answer.text();
    return (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>;
  };
  return {
    url: server.url,
    warnings,
    call: (path, body, headers = {}) => send(path, 'application/json', JSON.stringify(body), headers),
    push: (id, text, headers = {}) =>
      send('/events?platform=x', 'application/x-ndjson', JSON.stringify({ data: { id, text } }), headers),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

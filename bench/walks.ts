/**
 * `npm run bench -- walks`: how many files of `src` one request runs through, in all threads. V8 counts calls while the request is under
 * way; files that run while the server is idle are not counted. The server runs in this process, on SQLite, with one rule.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/app/config.ts';
import { createLog } from '../src/app/log.ts';
import { start } from '../src/app/start.ts';
import { openReceiver, until } from '../test/stages/receiver.ts';
import { type CalledFunction, countCalls } from './call-counts.ts';

const ROOT = resolve(import.meta.dirname, '..');
const KEY = 'walk-bench-key-000001';
/** The server is watched this long to learn what runs while it is idle: housekeeping comes every 5 seconds, the heartbeat of a stream every 15. */
const IDLE_MS = 17_000;

export interface WalkFigures {
  readonly walk: string;
  readonly files: number;
  readonly functions: number;
  readonly list: readonly string[];
}

export async function* benchWalks(): AsyncGenerator<WalkFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-walks-'));
  const settings = {
    SLUICE_PORT: '0',
    SLUICE_DATA_DIR: folder,
    SLUICE_API_KEY: KEY,
    SLUICE_DEMO: 'off',
    SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
  };
  const running = await start(loadConfig(settings), { log: createLog({ level: 'error', terminal: false }) });
  try {
    await running.loaded;
    yield* walksOf(running.url);
  } finally {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* walksOf(url: string): AsyncGenerator<WalkFigures> {
  const client = clientOf(url);
  const { rule_id } = await client.createRule('storm', 'News of storms');
  const stream = await client.openStream(rule_id);
  // Every walk is gone once before it is measured: the first request of a server also prepares what later ones share.
  await client.push('a storm is coming');
  await stream.nextMatch();
  await client.createRule('flood', '');
  await client.listMatches();
  const calls = await countCalls();
  await setTimeout(IDLE_MS);
  const idle = new Set((await calls.since()).map(({ file }) => file));
  const measure = async (walk: string, request: () => Promise<unknown>): Promise<WalkFigures> => {
    await calls.since();
    await request();
    return figuresOf(walk, await calls.since(), idle);
  };
  // Events come last: the webhooks' dispatcher looks at them a moment later.
  yield await measure('CreateRule on local platforms', () => client.createRule('earthquake', ''));
  yield await measure('ListMatches with min_relevance', () => client.listMatches());
  yield await measure('POST /events with one SSE reader', () =>
    Promise.all([client.push('a second storm is coming'), stream.nextMatch()]),
  );
  await stream.close();
  await using receiver = await openReceiver();
  await client.createWebhook(receiver.url);
  const delivered = (count: number) => until(() => receiver.received.length >= count);
  await client.push('a third storm is coming');
  await delivered(1);
  yield await measure('webhook delivery', () => Promise.all([client.push('a fourth storm is coming'), delivered(2)]));
  calls.close();
}

function figuresOf(walk: string, called: readonly CalledFunction[], idle: ReadonlySet<string>): WalkFigures {
  const walked = called.filter(({ file }) => isSource(file) && !idle.has(file));
  const list = [...new Set(walked.map(({ file }) => relative(ROOT, fileURLToPath(file))))].toSorted();
  return { walk, files: list.length, functions: walked.length, list };
}

const isSource = (file: string): boolean =>
  file.startsWith('file:') && fileURLToPath(file).startsWith(join(ROOT, 'src', sep));

function clientOf(url: string) {
  const authorization = `Bearer ${KEY}`;
  let pushed = 0;
  async function call<T>(path: string, body: object, type = 'application/json'): Promise<T> {
    const headers = { authorization, 'content-type': type };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
  return {
    createRule: (word: string, intent: string) =>
      call<{ rule_id: string }>('/api.CreateRule', {
        name: word,
        intent,
        platforms: ['x', 'firehose'],
        overrides: { x: word, firehose: word },
      }),
    createWebhook: (to: string) => call('/api.CreateWebhook', { url: to }),
    listMatches: () => call('/matches', { min_relevance: 0.1 }),
    push: (text: string) =>
      call('/events?platform=x', { data: { id: String(1_000 + pushed++), text } }, 'application/x-ndjson'),
    async openStream(ruleId: string) {
      const stopping = new AbortController();
      const { signal } = stopping;
      const { body } = await fetch(`${url}/matches/stream?rule_id=${ruleId}`, { headers: { authorization }, signal });
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
      return {
        async nextMatch(): Promise<void> {
          let text = '';
          while (!text.includes('event: match')) {
            const { value, done } = await reader.read();
            if (done) throw new Error(`the stream ended: ${text}`);
            text += value;
          }
        },
        async close(): Promise<void> {
          await reader.cancel();
          stopping.abort();
        },
      };
    },
  };
}

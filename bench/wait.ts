/**
 * `npm run bench -- wait`: the time from a commit until waiting callers have its match. Measured once inside one process,
 * from the commit itself, and once over HTTP, from the answer to the push, which comes right after the commit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForMatches } from '../src/service/matches/wait-for-matches.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { KEY, startServer } from '../test/black-box/server.ts';
import { openService } from '../test/stages/service.ts';

const WAITERS = 500;
/** How many connections a server accepts from one address. */
const OVER_HTTP = 150;
const RULE = { name: 'w', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const never = new AbortController().signal;

interface Delay {
  readonly p50_ms: number;
  readonly p99_ms: number;
}

export interface WaitFigures {
  readonly waiters: number;
  readonly waiters_over_http: number;
  readonly rounds: number;
  readonly commit_to_wake: Delay;
  readonly over_http: Delay;
}

export async function benchWait({ quick = false }: { quick?: boolean }): Promise<WaitFigures> {
  const rounds = quick ? 3 : 15;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    return {
      waiters: WAITERS,
      waiters_over_http: OVER_HTTP,
      rounds,
      commit_to_wake: await inProcess(join(folder, 'sluice.db'), rounds),
      over_http: await overHttp(rounds),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inProcess(path: string, rounds: number): Promise<Delay> {
  await using store = await openSqlite(path);
  await using service = await openService({ store });
  const { context } = service.service;
  const caller = await service.caller('bench');
  const { rule_id: ruleId } = await service.call(caller, 'createRule', RULE);
  const delays: number[] = [];
  let committed = 0;
  context.ingest.onCommit(() => {
    committed = performance.now();
  });
  for (let round = 0; round < rounds; round++) {
    const waiting = Array.from({ length: WAITERS }, async () => {
      await waitForMatches(context, caller, { ruleId, limit: 5, milliseconds: 50_000 }, never);
      delays.push(performance.now() - committed);
    });
    while (context.matchSignals.watching < WAITERS) await sleep(5);
    await service.post(caller, 'a storm');
    await Promise.all(waiting);
  }
  return delayOf(delays);
}

async function overHttp(rounds: number): Promise<Delay> {
  await using server = await startServer();
  const agent = new Agent({ keepAlive: true });
  await server.call('POST', '/api.CreateRule', RULE);
  const cursorNow = async () => (await server.call('POST', '/matches', {})).body['latest_cursor'];
  const delays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    let pushed = Infinity;
    const input = { cursor: await cursorNow(), wait_seconds: 50, max_tokens: 300 };
    const waiting = Array.from({ length: OVER_HTTP }, async () => {
      await callTool(server.url, agent, 'wait_for_matches', input);
      delays.push(Math.max(0, performance.now() - pushed));
    });
    // Long enough for all of them to have begun.
    await sleep(1_500);
    await server.push('x', [{ data: { id: `1${round}`, text: 'a storm' } }]);
    pushed = performance.now();
    await Promise.all(waiting);
  }
  agent.destroy();
  return delayOf(delays);
}

function callTool(url: string, agent: Agent, name: string, input: object): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/mcp`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', resolve);
    });
    sent.once('error', reject).end(body);
  });
}

function delayOf(delays: readonly number[]): Delay {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]! * 10) / 10;
  return { p50_ms: at(0.5), p99_ms: at(0.99) };
}

/** A server with OAuth and events, in this process on real sockets, and a receiver over TLS that is as strict as any. */
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { eventData, eventDigest } from '../../src/mcp/events/wire.ts';
import type { OutletOptions } from '../../src/service/outlets/outlets.ts';
import { LOCAL_NAMES } from '../oauth/documents.ts';
import { type OAuthStage, oauthStage } from '../oauth/stage.ts';
import { type HeldClock, OPERATOR_KEY } from '../stages/http-app.ts';

/** Time as it is, until the test moves it: then every sleep that would be over is. */
export function movableClock(): HeldClock {
  let ahead = 0;
  const sleepers = new Set<{ readonly until: number; wake(): void }>();
  const time = () => Date.now() + ahead;
  return {
    now: () => new Date(time()),
    elapsed: () => performance.now() + ahead,
    async sleep(milliseconds, signal) {
      const woken = new AbortController();
      const sleeper = { until: time() + milliseconds, wake: () => woken.abort() };
      sleepers.add(sleeper);
      await systemClock.sleep(
        Math.min(milliseconds, 2 ** 31 - 1),
        signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]),
      );
      sleepers.delete(sleeper);
    },
    forward(milliseconds) {
      ahead += milliseconds;
      for (const sleeper of sleepers) if (sleeper.until <= time()) sleeper.wake();
    },
  };
}

export interface EventsStage extends AsyncDisposable {
  readonly oauth: OAuthStage;
  readonly clock: HeldClock;
  readonly url: string;
  /** The result of a request to `/mcp`, as it is on the wire. */
  rpc(method: string, params?: object, secret?: string): Promise<Rpc>;
  /** An operation of the service, over HTTP. */
  call(name: string, input?: object, key?: string): Promise<Record<string, unknown>>;
  /** A rule on X for a word; answers its id. */
  rule(word: string, key?: string): Promise<string>;
  /** Posts with these texts, pushed by the operator. */
  post(...texts: string[]): Promise<void>;
}

export interface Rpc {
  readonly result: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A retry comes at once, so that no test waits for one. */
const QUICK = [0.001, 0.001, 0.001];

export async function eventsStage(delivery: Partial<OutletOptions> = {}): Promise<EventsStage> {
  const clock = movableClock();
  const oauth = await oauthStage({
    clock,
    delivery: { ...LOCAL_NAMES, eventData, eventDigest, eventSchedule: QUICK, ...delivery },
  });
  await oauth.app.http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = oauth.app.http.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const send = async (path: string, body: object | string, headers: Record<string, string>) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    // The tool server answers older revisions with a stream of one message.
    const text = await answer.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Record<string, unknown>;
  };
  let posted = 0;
  const stage: EventsStage = {
    oauth,
    clock,
    url,
    async rpc(method, params = {}, secret = OPERATOR_KEY) {
      const headers = {
        authorization: `Bearer ${secret}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      };
      return (await send('/mcp', { jsonrpc: '2.0', id: 1, method, params }, headers)) as unknown as Rpc;
    },
    call: (name, input = {}, key = OPERATOR_KEY) => send(`/api.${name}`, input, { authorization: `Bearer ${key}` }),
    async rule(word, key) {
      const made = await stage.call(
        'CreateRule',
        { name: word, intent: '', platforms: ['x'], overrides: { x: word } },
        key,
      );
      return String(made['rule_id']);
    },
    async post(...texts) {
      const lines = texts.map((text) => JSON.stringify({ data: { id: String(++posted), text } })).join('\n');
      await send('/events?platform=x', lines, {
        authorization: `Bearer ${OPERATOR_KEY}`,
        'content-type': 'application/x-ndjson',
      });
    },
    [Symbol.asyncDispose]: () => oauth[Symbol.asyncDispose](),
  };
  return stage;
}

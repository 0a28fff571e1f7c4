/**
 * The stand-ins in one process with the server, on time that is moved: each shape of harness, active, idle, restarted and away for
 * an hour, with a kill of the agent or of the server at any of its steps. A killed agent keeps its log; of a killed server the
 * store is left, with the call under way made or not. Then every match must be in one turn, and no wake in two.
 */
import { setImmediate } from 'node:timers/promises';
import { randomFrom } from '../../bench/random.ts';
import { newId } from '../../src/base/ids.ts';
import { SEALING_KEY_BYTES } from '../../src/delivery/webhooks/seal.ts';
import { failedToSend, type Send } from '../../src/delivery/webhooks/transport.ts';
import { eventData, eventDigest } from '../../src/mcp/events/wire.ts';
import { addKey, X_RULES } from '../../src/service/access/keys.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type App, heldClock, startApp } from '../stages/http-app.ts';
import { listenOnce } from './listen.ts';
import { type Line, type Ports, SHAPES, type Shape, type ShapeName } from './shapes.ts';

export const STATES = ['active', 'idle', 'restarted', 'away'] as const;
export type State = (typeof STATES)[number];

export interface Kill {
  readonly who: 'agent' | 'server' | 'nobody';
  /** The number of the step, or of the call to the store. */
  readonly at: number;
  /** It tells of a call to the store whether it is made before the server dies. */
  readonly isMade: boolean;
}

export interface RunResult {
  readonly lost: number;
  readonly twice: number;
  /** Turns without a match. */
  readonly idle: number;
  /** Wakes that the server takes for open when all is done. */
  readonly open: number;
  readonly tokens: number;
  readonly turns: number;
  /** Whether the kill happened. */
  readonly isKilled: boolean;
  readonly steps: number;
  readonly storeCalls: number;
}

const HOUR = 3_600_000;
const MINUTE = 60_000;
const MOST_ROUNDS = 400;

/** The error of a call that SIGKILL leaves without an answer. */
class Killed extends Error {}

export interface KillWorld extends AsyncDisposable {
  run(shape: ShapeName, state: State, kill: Kill): Promise<RunResult>;
}

export async function openKillWorld(): Promise<KillWorld> {
  const clock = heldClock();
  const shared = await openSqlite(':memory:', { clock });
  const receivers = new Map<
    string,
    (body: string, headers: Record<string, string>) => Promise<{ status: number; body: string }>
  >();
  const sealingKey = Buffer.alloc(SEALING_KEY_BYTES, 7);
  const armed = { at: 0, calls: 0, isMade: false, isDead: false };
  const send: Send = async ({ url, body, headers }) => {
    const receiver = receivers.get(url);
    if (receiver === undefined) return failedToSend('refused');
    try {
      const reply = await receiver(body, { ...headers });
      const error = reply.status < 300 ? undefined : 'refused';
      return { statusCode: reply.status, error, response: reply.body, overloaded: false, retryAfter: undefined };
    } catch {
      return failedToSend('the connection was closed');
    }
  };
  const start = (): Promise<App> =>
    startApp({
      clock,
      store: () => killable(shared, armed),
      publicUrl: 'https://sluice.example',
      delivery: {
        send,
        allowPrivate: true,
        random: () => 0.5,
        publicUrl: 'https://sluice.example',
        eventData,
        eventDigest,
        sealingKey,
      },
    });
  let app = await start();
  let runs = 0;

  async function revive(): Promise<void> {
    if (!armed.isDead) return;
    const dead = app;
    await Promise.resolve(dead[Symbol.asyncDispose]()).catch(() => {});
    Object.assign(armed, { at: 0, isDead: false });
    app = await start();
  }

  return {
    run: (shape, state, kill) => oneRun(shape, state, kill),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await shared[Symbol.asyncDispose]();
    },
  };

  async function oneRun(name: ShapeName, state: State, kill: Kill): Promise<RunResult> {
    const shape: Shape = SHAPES[name];
    const key = await newKey(shared, clock.now(), ++runs);
    const lines: Line[] = [];
    const agent = {
      isWanted: false,
      isUp: false,
      isBegun: false,
      steps: 0,
      killAt: kill.who === 'agent' ? kill.at : 0,
    };
    let [pushed, isKilled] = [0, false];
    let noted: string | undefined;

    async function post(url: string, payload: object | string): Promise<Record<string, unknown>> {
      if (armed.isDead) throw new Killed();
      const headers = {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        'content-type': typeof payload === 'string' ? 'application/x-ndjson' : 'application/json',
      };
      const { statusCode, body } = await app.http.inject({ method: 'POST', url, payload, headers });
      if (armed.isDead || statusCode !== 200) throw new Error(`${statusCode} ${body}`);
      return JSON.parse(body.slice(body.indexOf('{'))) as Record<string, unknown>;
    }
    const ruleId = (
      await post('/api.CreateRule', {
        name: 'Kit',
        intent: '',
        platforms: ['firehose'],
        overrides: { firehose: `title:word${runs}` },
      })
    )['rule_id'] as string;

    const ports: Ports = {
      ruleId,
      address: `https://agent${runs}.example/`,
      waitSeconds: 0,
      call: (operation, input) => post(`/api.${operation}`, input),
      async mcp(method, params) {
        const { result, error } = await post('/mcp', { jsonrpc: '2.0', id: 1, method, params });
        if (result === undefined) throw new Error(JSON.stringify(error));
        return result as Record<string, unknown>;
      },
      async listen(uri) {
        if (armed.isDead) throw new Killed();
        const told = await listenOnce({ server: await addressOf(app), key, uri, patience: someTurns });
        if (armed.isDead) throw new Killed();
        return told;
      },
      lines: () => lines,
      append: (line) => void lines.push(line),
      note: {
        read: () => noted,
        write(text) {
          noted = text;
        },
      },
      async step() {
        if (!agent.isUp) throw new Killed();
        if (++agent.steps !== agent.killAt) return;
        die();
        isKilled = true;
        throw new Killed();
      },
    };

    function die(): void {
      Object.assign(agent, { isUp: false, isBegun: false });
      receivers.delete(ports.address);
    }
    function stop(): void {
      agent.isWanted = false;
      die();
    }
    function startAgent(): void {
      Object.assign(agent, { isWanted: true, isUp: true });
      const { receive } = shape;
      if (receive !== undefined) receivers.set(ports.address, (body, headers) => receive(ports, { headers, body }));
    }
    /** Does what a supervisor and a harness do: begin, ask, and begin again after a death. */
    async function live(): Promise<void> {
      if (!agent.isWanted) return;
      if (!agent.isUp) startAgent();
      try {
        if (!agent.isBegun) await shape.begin(ports);
        agent.isBegun = agent.isUp;
        await shape.ask?.(ports);
      } catch {
        // It was killed, or the server was: it begins or asks again in the next round.
      }
    }
    async function pass(milliseconds: number, rounds = 1): Promise<void> {
      for (let round = 0; round < rounds; round++) {
        clock.forward(milliseconds / rounds);
        for (let turn = 0; turn < 6; turn++) await setImmediate();
        await revive();
        await live();
      }
    }
    async function push(): Promise<void> {
      const id = `${runs}-${++pushed}`;
      const event = JSON.stringify({ id, url: `https://site.example/${id}`, title: `word${runs} number ${id}` });
      for (let tries = 0; tries < MOST_ROUNDS; tries++) {
        await revive();
        const isDone = await post('/events?platform=firehose', event).then(
          () => true,
          () => false,
        );
        if (isDone) return;
      }
      throw new Error('The server takes no event.');
    }
    const told = () =>
      [...new Map(lines.map(([id, matches]) => [id, Number(matches)])).values()].reduce((sum, one) => sum + one, 0);
    async function until(isSo: () => boolean): Promise<void> {
      // An attempt that failed late is made again hours later.
      for (let round = 0; round < MOST_ROUNDS && !isSo(); round++)
        await pass(round < MOST_ROUNDS / 2 ? 500 : 5 * MINUTE);
    }

    Object.assign(armed, { at: 0, calls: 0, isMade: kill.isMade });
    startAgent();
    await until(() => agent.isBegun);
    if (kill.who === 'server') armed.at = armed.calls + kill.at;
    const before = armed.calls;
    await SCENES[state]({ push, pass, until, lines, stop, startAgent });
    await until(() => told() >= pushed);
    if (kill.who === 'server') isKilled = armed.at === 0 || armed.isDead;
    const storeCalls = armed.calls - before;
    await pass(2 * MINUTE, 8);
    armed.at = 0;
    const openWakes = async (): Promise<number> => {
      await revive();
      const { wakes } = (await post('/api.ListWakes', { limit: 200 })) as { wakes: { state: string }[] };
      return wakes.filter((wake) => wake.state !== 'acknowledged').length;
    };
    // An attempt that failed is made again hours later; the agent knows the wake by then, and acknowledges it.
    for (let round = 0; round < MOST_ROUNDS && (await openWakes()) > 0; round++) await pass(5 * MINUTE);
    const open = await openWakes();
    stop();
    const ids = lines.map(([id]) => id);
    return {
      lost: Math.max(0, pushed - told()),
      twice: ids.length - new Set(ids).size + Math.max(0, told() - pushed),
      idle: lines.filter(([, matches]) => matches === '0').length,
      open,
      tokens: Math.ceil(Math.max(0, ...lines.map(([, , characters]) => Number(characters))) / 4),
      turns: lines.length,
      isKilled,
      steps: agent.steps,
      storeCalls,
    };
  }
}

interface Scene {
  readonly lines: readonly Line[];
  push(): Promise<void>;
  pass(milliseconds: number, rounds?: number): Promise<void>;
  until(isSo: () => boolean): Promise<void>;
  stop(): void;
  startAgent(): void;
}

const SCENES: Readonly<Record<State, (scene: Scene) => Promise<void>>> = {
  async active({ push, until, lines }) {
    await push();
    await until(() => lines.length > 0);
    await push();
    await push();
  },
  async idle({ push, pass }) {
    await pass(HOUR, 12);
    await push();
  },
  async restarted({ push, until, lines, stop, startAgent }) {
    await push();
    await until(() => lines.length > 0);
    stop();
    await push();
    startAgent();
  },
  async away({ push, pass, stop, startAgent }) {
    stop();
    await push();
    await push();
    await pass(HOUR, 60);
    await push();
    startAgent();
  },
};

/** Turns of the event loop in which a notification arrives, if there is one. */
const TURNS_LISTENED = 20;

async function someTurns(signal: AbortSignal): Promise<void> {
  for (let turn = 0; turn < TURNS_LISTENED && !signal.aborted; turn++) await setImmediate();
}

const addresses = new WeakMap<App, Promise<string>>();

/** The address that the server listens at, from the first time that a shape needs a stream of it. */
function addressOf(app: App): Promise<string> {
  const known = addresses.get(app) ?? app.http.listen({ host: '127.0.0.1', port: 0 });
  addresses.set(app, known);
  return known;
}

async function newKey(store: Store, now: Date, run: number): Promise<string> {
  const id = newId('acct', now);
  await store.addAccount({ id, name: `kit ${run}`, plan: 'paid', xRules: X_RULES, createdAt: now });
  return (await addKey(store, now, { accountId: id, name: 'k', scope: 'full', expiresAt: undefined })).secret;
}

/** A store that a server loses in the middle of a call. After that, nothing that the dead server does reaches it. */
function killable(
  store: Store,
  armed: { at: number; calls: number; readonly isMade: boolean; isDead: boolean },
): Store {
  let isCut = false;
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function' || typeof name === 'symbol') return method;
      return (...args: unknown[]) => {
        if (isCut) return Promise.reject(new Killed());
        if (++armed.calls !== armed.at) return method.apply(target, args) as unknown;
        isCut = true;
        armed.isDead = true;
        const made = armed.isMade ? Promise.resolve(method.apply(target, args)) : Promise.resolve();
        return made.then(() => Promise.reject(new Killed()));
      };
    },
  });
}

export interface KillsOptions {
  readonly runs: number;
  readonly seed: number;
  report?(line: string): void;
}

export interface KillsResult {
  readonly runs: number;
  readonly kills: number;
  readonly lost: number;
  readonly twice: number;
  readonly idle: number;
  readonly open: number;
  readonly tokens: number;
}

/** Every shape in every state, again and again: the agent is killed at one step after the other, the server anywhere. */
export async function wakesUnderKills({ runs, seed, report = () => {} }: KillsOptions): Promise<KillsResult> {
  const random = randomFrom(seed);
  const sum = { runs: 0, kills: 0, lost: 0, twice: 0, idle: 0, open: 0, tokens: 0 };
  const cases = (Object.keys(SHAPES) as ShapeName[]).flatMap((shape) => STATES.map((state) => ({ shape, state })));
  const undisturbed = new Map<string, RunResult>();
  let world = await openKillWorld();
  try {
    for (let number = 0; number < runs; number++) {
      const { shape, state } = cases[number % cases.length]!;
      const round = Math.floor(number / cases.length);
      const usual = undisturbed.get(`${shape} ${state}`);
      const kill = usual === undefined ? NO_KILL : killOf(round, usual, random);
      const result = await world.run(shape, state, kill);
      if (usual === undefined) undisturbed.set(`${shape} ${state}`, result);
      sum.runs++;
      sum.kills += result.isKilled ? 1 : 0;
      sum.tokens = Math.max(sum.tokens, result.tokens);
      for (const name of ['lost', 'twice', 'idle', 'open'] as const) sum[name] += result[name];
      if (result.lost + result.twice + result.idle + result.open > 0)
        report(`${shape}, ${state}: ${JSON.stringify({ kill, ...result })}`);
      if (number % 240 === 239) {
        report(JSON.stringify(sum));
        await world[Symbol.asyncDispose]();
        world = await openKillWorld();
      }
    }
    return sum;
  } finally {
    await world[Symbol.asyncDispose]();
  }
}

const NO_KILL: Kill = { who: 'nobody', at: 0, isMade: false };

function killOf(round: number, { steps, storeCalls }: RunResult, random: () => number): Kill {
  const isMade = random() < 0.5;
  if (round % 2 === 1) return { who: 'agent', at: 1 + (((round - 1) / 2) % Math.max(1, steps)), isMade };
  return { who: 'server', at: 1 + Math.floor(random() * storeCalls), isMade };
}

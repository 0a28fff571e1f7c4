/**
 * The kit tests on a server whose time it moves, with an agent in a process of its own and a file in which turns are
 * noted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../../../packages/client/src/index.ts';
import { loadConfig } from '../../app/config.ts';
import { type Running, start } from '../../app/start.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { CliError } from '../output.ts';

export interface AgentCommand {
  readonly command: readonly string[];
  /** The command is run once for each wake. */
  readonly headless: boolean;
}

export interface Turn {
  readonly id: string;
  readonly matches: number;
  readonly characters: number;
}

export interface Stage extends AsyncDisposable {
  readonly clock: MovedClock;
  turns(): Turn[];
  push(): Promise<void>;
  until(isSo: () => boolean): Promise<void>;
  startAgent(): void;
  killAgent(): Promise<void>;
  restartServer(ahead: number): Promise<void>;
}

const SETTINGS = {
  SLUICE_DEMO: 'off',
  SLUICE_STOP_GRACE: '0',
  SLUICE_COMPUTE_THREADS: '0',
  SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
  // The usual hours and days, with short first steps: an agent that was just killed is back within seconds.
  SLUICE_WEBHOOK_RETRIES: '0.5,0.5,1,1,2,2,5,60,600,3600,7200',
};

/** Notes the turn, then hands the wake on. */
const NOTING = `cat > "$0.$SLUICE_WAKE_ID"
echo "$SLUICE_WAKE_ID" >> "$0"
"$@" < "$0.$SLUICE_WAKE_ID"`;

const AGENT = 'kit';
const RULE = { name: 'Kit', intent: '', platforms: ['firehose' as const], overrides: { firehose: 'title:sluicekit' } };
/** An agent's output is for people: our own output may be JSON. */
const STDERR = 2;
/** Real time: how long a wake may take, and how often the kit looks. */
const PATIENCE_MS = 60_000;
const GLANCE_MS = 100;

export async function openStage({ command, headless }: AgentCommand): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-wakes-'));
  const file = join(folder, 'turns');
  const clock = movedClock();
  const server = await openServer(join(folder, 'data'), clock);
  const { client } = server;
  const { rule_id } = await client.rules.create(RULE);
  if (headless) await client.webhooks.create({ url: `wake:${AGENT}`, format: 'wake' });
  const run = headless ? headlessCommand(folder, file, command) : command;
  const agent = agentOf(run, { ...server.env, SLUICE_RULE_ID: rule_id, SLUICE_KIT_TURNS: file });
  let pushed = 0;
  const stage: Stage = {
    clock,
    turns: () => turnsIn(file, headless),
    async push() {
      const id = `${++pushed}`;
      const event = { id, url: `https://kit${id}.example/`, title: `sluicekit ${randomBytes(8).toString('hex')}` };
      await client.events.push({ platform: 'firehose', lines: JSON.stringify(event) });
    },
    async until(isSo) {
      for (let waited = 0; !isSo() && waited < PATIENCE_MS; waited += GLANCE_MS) {
        agent.check();
        await systemClock.sleep(GLANCE_MS);
      }
    },
    startAgent: agent.start,
    killAgent: agent.kill,
    restartServer: server.restart,
    async [Symbol.asyncDispose]() {
      await agent.kill();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  agent.start();
  // An agent makes the file when it can be woken.
  if (!headless) await stage.until(() => existsSync(file));
  return stage;
}

async function openServer(folder: string, clock: MovedClock) {
  const key = `sk_${randomBytes(24).toString('hex')}`;
  const log = { info() {}, warn() {}, error() {} };
  const begin = async (port: string): Promise<Running> => {
    const env = { ...SETTINGS, SLUICE_DATA_DIR: folder, SLUICE_API_KEY: key, SLUICE_PORT: port };
    const running = await start(loadConfig(env), { log, clock });
    await running.loaded;
    return running;
  };
  let server = await begin('0');
  const { url } = server;
  const client: Client = createClient({ url, key });
  return {
    client,
    env: { SLUICE_URL: url, SLUICE_API_KEY: key },
    async restart(ahead: number): Promise<void> {
      await server.stop();
      clock.forward(ahead);
      server = await begin(url.slice(url.lastIndexOf(':') + 1));
    },
    stop: () => server.stop(),
  };
}

function agentOf([program, ...args]: readonly string[], env: Readonly<Record<string, string>>) {
  let agent: ChildProcess | undefined;
  return {
    start(): void {
      agent = spawn(program!, args, { stdio: ['ignore', STDERR, STDERR], env: { ...process.env, ...env } });
      agent.once('error', () => {});
    },
    check(): void {
      if (agent !== undefined && agent.exitCode !== null)
        throw new CliError(`The agent ended by itself, with ${agent.exitCode}.`);
    },
    async kill(): Promise<void> {
      const ending = agent;
      agent = undefined;
      if (ending?.pid === undefined || ending.exitCode !== null) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGKILL');
      await ended;
    },
  };
}

function headlessCommand(folder: string, file: string, command: readonly string[]): string[] {
  const run = ['wakes', 'run', '--agent', AGENT, '--state', join(folder, 'runs')];
  return [process.execPath, process.argv[1]!, ...run, '--', '/bin/sh', '-c', NOTING, file, ...command];
}

type MovedClock = Clock & { forward(milliseconds: number): void };

/** Time that goes on by itself, and is moved. */
function movedClock(): MovedClock {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => new Date(systemClock.now().getTime() + ahead),
    forward(milliseconds) {
      ahead += milliseconds;
    },
  };
}

function turnsIn(file: string, headless: boolean): Turn[] {
  const lines = textOf(file).split('\n').slice(0, -1);
  if (!headless)
    return lines.map((line) => {
      const [id = '', matches, characters] = line.split(' ');
      return { id, matches: Number(matches), characters: Number(characters) };
    });
  return lines.map((id) => {
    const text = textOf(`${file}.${id}`).trim();
    const { matches = 0 } = JSON.parse(text) as { readonly matches?: number };
    return { id, matches, characters: text.length };
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

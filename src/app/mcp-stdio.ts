/**
 * The tool server over standard input and output: relayed to a server that runs elsewhere, or embedded, with a service
 * of its own and its data in the user's own data folder. The log goes to standard error.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { makeFolder, replaceFile } from '../base/durable-file.ts';
import { pathsOf, type System, stopSignals } from '../base/system.ts';
import { DEFAULT_ACCOUNT } from '../domain/account.ts';
import { llmsText } from '../http/llms.ts';
import type { ChannelNote, ChannelOptions } from '../mcp/channel.ts';
import { relay } from '../mcp/relay.ts';
import { serveAgentStdio } from '../mcp/stdio.ts';
import type { Caller } from '../service/access/caller.ts';
import { addKey } from '../service/access/keys.ts';
import { noMetrics } from '../service/telemetry.ts';
import type { Store } from '../store/store.ts';
import { type Env, loadConfig } from './config.ts';
import { openCore, startCore } from './core.ts';
import { createLog } from './log.ts';
import { fileOf } from './open-store.ts';
import { openTracing } from './tracing/open-tracing.ts';

/** Matches are pushed into the session, of one rule or of all. */
export interface WantedChannel {
  readonly rule?: string | undefined;
}

const complain = (message: string): void => console.error(message);

/** Resolves when the program at the other end has gone. */
export const relayAgents = (server: { url: string; key: string }, env: Env, channel?: WantedChannel): Promise<void> =>
  relay({
    ...server,
    input: process.stdin,
    output: process.stdout,
    fetch,
    complain,
    channel: channel && channelOptions(userDataFolder(env), server.url, channel),
  });

const channelOptions = (folder: string, server: string, { rule }: WantedChannel): ChannelOptions => ({
  rule,
  notes: channelNotes(folder, server, rule),
  clock: systemClock,
  complain,
});

export interface EmbedOptions {
  readonly readOnly: boolean;
  readonly terminal: boolean;
  readonly channel?: WantedChannel | undefined;
}

export async function embedAgents(env: Env, options: EmbedOptions): Promise<void> {
  const given = loadConfig({ ...env, SLUICE_DATA_DIR: env['SLUICE_DATA_DIR'] || userDataFolder(env) });
  // Beside the processes of a shared store we answer our own agent, and leave their work to them.
  const config = fileOf(given) === undefined ? { ...given, roles: [] } : given;
  const log = createLog({ level: config.logLevel, terminal: options.terminal });
  await using parts = new AsyncDisposableStack();
  const tracing = await openTracing(config.traces, { log, clock: systemClock });
  if (tracing !== undefined) parts.use(tracing);
  const around = { log, clock: systemClock, metrics: noMetrics, tracer: tracing?.tracer };
  const core = await openCore(parts, config, around);
  const loaded = startCore(parts, core, around);
  const owner = await ownCaller(core.store);
  const caller: Caller = options.readOnly ? { ...owner, key: { ...owner.key, scope: 'read' } } : owner;
  const gone = inputEnd();
  const { context } = core.service;
  const channel = options.channel && { ...channelOptions(config.dataDir, 'embedded', options.channel), owner };
  parts.use(serveAgentStdio({ context, llmsText: () => llmsText(config.serverUrl) }, caller, channel));
  await Promise.race([loaded.then(() => gone), gone]);
}

const OWN_KEY = { name: 'sluice mcp', scope: 'full', expiresAt: undefined } as const;

/** Whoever started us is the operator: the program that may read our data needs no key for it. */
async function ownCaller(store: Store): Promise<Caller> {
  const account = (await store.account(DEFAULT_ACCOUNT))!;
  const known = (await store.keys(account.id)).find(({ scope }) => scope === 'full');
  const key = known ?? (await addKey(store, systemClock.now(), { ...OWN_KEY, accountId: account.id })).key;
  return { account, key };
}

/** The folder in which programs of this user keep their data. */
export function userDataFolder(env: Env, system: System = process.platform): string {
  const paths = pathsOf(system);
  const home = env['HOME'] || homedir();
  if (env['XDG_DATA_HOME']) return paths.join(env['XDG_DATA_HOME'], 'sluice');
  if (system === 'darwin') return paths.join(home, 'Library', 'Application Support', 'sluice');
  if (system === 'win32') return paths.join(env['LOCALAPPDATA'] || paths.join(home, 'AppData', 'Local'), 'sluice');
  return paths.join(home, '.local', 'share', 'sluice');
}

function inputEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close'] as const) process.stdin.once(event, resolve);
    for (const signal of stopSignals(process.platform)) process.once(signal, () => resolve());
  });
}

/** A file of two lines: the name of the channel, which is made up once, and the last wake that was read. */
function channelNotes(folder: string, server: string, rule = ''): ChannelOptions['notes'] {
  const name = createHash('sha256').update(`${server}\n${rule}`).digest('hex').slice(0, 16);
  const file = join(folder, `channel-${name}.note`);
  return {
    async read(): Promise<ChannelNote> {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      const [agent, read] = text.split('\n');
      return { agent: agent || `channel-${randomBytes(8).toString('hex')}`, read: read || undefined };
    },
    async write({ agent, read = '' }) {
      makeFolder(folder);
      replaceFile(file, `${agent}\n${read}\n`);
    },
  };
}

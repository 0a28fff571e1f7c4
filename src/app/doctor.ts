/** `sluice doctor`: looks at everything that a server needs, and says what to do about what is wrong. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import path, { dirname, type PlatformPath, resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { hasFileModes } from '../base/system.ts';
import { PLATFORMS } from '../domain/platform.ts';
import { type Config, ConfigError, type Env, loadConfig } from './config.ts';
import { openBroker } from './open-broker.ts';
import { fileOf, openStore, restoreAdvice, storeName } from './open-store.ts';
import { permissionNote } from './private-folder.ts';
import { platformsOf } from './upstreams.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** It tells the operator what to do. */
  readonly advice?: string;
}

const LOW_SPACE = 1024 ** 3;
const NO_SPACE = 64 * 1024 ** 2;
/** A server that differs by more has a clock of its own, and so have the times of its matches. */
const CLOCK_TOLERANCE_MS = 5_000;

export async function examine(env: Env): Promise<Finding[]> {
  const config = readConfig(env);
  if ('state' in config) return [config];
  const server = await askServer(config);
  return [
    { check: 'configuration', state: 'ok', message: 'Every setting can be read.' },
    checkFolder(config),
    await checkStore(config),
    checkDisk(config),
    checkServer(config, server),
    checkClock(server),
    ...(await checkBroker(config)),
    ...(await checkUpstreams(config)),
  ];
}

function readConfig(env: Env): Config | Finding {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { check: 'configuration', state: 'failed', message: error.message, advice: 'See docs/configuration.md.' };
  }
}

function checkFolder(config: Config): Finding {
  const wanted = dirname(resolve(fileOf(config) ?? `${config.dataDir}/any`));
  const folder = existing(wanted);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (folder === wanted && isOpenToOthers(folder))
      return {
        check: 'folder',
        state: 'warning',
        message: `${folder} can be read by other users of this machine.`,
        advice: `It holds the posts, rules and webhooks of every account: chmod 700 ${folder}`,
      };
    const note = permissionNote(process.platform);
    return { check: 'folder', state: 'ok', message: `${folder} can be written.`, ...(note && { advice: note }) };
  } catch {
    return {
      check: 'folder',
      state: 'failed',
      message: `${folder} cannot be written.`,
      advice: 'Change its owner, or set SLUICE_DATA_DIR.',
    };
  }
}

const isOpenToOthers = (folder: string): boolean =>
  hasFileModes(process.platform) && (statSync(folder).mode & 0o077) !== 0;

async function checkStore(config: Config): Promise<Finding> {
  const file = fileOf(config);
  if (file !== undefined && !existsSync(file))
    return { check: 'store', state: 'ok', message: `${file} will be made at the first start.` };
  try {
    await using store = await openStore(config);
    await store.check();
    return { check: 'store', state: 'ok', message: `${storeName(config)} is sound and can be written.` };
  } catch (error) {
    return {
      check: 'store',
      state: 'failed',
      message: (error as Error).message,
      advice:
        file === undefined
          ? 'Is PostgreSQL running there, and may this user write? SLUICE_STORE_URL names it.'
          : restoreAdvice(config),
    };
  }
}

function checkDisk(config: Config): Finding {
  const { bavail, bsize } = statfsSync(existing(dirname(resolve(fileOf(config) ?? config.dataDir))));
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GiB are free.`;
  if (free >= LOW_SPACE) return { check: 'disk', state: 'ok', message };
  return {
    check: 'disk',
    state: free < NO_SPACE ? 'failed' : 'warning',
    message,
    advice: 'Make room, or lower SLUICE_RETENTION_DAYS.',
  };
}

interface ServerState {
  readonly problem?: string;
  /** The server's clock less ours, in milliseconds. */
  readonly ahead?: number;
  readonly ready: boolean;
}

async function askServer({ serverUrl }: Config): Promise<ServerState> {
  try {
    const answer = await fetch(`${serverUrl}/readyz`, { signal: AbortSignal.timeout(3_000) });
    const date = Date.parse(answer.headers.get('date') ?? '');
    const { message = '' } = (await answer.json()) as { message?: string };
    // The header has whole seconds: on average it is half a second behind.
    return { ready: answer.ok, problem: message, ...(!Number.isNaN(date) && { ahead: date + 500 - Date.now() }) };
  } catch {
    return { ready: false };
  }
}

function checkServer({ serverUrl }: Config, { ready, problem }: ServerState): Finding {
  if (ready) return { check: 'server', state: 'ok', message: `${serverUrl} is ready.` };
  if (problem === undefined)
    return {
      check: 'server',
      state: 'warning',
      message: `Nothing answers at ${serverUrl}.`,
      advice: 'Start it with `sluice serve`, or set SLUICE_URL.',
    };
  return {
    check: 'server',
    state: 'warning',
    message: `${serverUrl} answers, but: ${problem}`,
    advice: 'Its log says more.',
  };
}

function checkClock({ ahead }: ServerState): Finding {
  if (new Date().getFullYear() < 2026)
    return {
      check: 'clock',
      state: 'failed',
      message: `The clock says ${new Date().toISOString()}.`,
      advice: 'Set it, for instance by NTP.',
    };
  if (ahead !== undefined && Math.abs(ahead) > CLOCK_TOLERANCE_MS) {
    return {
      check: 'clock',
      state: 'warning',
      message: `The server’s clock differs by ${Math.round(ahead / 1000)} s.`,
      advice: 'Set both by NTP.',
    };
  }
  return { check: 'clock', state: 'ok', message: `It is ${new Date().toISOString()}.` };
}

/** Connects, and reads the settings of the stream back. */
async function checkBroker(config: Config): Promise<Finding[]> {
  if (config.natsUrl === undefined) return [];
  try {
    await using _ = await openBroker(config, { log: quiet, clock: systemClock, patience: 0 });
    return [{ check: 'broker', state: 'ok', message: 'The broker answers, and its stream has the settings it needs.' }];
  } catch (error) {
    return [
      {
        check: 'broker',
        state: 'failed',
        message: (error as Error).message,
        advice: 'Start nats-server with JetStream, or look at SLUICE_NATS_URL; see docs/scale-out.md.',
      },
    ];
  }
}

const quiet = { info() {}, warn() {}, error() {} };

/** Asks each upstream how many rules it takes: that needs its address, its token, and its word. */
async function checkUpstreams(config: Config): Promise<Finding[]> {
  const names = PLATFORMS.filter((name) => config.upstreams[name] !== undefined);
  if (names.length === 0)
    return [{ check: 'upstreams', state: 'ok', message: 'Both platforms are local: there is no upstream to reach.' }];
  const findings: Finding[] = [];
  for (const name of names) {
    const { baseUrl } = config.upstreams[name]!;
    try {
      const platforms = platformsOf(config, { log: quiet, clock: systemClock, count() {} });
      const { rules, used } = await platforms[name].capacity();
      findings.push({
        check: `upstream ${name}`,
        state: 'ok',
        message: `${baseUrl} answers; ${used} of ${rules ?? 'any number of'} rules are in use.`,
      });
    } catch (error) {
      findings.push({
        check: `upstream ${name}`,
        state: 'failed',
        message: `${baseUrl}: ${(error as Error).message}`,
        advice: 'Look at the token and the address; see docs/upstreams.md.',
      });
    }
  }
  return findings;
}

/** The nearest folder above that is there already. A drive that is not there has none: the answer is its root. */
export function existing(folder: string, paths: PlatformPath = path, isThere = existsSync): string {
  const parent = paths.dirname(folder);
  return isThere(folder) || parent === folder ? folder : existing(parent, paths, isThere);
}

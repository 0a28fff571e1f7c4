/**
 * One server and one Chromium for all visits: starting them takes longer than most visits. Each visitor is an account of its
 * own, which sees nothing of the others. Suites share the server of the whole run, which `shared-server.ts` starts; a Chromium
 * and an open store, from which accounts come, end with their process. Whoever is no suite ends them with `closeVisits`.
 */
import { type Browser, chromium } from 'playwright-core';
import { openAdmin } from '../../src/app/admin.ts';
import { callServer, pushTo, type Started, startServer } from '../black-box/server.ts';
import { programPath } from '../stages/debian.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const findChromium = (debian: string): string | undefined =>
  programPath({
    chosen: process.env['SLUICE_TEST_CHROMIUM'],
    names: [
      'chromium-headless-shell',
      'chromium',
      'chromium-browser',
      'google-chrome-stable',
      'google-chrome',
      'chrome',
    ],
    usual: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    debian,
  });

/**
 * From where SLUICE_TEST_CHROMIUM says or where `debian.ts` finds one. The shell without windows is the same engine and takes
 * a quarter less CPU; older Debians do not have it.
 */
export const chromiumPath: string | undefined = findChromium('chromium-headless-shell') ?? findChromium('chromium');

export type SharedServer = Pick<Started, 'url' | 'dataDir'>;

let shared: SharedServer | undefined;
let browser: Promise<Browser> | undefined;
let server: Promise<Started> | undefined;
let admin: Promise<Awaited<ReturnType<typeof openAdmin>>> | undefined;
let visitors = 0;

/** From now on visitors go to the server of the whole run. */
export function useShared(started: SharedServer): void {
  shared = started;
}

export function openBrowser(): Promise<Browser> {
  browser ??= launchForAll();
  return browser;
}

/** After one that crashed the next visit has a new one. */
async function launchForAll(): Promise<Browser> {
  const launched = await launch();
  launched.once('disconnected', () => {
    browser = undefined;
  });
  return launched;
}

const launch = (ignoreDefaultArgs: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath!,
    headless: true,
    args: FLAGS,
    chromiumSandbox: false,
    ignoreDefaultArgs,
  });

/** One of its own, whose scrollbars take room, which those of a browser that is driven do not. The caller closes it. */
export const openBrowserWithScrollbars = (): Promise<Browser> => launch(['--hide-scrollbars']);

/** A server as a visitor uses it. */
type Visited = Pick<Started, 'url' | 'dataDir' | 'call' | 'push'>;

export interface Visitor {
  readonly key: string;
  /** Asks as this visitor, unless told otherwise. */
  readonly server: Visited;
}

export async function newVisitor(): Promise<Visitor> {
  if (shared === undefined) server ??= startServer();
  const { url, dataDir } = shared ?? (await server!);
  // The thread that writes takes longer to start than all else that a visitor costs here.
  admin ??= openAdmin({ SLUICE_DATA_DIR: dataDir });
  const { addAccount, addKey } = await admin;
  // Other processes bring visitors too.
  const { name } = await addAccount(`visitor-${process.pid}-${++visitors}`, {});
  const { secret: key } = await addKey(name, { name: 'first', scope: 'full', expiresAt: undefined });
  return {
    key,
    server: {
      url,
      dataDir,
      call: (method, path, body, options) => callServer(url, method, path, body, { key, ...options }),
      push: (platform, events, by = key) => pushTo(url, platform, events, by),
    },
  };
}

export async function closeVisits(): Promise<void> {
  await (await browser)?.close();
  await (await admin)?.[Symbol.asyncDispose]();
  await (await server)?.[Symbol.asyncDispose]();
  browser = undefined;
  admin = undefined;
  server = undefined;
}

/**
 * One server and one Chromium for all visits of a suite: starting them takes longer than most visits. Each visitor is an
 * account of its own, which sees nothing of the others. `closeVisits` ends both.
 */
import { type Browser, chromium } from 'playwright-core';
import { openAdmin } from '../../src/app/admin.ts';
import { type Started, startServer } from '../black-box/server.ts';
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

let browser: Promise<Browser> | undefined;
let server: Promise<Started> | undefined;
let visitors = 0;

export function openBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
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

export interface Visitor {
  readonly key: string;
  /** Asks as this visitor, unless told otherwise. */
  readonly server: Started;
}

export async function newVisitor(): Promise<Visitor> {
  server ??= startServer();
  const started = await server;
  await using admin = await openAdmin({ SLUICE_DATA_DIR: started.dataDir });
  const { name } = await admin.addAccount(`visitor-${++visitors}`, {});
  const { secret: key } = await admin.addKey(name, { name: 'first', scope: 'full', expiresAt: undefined });
  return {
    key,
    server: {
      ...started,
      call: (method, path, body, options) => started.call(method, path, body, { key, ...options }),
      push: (platform, events, by = key) => started.push(platform, events, by),
    },
  };
}

export async function closeVisits(): Promise<void> {
  await (await browser)?.close();
  await (await server)?.[Symbol.asyncDispose]();
  browser = undefined;
  server = undefined;
}

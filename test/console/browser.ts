/** A real Chromium for the suites of the console, from where SLUICE_TEST_CHROMIUM says or where `debian.ts` finds one. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { KEY, type Started, startServer } from '../black-box/server.ts';
import { programPath } from '../debian.ts';

const BUILT = resolve(import.meta.dirname, '../../console/dist/index.html');
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const chromiumPath: string | undefined = programPath({
  chosen: process.env['SLUICE_TEST_CHROMIUM'],
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'],
  usual: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  debian: 'chromium',
});

export interface Visit extends AsyncDisposable {
  readonly server: Started;
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page complained about: errors, refused policies, requests to anybody else. Empty when all is well. */
  readonly complaints: readonly string[];
  /** Goes to a place of the console, for instance `/rules`, and waits until it is drawn. */
  go(path: string): Promise<void>;
}

export interface VisitOptions {
  readonly settings?: Record<string, string>;
  /** The server of another visit, which then stays its own. */
  readonly server?: Started;
  readonly signedIn?: boolean;
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: 'light' | 'dark';
}

/** A server of its own, a browser with a fresh profile, and, unless it is not wanted, a session. */
export async function openConsole(options: VisitOptions = {}): Promise<Visit> {
  if (!existsSync(BUILT))
    throw new Error('The console is not built: `npm test` builds it, or `npm run build -w console`.');
  const server = options.server ?? (await startServer(options.settings));
  const profile = mkdtempSync(join(tmpdir(), 'sluice-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath!,
    headless: true,
    args: FLAGS,
    chromiumSandbox: false,
    viewport: options.viewport ?? { width: 1280, height: 800 },
    colorScheme: options.colorScheme ?? 'light',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(60_000);
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints = listen(context, page, server.url);
  const go = async (path: string) => {
    await page.goto(`${server.url}/#${path}`);
    await page.locator('h1').first().waitFor();
  };
  if (options.signedIn !== false) {
    await page.goto(server.url);
    await signIn(page, KEY);
    await page.locator('#content').waitFor();
  }
  return {
    server,
    context,
    page,
    complaints,
    go,
    async [Symbol.asyncDispose]() {
      await context.close();
      if (options.server === undefined) await server[Symbol.asyncDispose]();
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The page may ask its own server and nobody else, run nothing that the policy forbids, and fail nowhere. */
function listen(context: BrowserContext, page: Page, url: string): string[] {
  const complaints: string[] = [];
  context.on('request', (request) => {
    const isOwn = request.url().startsWith(url) || request.url().startsWith('data:') || request.url() === 'about:blank';
    if (!isOwn) complaints.push(`asks another host: ${request.url()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    // A request that fails is logged by the browser itself; whether it may is the test's business.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) complaints.push(`console: ${text}`);
    if (/Content Security Policy|TrustedHTML|Trusted Type/i.test(text)) complaints.push(`policy: ${text}`);
  });
  return complaints;
}

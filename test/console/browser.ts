/** The console in a real Chromium. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { KEY, type Started, startServer } from '../black-box/server.ts';
import { newProfile, type Profile, sharedProfile } from './profile.ts';
import { newVisitor, type Visitor } from './visitors.ts';

const BUILT = resolve(import.meta.dirname, '../../console/dist/index.html');

export interface Visit extends Visitor, AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors, policy violations and requests to other hosts. Empty if all is well. */
  readonly complaints: readonly string[];
  /** Goes to a place of the console, for instance `/rules`, and waits until it is drawn. */
  go(path: string): Promise<void>;
}

export interface VisitOptions {
  /** The settings of a server of its own. */
  readonly settings?: Record<string, string>;
  /** One that is there already, and stays. */
  readonly server?: Started;
  readonly signedIn?: boolean;
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** A phone: a finger, and scrollbars that take no room. */
  readonly isMobile?: boolean;
  /** With a profile that nobody has used and that loads pages ahead, as at the first visit of a user. */
  readonly isFirst?: boolean;
}

/** A fresh account or the server that is wanted, a profile without traces, and, unless it is not wanted, a session. No page is open yet. */
export async function openConsole(options: VisitOptions = {}): Promise<Visit> {
  if (!existsSync(BUILT))
    throw new Error('The console is not built: `npm test` builds it, or `npm run build -w console`.');
  const { server, key, end } = await visitorOf(options);
  const profile = await profileFor(server.url, options);
  const { context, page } = profile;
  const complaints = listen(context, page, server.url);
  const go = async (path: string) => {
    await page.goto(`${server.url}/#${path}`);
    await page.locator('h1').first().waitFor();
  };
  if (options.signedIn !== false) await openSession(context, server.url, key);
  return {
    server,
    key,
    context,
    page,
    complaints,
    go,
    async [Symbol.asyncDispose]() {
      await profile[Symbol.asyncDispose]();
      await end?.();
    },
  };
}

function profileFor(url: string, { server, settings, ...options }: VisitOptions): Promise<Profile> {
  const { viewport = { width: 1280, height: 800 }, colorScheme = 'light', isMobile = false, isFirst = false } = options;
  const looks = { viewport, colorScheme, isMobile, hasTouch: isMobile };
  const isShared = server === undefined && settings === undefined && !isMobile && !isFirst;
  return isShared ? sharedProfile(url, looks) : newProfile(looks, isFirst);
}

async function visitorOf({ server, settings }: VisitOptions): Promise<Visitor & { end?: () => Promise<void> }> {
  if (server !== undefined) return { server, key: KEY };
  if (settings === undefined) return newVisitor();
  const started = await startServer(settings);
  return { server: started, key: KEY, end: async () => started[Symbol.asyncDispose]() };
}

/** Leaves behind what signing in does, without the page for it: that one has tests of its own. */
async function openSession(context: BrowserContext, url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await context.request.post(`${url}/api.CreateSession`, { headers, data: {} });
  if (!answer.ok()) throw new Error(`There is no session: ${await answer.text()}`);
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The page may only call its own server, must not violate the policy, and must not fail. */
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

/**
 * Profiles of the browser, each with its page. A new one loads and compiles the whole console again, which takes longer than
 * most tests: visits of one server share a profile, and what one leaves there is gone before the next.
 */
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './visitors.ts';

export interface Profile extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Loading all other pages ahead takes a third of a visit. That it happens has a test of its own. */
const LOADS_NOTHING_AHEAD = 'window.requestIdleCallback = () => 0';

/** Someone who reads English in Berlin and wants nothing to move. */
const USUAL = { timezoneId: 'Europe/Berlin', locale: 'en-GB', reducedMotion: 'reduce' } as const;

/** One that nobody has used. Unless told otherwise, it loads nothing ahead. */
export async function newProfile(options: BrowserContextOptions = {}, loadsAhead = false): Promise<Profile> {
  const context = await (await openBrowser()).newContext({ ...USUAL, ...options });
  context.setDefaultTimeout(120_000);
  if (!loadsAhead) await context.addInitScript(LOADS_NOTHING_AHEAD);
  return { context, page: await context.newPage(), [Symbol.asyncDispose]: () => context.close() };
}

interface Shared {
  readonly url: string;
  readonly profile: Profile;
}

let idle: Shared | undefined;

/** A page of the console's own address without a script: the process that has compiled the console stays. */
const WAITING = '/healthz';

/** As new to those who look, and yet it has loaded the console of this server already. It is handed on when it is closed. */
export async function sharedProfile(url: string, options: BrowserContextOptions): Promise<Profile> {
  const found = idle;
  idle = undefined;
  const isThere = found?.url === url && found.profile.context.browser()?.isConnected();
  const profile = isThere ? found.profile : await newProfile();
  const { context, page } = profile;
  await page.setViewportSize(options.viewport!);
  await page.emulateMedia({ colorScheme: options.colorScheme!, reducedMotion: 'reduce' });
  return {
    context,
    page,
    async [Symbol.asyncDispose]() {
      try {
        await emptied(profile, url);
        idle = { url, profile };
      } catch {
        // A page that stalls is not handed on.
        await profile[Symbol.asyncDispose]();
      }
    },
  };
}

/** The events that tests listen to. */
const HEARD = ['request', 'response', 'console', 'pageerror', 'dialog'];

async function emptied({ context, page }: Profile, url: string): Promise<void> {
  const others = context.pages().filter((one) => one !== page);
  await Promise.all(others.map((one) => one.close()));
  await context.unrouteAll();
  await page.goto(url + WAITING, { timeout: 30_000 });
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await context.clearCookies();
  await context.clearPermissions();
  for (const heard of [context, page]) for (const event of HEARD) heard.removeAllListeners(event);
}

/** Before the console's suites: one Chromium and one server for all of them, because starting these takes longer than most visits. */
import type { TestProject } from 'vitest/node';
import { startServer } from '../black-box/server.ts';
import { chromiumPath, launchForOthers, type SharedVisits } from './visitors.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where there is no Chromium. */
    visits: SharedVisits | undefined;
  }
}

const parts = new AsyncDisposableStack();

export async function setup(project: TestProject): Promise<void> {
  if (chromiumPath === undefined) return project.provide('visits', undefined);
  const { url, dataDir } = parts.use(await startServer());
  const browser = parts.adopt(await launchForOthers(), (launched) => launched.close());
  project.provide('visits', { browser: browser.wsEndpoint(), url, dataDir });
}

export const teardown = (): Promise<void> => parts.disposeAsync();

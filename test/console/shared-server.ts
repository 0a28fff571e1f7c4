/** Before the console's suites: one server for all of them, because starting one takes longer than most visits. */
import type { TestProject } from 'vitest/node';
import { startServer } from '../black-box/server.ts';
import { chromiumPath, type SharedServer } from './visitors.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** It is undefined where there is no Chromium. */
    server: SharedServer | undefined;
  }
}

const parts = new AsyncDisposableStack();

export async function setup(project: TestProject): Promise<void> {
  if (chromiumPath === undefined) return project.provide('server', undefined);
  const { url, dataDir } = parts.use(await startServer());
  project.provide('server', { url, dataDir });
}

export const teardown = (): Promise<void> => parts.disposeAsync();

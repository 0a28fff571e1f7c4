/**
 * A real nats-server of our own for tests, from where SLUICE_TEST_NATS says or where `debian.ts` finds one, on a free port
 * with its data in a folder that goes again. A suite that needs it is left out where it cannot be had, and says so in its
 * name; with CI=true that is a failure.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { programPath } from './debian.ts';
import { freePort } from './free-port.ts';

const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const natsPath: string | undefined = programPath({
  chosen: process.env['SLUICE_TEST_NATS'],
  names: ['nats-server'],
  debian: 'nats-server',
});

export function describeWithNats(name: string, body: () => void): void {
  if (natsPath === undefined && process.env['CI'] === 'true') {
    it(`has a nats-server for ${name}`, () => {
      expect.fail('There is no nats-server here; SLUICE_TEST_NATS says where one is.');
    });
  }
  describe.runIf(natsPath !== undefined)(`nats: ${name}`, () => {
    body();
  });
}

export interface TestNats extends AsyncDisposable {
  readonly url: string;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, on the same data or, when they are wiped, on none. */
  restart(options?: { wipe: boolean }): Promise<void>;
  /** It stands still, and its connections stay open. */
  freeze(): void;
  thaw(): void;
}

interface NatsOptions {
  readonly jetstream?: boolean;
  /** Further settings, and those of JetStream. */
  readonly more?: string;
  readonly storage?: string;
  readonly path?: string | undefined;
  readonly port?: number;
}

export async function startNats({
  jetstream = true,
  more = '',
  storage = '',
  path = natsPath,
  port: given,
}: NatsOptions = {}): Promise<TestNats> {
  const port = given ?? (await freePort());
  const folder = mkdtempSync(join(MEMORY, 'sluice-nats-'));
  const data = join(folder, 'data');
  const config = join(folder, 'nats.conf');
  const store = jetstream ? `jetstream { store_dir: "${data}"\n${storage} }` : '';
  writeFileSync(config, `listen: "127.0.0.1:${port}"\n${store}\n${more}\n`);
  const run = async (): Promise<ChildProcess> => {
    const child = spawn(path!, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    await ready(child);
    return child;
  };
  let child: ChildProcess | undefined = await run();
  const kill = async () => {
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async restart({ wipe } = { wipe: false }) {
      await kill();
      if (wipe) rmSync(data, { recursive: true, force: true });
      child = await run();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** It says on standard error when it is ready. */
async function ready(child: ChildProcess): Promise<void> {
  let isReady = false;
  for await (const line of createInterface({ input: child.stderr! })) {
    isReady = line.includes('Server is ready');
    if (isReady) break;
  }
  if (!isReady) throw new Error(`nats-server ended with ${child.exitCode}.`);
  // Leaving the loop has paused it, and a server whose words nobody takes stands still.
  child.stderr!.resume();
}

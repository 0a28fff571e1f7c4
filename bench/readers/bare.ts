/** Starts the bare loop on a database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareOrder } from './bare-loop.ts';

export interface Bare extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

export async function startBare(order: BareOrder): Promise<Bare> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const file = join(folder, 'order.json');
  writeFileSync(file, JSON.stringify({ ...order, scratch: join(folder, 'scratch.db') } satisfies BareOrder));
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-loop.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: `http://127.0.0.1:${Number(port.toString())}`,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

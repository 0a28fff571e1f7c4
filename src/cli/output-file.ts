/** A command exports to standard output, or to a file that appears under its name when it is complete. */
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { renameSafely } from '../base/durable-file.ts';

interface Target extends AsyncDisposable {
  /** Waits for a reader that is slower than we are. */
  write(part: string | Uint8Array): Promise<void>;
  complete(): Promise<void>;
}

export async function openTarget(path: string | undefined): Promise<Target> {
  if (path === undefined) return standardOutput;
  const partial = `${path}.partial`;
  const file = await open(partial, 'w');
  let isOpen = true;
  const close = async () => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    async write(part) {
      await file.writeFile(part);
    },
    async complete() {
      await file.sync();
      await close();
      renameSafely(partial, path);
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      await close();
      await rm(partial, { force: true });
    },
  };
}

const standardOutput: Target = {
  async write(part) {
    if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  },
  complete: async () => {},
  async [Symbol.asyncDispose]() {},
};

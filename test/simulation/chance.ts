/** Ids, nonces and secrets that come from the seed while a simulation runs, so that two runs make the same ones. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { randomFrom } from '../../bench/random.ts';

export async function withSeededBytes<T>(seed: number, work: () => Promise<T>): Promise<T> {
  const random = randomFrom(seed ^ 0x5eed);
  const real = crypto.randomBytes;
  const seeded = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
  replace(seeded as typeof real);
  try {
    return await work();
  } finally {
    replace(real);
  }
}

/** Modules that have imported the name see the new function. */
function replace(randomBytes: typeof crypto.randomBytes): void {
  crypto.randomBytes = randomBytes;
  syncBuiltinESMExports();
}

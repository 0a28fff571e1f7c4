/**
 * A stand-in whose asynchronous calls take a turn of the event loop before they do anything, as real ones do. Code that
 * does not wait for a call goes on before it is done, and the test sees that.
 */
import { setImmediate } from 'node:timers/promises';

type Call = (...given: unknown[]) => unknown;

const isAsync = (value: unknown): value is Call =>
  typeof value === 'function' && value.constructor.name === 'AsyncFunction';

export function slow<Parts extends object>(parts: Parts): Parts {
  const slowed = Object.entries(parts).map(([name, part]): [string, unknown] => [
    name,
    isAsync(part) ? (...given: unknown[]) => setImmediate().then(() => part(...given)) : part,
  ]);
  return Object.assign(parts, Object.fromEntries(slowed));
}

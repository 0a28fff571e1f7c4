/** An upstream that does what a test says: it takes every registration, and its stream yields what the test pushes. */
import type { Platform } from '../../src/domain/platform.ts';
import type { HeldRule, LivePlatform, StreamControl, StreamItem } from '../../src/platforms/platform.ts';

export interface ScriptedPlatform extends LivePlatform {
  push(...items: StreamItem[]): void;
  /** A post for these registrations; its cursor is its id. */
  arrive(postId: string, text: string, verdicts: readonly string[]): void;
  /** The id of the registration of a value. */
  idOf(value: string): string;
  readonly values: readonly string[];
  /** The streams that are open. */
  readonly open: number;
  /** The cursor that each stream began at. */
  readonly begins: readonly (string | undefined)[];
  /** The control that the newest stream was given. */
  readonly control: StreamControl;
  /** Ends the newest stream with an error. */
  fail(error: Error): void;
}

export function scriptedPlatform(name: Platform, now: () => Date, slots?: number): ScriptedPlatform {
  const held = new Map<string, HeldRule>();
  const begins: (string | undefined)[] = [];
  let queue: StreamItem[] = [];
  let wake = () => {};
  let failure: Error | undefined;
  let lastId = 0;
  let open = 0;
  let newest: StreamControl | undefined;

  async function* stream(control: StreamControl): AsyncIterable<StreamItem> {
    newest = control;
    open++;
    try {
      await Promise.race([control.rulesHeld(), ended(control.signal)]);
      begins.push(control.committed());
      while (!control.signal.aborted) {
        if (failure !== undefined) {
          const error = failure;
          failure = undefined;
          throw error;
        }
        const item = queue.shift();
        if (item !== undefined) yield item;
        else await Promise.race([new Promise<void>((resolve) => (wake = resolve)), ended(control.signal)]);
      }
    } finally {
      open--;
    }
  }

  function push(...items: StreamItem[]): void {
    queue.push(...items);
    wake();
  }

  return {
    name,
    shape: 'upstream',
    validate: async () => {},
    async register(wanted) {
      return wanted.map(({ value, flags, tag }) => {
        const same = [...held.values()].find((one) => one.value === value);
        const one = same ?? { id: `upstream-${++lastId}`, value, flags, tag };
        held.set(one.id, one);
        return { id: one.id, adopted: same !== undefined };
      });
    },
    async unregister(ids) {
      for (const id of ids) held.delete(id);
    },
    held: async () => [...held.values()],
    capacity: async () => ({ rules: slots, used: held.size, length: 1_024 }),
    stream,
    push,
    arrive(postId, text, verdicts) {
      const payload =
        name === 'x' ? { data: { id: postId, text } } : { id: postId, url: 'https://a.example/', added: text };
      const at = now();
      push({ kind: 'arrival', postId, payload, cursor: postId, verdicts, at, through: at });
    },
    idOf: (value) => [...held.values()].find((one) => one.value === value)!.id,
    get values() {
      return [...held.values()].map(({ value }) => value);
    },
    get open() {
      return open;
    },
    begins,
    get control() {
      return newest!;
    },
    fail(error) {
      failure = error;
      queue = [];
      wake();
    },
  };
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Deletions that can be undone for ten seconds: the server is asked to delete when they are over. Until then the deleted
 * thing is hidden. A page that closes sooner asks at once, and so does whoever signs out. Rules need none of this: the
 * server itself can restore them.
 */
import { toast, UNDO_FOR } from '../ui/toast.tsx';
import { SERVER } from './client.ts';
import { observable, useObservable } from './observable.ts';

const hidden = observable<ReadonlySet<string>>(new Set());

/** Deletions that the server has not answered yet: each asks it at once. */
const pending = new Set<() => Promise<void>>();

/** Asks for all of them now, while this session still may. Fails if one is refused; what was refused is said by then. */
export async function finishDeletions(): Promise<void> {
  await Promise.all([...pending].map((finish) => finish()));
}

export interface Deletion {
  readonly id: string;
  /** Said at once, for instance "Rule “Storms” deleted." */
  readonly words: string;
  /** Said if the server refuses, for instance "The key still works". */
  readonly failed: string;
  /** The operation's path and input, for a page that closes before the ten seconds are over. */
  readonly path: string;
  readonly input: object;
  run(): Promise<unknown>;
}

export function deleteLater({ id, words, failed, path, input, run }: Deletion): void {
  let asked: Promise<void> | undefined;
  // Whoever signs out while the server is being asked waits for the same answer.
  const finish = () => (asked ??= ask());
  hidden.set(new Set([...hidden.get(), id]));
  pending.add(finish);
  const end = () => {
    pending.delete(finish);
    hidden.set(new Set([...hidden.get()].filter((one) => one !== id)));
  };
  const stopWaiting = () => {
    clearTimeout(timer);
    window.removeEventListener('pagehide', onClose);
  };
  async function ask() {
    stopWaiting();
    dropUndo();
    try {
      await run();
    } catch (error) {
      toast(`${failed}: ${(error as Error).message}`, 'bad');
      throw error;
    } finally {
      end();
    }
  }
  const onClose = () => {
    stopWaiting();
    // The answer comes after the page is gone; the request is sent all the same.
    void fetch(SERVER + path, {
      method: 'POST',
      keepalive: true,
      headers: { 'Content-Type': 'application/json', 'X-Sluice-Session': '1' },
      body: JSON.stringify(input),
    });
  };
  const timer = setTimeout(() => void finish().catch(() => {}), UNDO_FOR);
  window.addEventListener('pagehide', onClose);
  const dropUndo = toast(words, 'ok', {
    label: 'Undo',
    run() {
      stopWaiting();
      end();
    },
  });
}

/** The things without those that are being deleted. */
export function useKept<Thing extends { readonly id: string }>(
  things: readonly Thing[] | undefined,
): readonly Thing[] | undefined {
  const gone = useObservable(hidden);
  return gone.size === 0 ? things : things?.filter(({ id }) => !gone.has(id));
}

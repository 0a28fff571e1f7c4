/**
 * Whether the demo feed plays. It plays from the first start, as long as nothing real is set: no source, no upstream. Events
 * that are pushed do not end it; the operator does, and can start it again. What the operator chose is stored.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Cursor, Store } from '../../store/store.ts';
import { ServiceError } from '../errors.ts';

export interface Demo {
  readonly isPlaying: boolean;
  /** The platforms on which it plays: our own ones. None while it does not play. */
  readonly platforms: readonly Platform[];
  /** Stores the choice and follows it. */
  choose(choice: DemoChoice, keep: KeepChoice): Promise<void>;
}

export type DemoChoice = 'start' | 'stop';

/** Stores the choice. */
export type KeepChoice = (cursor: Cursor) => Promise<unknown>;

export interface DemoTerms {
  /** Why it can never play here. */
  readonly impossible: string | undefined;
  /** Whether it plays when the operator has chosen nothing. */
  readonly byDefault: boolean;
  readonly platforms: readonly Platform[];
  /** Called after every change. */
  changed?(): void;
}

/** The choice is kept where sources keep how far they are. */
const CURSOR = 'demo';

export const NO_DEMO: DemoTerms = { impossible: 'This server has no demo feed.', byDefault: false, platforms: [] };

/** The choice that is stored, or undefined. */
export async function chosenDemo(store: Pick<Store, 'cursor'>): Promise<DemoChoice | undefined> {
  const stored = await store.cursor(CURSOR);
  return stored === 'start' || stored === 'stop' ? stored : undefined;
}

export function createDemo(
  { impossible, byDefault, platforms, changed = () => {} }: DemoTerms,
  stored: DemoChoice | undefined,
): Demo {
  let choice = stored;
  const isPlaying = (): boolean => impossible === undefined && (choice === undefined ? byDefault : choice === 'start');
  return {
    get isPlaying() {
      return isPlaying();
    },
    get platforms() {
      return isPlaying() ? platforms : [];
    },
    async choose(next, keep) {
      if (next === 'start' && impossible !== undefined) throw new ServiceError('failed_precondition', impossible);
      await keep({ name: CURSOR, value: next });
      choice = next;
      changed();
    },
  };
}

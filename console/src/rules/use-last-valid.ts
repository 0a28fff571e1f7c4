/** The texts to preview: a text that is not valid just now counts as it was when it last was. */
import { useRef } from 'react';
import type { Platform } from '../data/queries.ts';

export type Texts = Partial<Record<Platform, string>>;

/** A platform that was taken away, or whose text was deleted, is not previewed any more. */
export function lastValid(before: Texts, valid: Texts, written: Texts): Texts {
  const held = Object.entries(before).filter(([platform]) => written[platform as Platform]?.trim());
  return { ...Object.fromEntries(held), ...valid };
}

export function useLastValid(valid: Texts, written: Texts): Texts {
  const kept = useRef<Texts>({});
  kept.current = lastValid(kept.current, valid, written);
  return kept.current;
}

/** Whether a media query matches, for cases that CSS alone cannot handle. */
import { useCallback, useSyncExternalStore } from 'react';

export const MEDIUM = '(min-width: 48rem)';
export const WIDE = '(min-width: 64rem)';
export const ROOMY = '(min-width: 80rem)';
/** A finger, which cannot hover. */
export const TOUCHED = '(pointer: coarse)';

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

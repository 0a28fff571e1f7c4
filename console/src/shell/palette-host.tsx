/** Opens the list of everywhere to go: with Ctrl+K or ⌘K on every page, and with a button. */
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { observable, useObservable } from '../data/observable.ts';
import { cx } from '../ui/classes.ts';
import { Kbd } from '../ui/kbd.tsx';

const Palette = lazy(() => import('../overlays/palette.tsx').then(({ Palette: loaded }) => ({ default: loaded })));

const isOpen = observable(false);
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function PaletteHost() {
  const open = useObservable(isOpen);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      isOpen.set(!isOpen.get());
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  if (!open) return null;
  return (
    <Suspense>
      <Palette onClose={() => isOpen.set(false)} />
    </Suspense>
  );
}

export function PaletteButton({ className }: { className?: string }) {
  return (
    <button
      type="button"
      onClick={() => isOpen.set(true)}
      className={cx(
        'flex h-8 w-full items-center gap-2 rounded-md border bg-surface px-2 text-soft hover:text-ink',
        className,
      )}
    >
      <Search aria-hidden className="size-3.5" />
      Go to …
      <span className="ml-auto flex gap-0.5" aria-hidden>
        <Kbd>{isMac ? '⌘' : 'Ctrl'}</Kbd>
        <Kbd>K</Kbd>
      </span>
    </button>
  );
}

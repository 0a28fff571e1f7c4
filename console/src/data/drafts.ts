/** A draft was typed and not saved. This browser keeps it until it is saved, discarded, or the person signs out. */
import { useCallback, useRef, useState } from 'react';
import { toast } from '../ui/toast.tsx';

const PREFIX = 'sluice-draft ';

/** A text of the browser's storage that is no draft, for instance of an older version, counts as none. */
export function readDraft<Value>(name: string, isValid: (value: unknown) => value is Value): Value | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
    return isValid(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeDraft(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Without storage the draft lasts until the page closes.
  }
}

/** Called when the person signs out, or signs in to another account. */
export function forgetDrafts(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name);
  } catch {
    // Without storage there are none.
  }
}

/** A draft that outlives the page: `undefined` until something was typed, and after it was saved or discarded. */
export function useDraft<Value>(name: string, isValid: (value: unknown) => value is Value) {
  const [draft, setDraft] = useState(() => readDraft(name, isValid));
  const [wasKept] = useState(draft !== undefined);
  const latest = useRef(draft);
  const set = useCallback(
    (value: Value | undefined) => {
      latest.current = value;
      writeDraft(name, value);
      setDraft(value);
    },
    [name],
  );
  /** Forgets a draft that was saved, unless more was typed since it was sent. */
  const forget = (sent: Value | undefined) => latest.current === sent && set(undefined);
  const discard = () => {
    set(undefined);
    toast('Your changes are discarded.', 'ok', { label: 'Undo', run: () => set(draft) });
  };
  return { draft, set, forget, discard, wasKept };
}

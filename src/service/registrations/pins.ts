/** Texts that a request is about to need, although no stored rule does yet. A pinned text is not removed. */
import { type RuleText, textKey } from '../../rules/rule-text.ts';

export interface Pins {
  pin(text: RuleText): void;
  /** True when this was the last pin of the text, and its removal was put off meanwhile: it is due now. */
  unpin(text: RuleText): boolean;
  /** Whether the removal of the text must wait, which is remembered until the last pin is gone. */
  putsOff(text: RuleText): boolean;
}

interface Pinned {
  count: number;
  isRemovalDue: boolean;
}

export function createPins(): Pins {
  const pinned = new Map<string, Pinned>();
  return {
    pin(text) {
      const key = textKey(text);
      const one = pinned.get(key) ?? { count: 0, isRemovalDue: false };
      one.count++;
      pinned.set(key, one);
    },
    unpin(text) {
      const key = textKey(text);
      const one = pinned.get(key);
      if (one === undefined || --one.count > 0) return false;
      pinned.delete(key);
      return one.isRemovalDue;
    },
    putsOff(text) {
      const one = pinned.get(textKey(text));
      if (one !== undefined) one.isRemovalDue = true;
      return one !== undefined;
    },
  };
}

/** Texts that somebody is about to need, although no stored rule does yet: they are not taken away meanwhile. */
import { type RuleText, textKey } from '../rule-text.ts';

export interface Pins {
  claim(text: RuleText): void;
  /** A text is free again when as many have settled as have claimed it. */
  settle(text: RuleText): void;
  has(text: RuleText): boolean;
}

export function createPins(): Pins {
  const counts = new Map<string, number>();
  const countOf = (text: RuleText): number => counts.get(textKey(text)) ?? 0;
  return {
    claim: (text) => void counts.set(textKey(text), countOf(text) + 1),
    settle(text) {
      const left = countOf(text) - 1;
      if (left > 0) counts.set(textKey(text), left);
      else counts.delete(textKey(text));
    },
    has: (text) => countOf(text) > 0,
  };
}

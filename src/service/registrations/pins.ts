/** Texts that somebody is about to need, although no stored rule does yet: they are not taken away meanwhile. */
import { keyOf, type RuleText } from '../rule-text.ts';

export interface Claims {
  claim(text: RuleText): void;
  /** A text is free again when as many have settled as have claimed it. */
  settle(text: RuleText): void;
  has(text: RuleText): boolean;
}

export function createClaims(): Claims {
  const counts = new Map<string, number>();
  const countOf = (text: RuleText): number => counts.get(keyOf(text)) ?? 0;
  return {
    claim: (text) => void counts.set(keyOf(text), countOf(text) + 1),
    settle(text) {
      const left = countOf(text) - 1;
      if (left > 0) counts.set(keyOf(text), left);
      else counts.delete(keyOf(text));
    },
    has: (text) => countOf(text) > 0,
  };
}

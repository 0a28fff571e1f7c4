/**
 * Rule texts that no event can ever match, and why. The analysis of rules decides, once for a text: lists show it for every rule,
 * and to analyse a text takes longer than to list it.
 */
import { createLru } from '../../base/lru.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Language } from '../../rules/language.ts';

export interface DeadTexts {
  /** Why no event can match the text; undefined where one may. */
  whyDead(platform: Platform, value: string): string | undefined;
  /**
   * Like `whyDead`, for a long list: it analyses so many characters and no more, and says nothing of the other texts until
   * they are asked for again.
   */
  forList(): DeadTexts['whyDead'];
}

/** Characters of the texts whose verdict is kept: those of some 50,000 rules. */
const CHARACTERS_KEPT = 4 * 1024 * 1024;
/** Characters that one list analyses: those of 1,000 usual texts, some tenths of a second in all. */
export const ANALYSED_BY_LIST = 64 * 1024;
/** To analyse a text takes as long as so many characters, however short it is. */
export const EACH_TEXT = 32;

interface Verdict {
  readonly why: string | undefined;
  readonly length: number;
}

export function createDeadTexts(languages: Readonly<Record<Platform, Language>>): DeadTexts {
  const verdicts = createLru<string, Verdict>({ limit: CHARACTERS_KEPT, weightOf: ({ length }) => length });
  const keyOf = (platform: Platform, value: string): string => `${platform} ${value}`;
  const whyDead = (platform: Platform, value: string): string | undefined => {
    const key = keyOf(platform, value);
    const kept = verdicts.get(key);
    if (kept !== undefined) return kept.why;
    const { diagnostics } = languages[platform].parse(value, { left: 0, warnings: false });
    const why = diagnostics.find(({ code }) => code === 'never-matches')?.message;
    verdicts.set(key, { why, length: key.length });
    return why;
  };
  return {
    whyDead,
    forList() {
      let left = ANALYSED_BY_LIST;
      return (platform, value) => {
        if (verdicts.get(keyOf(platform, value)) === undefined) {
          const cost = value.length + EACH_TEXT;
          if (cost > left) return undefined;
          left -= cost;
        }
        return whyDead(platform, value);
      };
    },
  };
}

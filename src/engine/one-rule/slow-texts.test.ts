import { describe, expect, it } from 'vitest';
import { hardRules, textEvent } from '../../../test/generated/hard-matching.ts';
import { holdsInParts } from './holds.ts';
import { ViewLookup } from './view-lookup.ts';

describe('texts and rules made to be slow', () => {
  const texts = {
    'one word': 'a '.repeat(4_096),
    'two words by turns': 'a b '.repeat(2_048),
    'one long word': 'a'.repeat(8_192),
  };

  it.each(hardRules())('take few steps for each word: $name', ({ query }) => {
    for (const text of Object.values(texts)) {
      const view = textEvent(text);
      let steps = 0;
      for (const step of holdsInParts(query, new ViewLookup(view, 0))) steps += step;
      expect(steps).toBeLessThanOrEqual(32 * view.words.count + 2_048);
    }
  });
});

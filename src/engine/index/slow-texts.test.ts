import { describe, expect, it, vi } from 'vitest';
import { hardRules, textEvent } from '../../../test/generated/hard-matching.ts';
import { createEngine } from './engine.ts';
import { Presence } from './presence.ts';

describe('texts and rules made to be slow', () => {
  const texts = {
    'one word': 'a '.repeat(4_096),
    'two words by turns': 'a b '.repeat(2_048),
    'one long word': 'a'.repeat(8_192),
  };

  it.each(hardRules())('take few steps for each word: $name', ({ query }) => {
    const engine = createEngine();
    engine.put('hard', query);
    const next = vi.spyOn(Presence.prototype, 'nextWord');
    for (const text of Object.values(texts)) {
      next.mockClear();
      const view = textEvent(text);
      engine.match(view);
      expect(next.mock.calls.length).toBeLessThanOrEqual(32 * view.words.count + 2_048);
    }
    next.mockRestore();
  });
});

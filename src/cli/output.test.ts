import { expect, it } from 'vitest';
import { harmless } from './output.ts';

it('text from elsewhere moves nothing in a terminal and hides nothing', () => {
  expect(harmless('a\u202eb\u200bc\u001bd\ufeffe\u{e0041}f')).toMatch(/^a b c d e +f$/);
  expect(harmless('👩\u200d💻 می\u200cخواهم')).toBe('👩\u200d💻 می\u200cخواهم');
});

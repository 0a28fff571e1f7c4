import { expect, it } from 'vitest';
import { unmark } from '../../test/stages/corpus.ts';
import { underline } from './output.ts';

it.each([
  ['lava «AND» magma', 'lava AND magma', '     ^^^'],
  ['Pizza OR 🍕 «sample:200»', 'Pizza OR 🍕 sample:200', '            ^^^^^^^^^^'],
  ['火山 «AND» x', '火山 AND x', '     ^^^'],
  ['lava OR«»', 'lava OR', '       ^'],
  ['a\n«b» c\nd', 'b c', '^'],
  ['a\t«b»', 'a·b', '  ^'],
])('%j has its carets under the span', (marked, line, carets) => {
  const { text, spans } = unmark(marked);
  expect(underline(text, spans[0]!)).toEqual([line, carets]);
});

it('shows a part of a very long line', () => {
  const { text, spans } = unmark(`${'word '.repeat(200)}«here»${' word'.repeat(200)}`);
  const [line, carets] = underline(text, spans[0]!);
  expect(line).toMatch(/^….*here.*…$/);
  expect(line.length).toBeLessThan(140);
  expect(line.slice(carets.indexOf('^'), carets.indexOf('^') + 4)).toBe('here');
});

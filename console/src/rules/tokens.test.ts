import { describe, expect, it } from 'vitest';
import { tokensOf } from './tokens.ts';

/** Each token as `kind:text`. */
const shown = (platform: 'x' | 'firehose', text: string): string[] =>
  tokensOf(platform, text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);

describe('tokens for colouring', () => {
  it('tell the parts of an x rule', () => {
    expect(shown('x', '(lava OR "red hot") from:nasa bio:"a b" -#tag')).toEqual([
      'bracket (',
      'logic OR',
      'phrase "red hot"',
      'bracket )',
      'operator from:',
      'value nasa',
      'operator bio:',
      'phrase "a b"',
      'logic -',
      'tag #tag',
    ]);
  });

  it('tell the parts of a firehose rule', () => {
    expect(shown('firehose', 'title:lava AND NOT "red hot"~2 dr:[1 TO 5] vol*')).toEqual([
      'operator title:',
      'logic AND',
      'logic NOT',
      'phrase "red hot"',
      'number ~2',
      'operator dr:',
      'bracket [',
      'number 1',
      'logic TO',
      'number 5',
      'bracket ]',
      'tag vol*',
    ]);
  });

  it.each(['"', '(', 'from:', 'a:[', '/x', '\\', '^', 'x:{1 TO', '“a', '🌋'])(
    'come in order and inside the text, whatever it is: %s',
    (text) => {
      for (const platform of ['x', 'firehose'] as const) {
        let at = 0;
        for (const { start, end } of tokensOf(platform, text)) {
          expect([start >= at, end >= start, end <= text.length]).toEqual([true, true, true]);
          at = end;
        }
      }
    },
  );
});

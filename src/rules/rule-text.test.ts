import { describe, expect, it } from 'vitest';
import { languages } from '../rules/languages.ts';
import { given, queryOf, textKey, textsOfRequest } from './rule-text.ts';

describe('a rule text', () => {
  it('is trimmed, has the flags of firehose alone, and is left out where there is none', () => {
    const options = { firehose: { quality: true, nsfw: undefined } };
    expect(textsOfRequest({ x: ' storm ', firehose: 'rain' }, options)).toEqual({
      x: { value: 'storm', flags: {} },
      firehose: { value: 'rain', flags: { quality: true } },
    });
    expect(textsOfRequest({ x: undefined, other: 'y' } as never, undefined)).toEqual({});
    expect([given(), given({ nsfw: false })]).toEqual([{}, { nsfw: false }]);
  });

  it('is another one with other flags', () => {
    const keys = [{}, { quality: true }, { nsfw: true }, { quality: false }].map((flags) =>
      textKey({ value: 'v', flags }),
    );
    expect(new Set(keys).size).toBe(4);
  });

  it('asks for its flags on firehose, and cannot be read when it is wrong', () => {
    const { x, firehose } = languages({ local: true });
    const plain = queryOf(firehose, { value: 'storm', flags: {} });
    expect(queryOf(firehose, { value: 'storm', flags: { quality: true } })).not.toEqual(plain);
    expect(queryOf(x, { value: 'storm', flags: { quality: true } })).toEqual(queryOf(x, { value: 'storm', flags: {} }));
    expect(queryOf(x, { value: '(', flags: {} })).toBeUndefined();
  });
});

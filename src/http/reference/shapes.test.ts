import { describe, expect, it } from 'vitest';
import { fieldOf, fieldsOf, plain, type Schema, shapeName, typeOf } from './shapes.ts';

describe('the type of a value', () => {
  it.each<[Schema, string]>([
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [
      {
        anyOf: [
          { type: 'string', format: 'uri' },
          { type: 'string', format: 'uri' },
        ],
      },
      'string (uri)',
    ],
    [{ const: false, type: 'boolean' }, '<code>false</code>'],
    [{ const: 0 }, '<code>0</code>'],
    [{ type: 'string' }, 'string'],
    [{ type: 'object', additionalProperties: true }, 'object'],
    [{ type: 'object', properties: {}, additionalProperties: { type: 'string' } }, 'object'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Rule' } }, 'array of <a href="#shape-Rule">Rule</a>'],
    [{ type: 'string', format: '<b>' }, 'string (&lt;b&gt;)'],
  ])('%j is told in words', (schema, words) => expect(typeOf(schema)).toBe(words));

  it('that has a name is known by the last part of its address', () => {
    expect(shapeName('#/components/schemas/Match')).toBe('Match');
    expect(shapeName('Match')).toBe('Match');
  });
});

describe('the limits of a value', () => {
  const widest = Number.MAX_SAFE_INTEGER;
  const limitsOf = (schema: Schema) => /<span class="limits">(.*?)<\/span>/.exec(fieldOf('a', schema, false))?.[1];

  it.each<[Schema, string | undefined]>([
    [{ minimum: 1, maximum: 2_000 }, '1 to 2,000'],
    [{ minimum: 0 }, 'at least 0'],
    [{ minimum: 0, maximum: 9 }, '0 to 9'],
    [{ maximum: 0 }, 'at most 0'],
    [{ minimum: 1, maximum: widest }, 'at least 1'],
    [{ minimum: -widest, maximum: 5 }, 'at most 5'],
    [{ minimum: -widest, maximum: widest }, undefined],
    [{ minLength: 0, maxLength: 80 }, 'at most 80 characters'],
    [{ minLength: 1, maxLength: 80 }, '1 to 80 characters'],
    [{ minLength: 1 }, 'at least 1 characters'],
    [{ minItems: 0, maxItems: 3 }, 'at most 3 entries'],
    [{ minItems: 2, maxItems: 3 }, '2 to 3 entries'],
    [{ minItems: 0, minLength: 0 }, undefined],
    [{ pattern: '^<a>$' }, 'matches <code>^&lt;a&gt;$</code>'],
    [{ default: false }, 'default <code>false</code>'],
    [{ maximum: 7, pattern: 'a', default: 0 }, 'at most 7, matches <code>a</code>, default <code>0</code>'],
    [{}, undefined],
  ])('of %j', (schema, words) => expect(limitsOf(schema)).toBe(words));
});

describe('the fields of a shape', () => {
  const one = { properties: { id: { type: 'string' } } };
  const list = '<ul class="fields"><li><code>id</code> <span class="type">string</span></li></ul>';

  it.each<[string, Schema, string]>([
    ['an object', one, list],
    ['an array of objects', { type: 'array', items: one }, list],
    ['any names', { type: 'object', additionalProperties: one }, list],
    ['a choice', { anyOf: [one, { type: 'null' }, one] }, list + list],
    ['text', { type: 'string' }, ''],
    ['an object without fields', { properties: {} }, ''],
    ['an open object', { type: 'object', additionalProperties: true }, ''],
  ])('%s', (_, schema, html) => expect(fieldsOf(schema)).toBe(html));

  it('have what is said of them, what is required of them, and their own fields', () => {
    const schema = { properties: { rule: { description: 'The `rule`.', ...one } }, required: ['other', 'rule'] };
    expect(fieldsOf(schema)).toBe(
      `<ul class="fields"><li><code>rule</code> <span class="type">any value</span> <span class="need">required</span><p>The <code>rule</code>.</p>${list}</li></ul>`,
    );
    expect(fieldsOf({ ...schema, required: ['other'] })).not.toContain('required');
  });
});

it('text cannot leave an element or an attribute', () => {
  expect(plain('<a href="x">&</a>')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;');
});

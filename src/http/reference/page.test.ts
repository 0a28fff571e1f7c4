import { expect, it } from 'vitest';
import { operations } from '../../service/operations/operations.ts';
import { openApi } from '../openapi.ts';
import { type ApiDocument, referencePage } from './page.ts';
import { fieldsOf, prose, typeOf } from './shapes.ts';

const document = openApi('1') as unknown as ApiDocument;
const page = referencePage(document);
const anchors = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!));

it('has every operation at an address of its own', () => {
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  expect(ids).toEqual(expect.arrayContaining(Object.keys(operations)));
  expect(ids.filter((id) => !anchors.has(id))).toEqual([]);
});

it('has no anchor twice and no link that leads nowhere', () => {
  expect([...page.matchAll(/\sid="/g)]).toHaveLength(anchors.size);
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);
  expect(links.filter((id) => !anchors.has(id))).toEqual([]);
});

it('shows every field of every shape and every example', () => {
  const fields = Object.values(document.components.schemas).flatMap(({ properties = {} }) => Object.keys(properties));
  expect(fields.filter((name) => !page.includes(`<code>${name}</code>`))).toEqual([]);
  const examples = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ requestBody, responses }) => [
      requestBody?.content,
      ...Object.values(responses).map((one) => one.content),
    ])
    .flatMap((contents = {}) => Object.values(contents).filter(({ example }) => example !== undefined));
  const errors = Object.values(document.components.responses).flatMap(({ content = {} }) =>
    Object.values(content).flatMap(({ examples: named = {} }) => Object.keys(named)),
  );
  expect(examples.length).toBeGreaterThan(50);
  expect([...page.matchAll(/<pre /g)]).toHaveLength(examples.length + errors.length);
});

it.each([
  [{ type: 'string', enum: ['x', 'firehose'] }, '<code>"x"</code> | <code>"firehose"</code>'.replaceAll('"', '&quot;')],
  [{ type: ['string', 'null'], format: 'date-time' }, 'string or null (date-time)'],
  [{ anyOf: [{ $ref: '#/components/schemas/Rule' }, { type: 'null' }] }, '<a href="#shape-Rule">Rule</a> or null'],
  [{ type: 'array', items: { type: 'integer' } }, 'array of integer'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'object with any names, each number'],
  [{}, 'any value'],
])('says the type of %j in words', (schema, words) => {
  expect(typeOf(schema)).toBe(words);
});

it('says which fields are required, and their limits', () => {
  const count = { type: 'integer', minimum: 1, maximum: 1000, default: 20 };
  const [first, second] = fieldsOf({
    properties: { count, note: { type: 'string', minLength: 0 } },
    required: ['count'],
  })
    .split('<li>')
    .slice(1);
  expect(first).toContain('required</span> <span class="limits">1 to 1,000, default <code>20</code>');
  expect(second).not.toMatch(/required|limits/);
});

it('makes no markup of what a description says', () => {
  expect(prose('Send `<b>` & wait.\n\n<script>')).toBe(
    '<p>Send <code>&lt;b&gt;</code> &amp; wait.</p><p>&lt;script&gt;</p>',
  );
});

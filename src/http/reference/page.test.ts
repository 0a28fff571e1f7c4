import { describe, expect, it } from 'vitest';
import { runThrough } from '../../base/cooperate.ts';
import { operations } from '../../service/operations.ts';
import { openApi } from '../openapi.ts';
import { type ApiDocument, referencePage } from './page.ts';
import { fieldsOf, prose, typeOf } from './shapes.ts';

const document = (await openApi('1')) as unknown as ApiDocument;
const page = runThrough(referencePage(document));
const anchors = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!));

it('lets others have a turn between its articles', () => {
  const yields = [...referencePage(document)].length;
  expect(yields).toBe(page.split('<article ').length - 1);
  expect(yields).toBeGreaterThan(100);
});

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

describe('a small interface', () => {
  const text = { type: 'string' };
  const small: ApiDocument = {
    info: { title: 'A & B', summary: 'Short <words>.', description: 'First.\n\nSecond `code`.' },
    tags: [
      { name: 'rules', description: 'About rules.' },
      { name: 'server', description: 'About the server.' },
    ],
    paths: {
      '/rules/{id}': {
        post: {
          operationId: 'changeRule',
          tags: ['rules'],
          summary: 'Change a rule',
          description: 'It changes.',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { ...text, description: 'Of the schema.' } },
            { name: 'dry', in: 'query', description: 'Of its own.', schema: { ...text, description: 'Hidden.' } },
            { name: 'plain', in: 'query', required: false, schema: text },
          ],
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/s/ChangeRequest' }, example: { name: 'a' } } },
          },
          responses: {
            200: { description: 'Done.', content: { 'application/json': { schema: { $ref: '#/s/Rule' } } } },
            201: {},
            404: { $ref: '#/components/responses/404' },
            default: { $ref: '#/components/responses/Error' },
          },
        },
      },
      '/healthz': {
        get: {
          operationId: 'health',
          tags: ['server'],
          summary: 'Health',
          responses: { 200: { content: { 'text/plain': { example: 'a <line>' }, 'text/csv': { schema: text } } } },
        },
      },
    },
    components: {
      schemas: {
        ChangeRequest: { properties: { name: text } },
        ChangeResponse: { properties: { kept: { $ref: '#/s/HeldResponse' } } },
        HeldResponse: { properties: { held: text } },
        Rule: { description: 'A rule.', properties: { rule_id: text } },
        Scope: { enum: ['read'] },
      },
      responses: {
        404: {
          description: 'No such thing.',
          content: { 'application/json': { examples: { one: { value: { code: 'not_found' } }, two: { value: 2 } } } },
        },
        Error: {},
      },
    },
  };
  const html = runThrough(referencePage(small));
  const articleOf = (id: string) => new RegExp(`<article id="${id}">.*?</article>`, 's').exec(html)?.[0] ?? '';

  it('is introduced by its title, its summary and its description', () => {
    expect(html).toContain('<title>A &amp; B: the HTTP interface</title>');
    expect(html).toContain(
      '<h1>A &amp; B: the HTTP interface</h1>\n<p class="lead">Short &lt;words&gt;.</p>\n<p>First.</p><p>Second <code>code</code>.</p>',
    );
  });

  it('lists each operation under its noun, then the errors and the shapes that have a place', () => {
    const contents = /<nav.*<\/nav>/s.exec(html)?.[0] ?? '';
    expect([...contents.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'tag-rules',
      'changeRule',
      'tag-server',
      'health',
      'errors',
      'shapes',
      'shape-HeldResponse',
      'shape-Rule',
      'shape-Scope',
    ]);
    expect(contents).toContain('<h2><a href="#errors">errors</a></h2>\n<h2><a href="#shapes">shapes</a></h2><ul>');
    expect(contents).toContain('<h2><a href="#tag-rules">rules</a></h2>');
    expect(contents).toContain('<li><a href="#changeRule">Change a rule</a></li>');
    expect(html).toMatch(/<h2 id="tag-rules">rules<\/h2><p>About rules\.<\/p><article id="changeRule">/);
  });

  it('shows the route of an operation, its parameters, its body, its answers and its errors', () => {
    const article = articleOf('changeRule');
    expect(article).toContain('<p class="route"><code>POST /rules/{id}</code></p>\n<p>It changes.</p>');
    expect(article).toContain(
      '<h4>Parameters</h4><ul class="fields">' +
        '<li><code>id (path)</code> <span class="type">string</span> <span class="need">required</span><p>Of the schema.</p></li>' +
        '<li><code>dry (query)</code> <span class="type">string</span><p>Of its own.</p></li>' +
        '<li><code>plain (query)</code> <span class="type">string</span></li></ul>',
    );
    expect(article).toContain(
      '<h4>Request</h4><p class="media"><code>application/json</code></p><ul class="fields"><li><code>name</code> <span class="type">string</span></li></ul><pre tabindex="0">{\n  &quot;name&quot;: &quot;a&quot;\n}</pre>',
    );
    expect(article).toContain(
      '<h4>Answer 200</h4><p>Done.</p><p class="media"><code>application/json</code> <span class="type"><a href="#shape-Rule">Rule</a></span></p>',
    );
    expect(article).toContain('<h4>Answer 201</h4><p></p>');
    expect(article).toContain(
      '<p class="failures">Errors: <a href="#error-404">404</a>, <a href="#error-Error">default</a></p>',
    );
    expect(article).not.toContain('Answer 404');
  });

  it('shows nothing of what an operation does not have', () => {
    const article = articleOf('health');
    expect(article).not.toMatch(/Parameters|Request|Errors|undefined/);
    expect(article).toContain(
      '<p class="media"><code>text/plain</code></p><pre tabindex="0">a &lt;line&gt;</pre><p class="media"><code>text/csv</code> <span class="type">string</span></p>',
    );
  });

  it('shows each error with its examples, and each shape with its fields or its type', () => {
    expect(articleOf('error-404')).toBe(
      '<article id="error-404"><h3><a href="#error-404">404</a></h3><p>No such thing.</p><p class="media"><code>application/json</code></p><pre tabindex="0">{\n  &quot;code&quot;: &quot;not_found&quot;\n}</pre><pre tabindex="0">2</pre></article>',
    );
    expect(articleOf('error-Error')).toBe(
      '<article id="error-Error"><h3><a href="#error-Error">Error</a></h3><p></p></article>',
    );
    expect(articleOf('shape-Rule')).toBe(
      '<article id="shape-Rule"><h3><a href="#shape-Rule">Rule</a></h3><p>A rule.</p><ul class="fields"><li><code>rule_id</code> <span class="type">string</span></li></ul></article>',
    );
    expect(articleOf('shape-Scope')).toBe(
      '<article id="shape-Scope"><h3><a href="#shape-Scope">Scope</a></h3><p class="type"><code>&quot;read&quot;</code></p></article>',
    );
  });
});

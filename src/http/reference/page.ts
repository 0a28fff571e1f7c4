/** The page of the reference: operations by noun, each with what it takes and answers, then the shapes that have a name. */
import {
  code,
  fieldOf,
  fieldsOf,
  plain,
  prose,
  type Schema,
  shapeAnchor,
  shapeLink,
  shapeName,
  typeOf,
} from './shapes.ts';

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
type Contents = Readonly<Record<string, Content>>;

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Contents;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** The part of an OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly summary: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

interface Placed extends DescribedOperation {
  readonly method: string;
  readonly path: string;
}

/** Yields after each article: there are too many for one turn of the event loop. */
export function* referencePage(document: ApiDocument): Generator<number, string> {
  const { tags, components } = document;
  const placed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Placed => ({ ...operation, path, method: method.toUpperCase() }),
    ),
  );
  const groups = tags.map((tag) => ({ ...tag, operations: placed.filter((one) => one.tags[0] === tag.name) }));
  const shapes = shapesWithPlace(components.schemas);
  const sections: string[] = [];
  for (const { name, description, operations } of groups) {
    const articles = yield* joined(operations, (one) => operationArticle(one, components.schemas));
    sections.push(`<section><h2 id="tag-${plain(name)}">${plain(name)}</h2>${prose(description)}${articles}</section>`);
  }
  const errors = yield* joined(Object.entries(components.responses), errorArticle);
  sections.push(`<section><h2 id="errors">errors</h2>${errors}</section>`);
  sections.push(`<section><h2 id="shapes">shapes</h2>${yield* joined(shapes, shapeArticle)}</section>`);
  return pageWith(document, contentsList(groups, shapes), sections);
}

/** The articles of a section. */
function* joined<T>(items: readonly T[], article: (item: T) => string): Generator<number, string> {
  const articles: string[] = [];
  for (const item of items) {
    articles.push(article(item));
    yield 1;
  }
  return articles.join('\n');
}

const contentsList = (
  groups: readonly { readonly name: string; readonly operations: readonly Placed[] }[],
  shapes: readonly (readonly [string, Schema])[],
): string => `${groups.map(({ name, operations }) => `<h2>${link(`tag-${name}`, name)}</h2><ul>${operations.map((one) => `<li>${link(one.operationId, one.summary)}</li>`).join('')}</ul>`).join('\n')}
<h2>${link('errors', 'errors')}</h2>
<h2>${link('shapes', 'shapes')}</h2><ul>${shapes.map(([name]) => `<li>${shapeLink(name)}</li>`).join('')}</ul>`;

function pageWith({ info }: ApiDocument, contents: string, sections: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${plain(info.title)}: the HTTP interface</title>
<link rel="icon" href="../favicon.svg" type="image/svg+xml">
<script src="../theme.js"></script>
<link rel="stylesheet" href="style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<p><a href="../">Console</a> · <a href="../openapi.json">OpenAPI</a> · <a href="../asyncapi.json">AsyncAPI</a> · <a href="../llms.txt">llms.txt</a></p>
${contents}
</nav>
<main id="content">
<h1>${plain(info.title)}: the HTTP interface</h1>
<p class="lead">${plain(info.summary)}</p>
${prose(info.description)}
${sections.join('\n')}
</main>
</body>
</html>
`;
}

const isOfOperation = (name: string): boolean => /(?:Request|Response)$/.test(name);

/** A shape of one operation is shown with it. A shape that others hold has a place of its own. */
function shapesWithPlace(schemas: Readonly<Record<string, Schema>>): [string, Schema][] {
  const held = new Set(JSON.stringify(schemas).match(/(?<=\/)\w+(?=")/g));
  return Object.entries(schemas).filter(([name]) => !isOfOperation(name) || held.has(name));
}

const link = (anchor: string, text: string): string => `<a href="#${plain(anchor)}">${plain(text)}</a>`;

function operationArticle(operation: Placed, schemas: Readonly<Record<string, Schema>>): string {
  const { operationId, method, path, summary, description, parameters = [], requestBody, responses } = operation;
  const answered = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined);
  const failed = Object.entries(responses).filter(([, { $ref }]) => $ref !== undefined);
  return `<article id="${plain(operationId)}">
<h3>${link(operationId, summary)}</h3>
<p class="route">${code(`${method} ${path}`)}</p>
${description === undefined ? '' : prose(description)}
${parameters.length === 0 ? '' : `<h4>Parameters</h4><ul class="fields">${parameters.map(parameterField).join('')}</ul>`}
${requestBody === undefined ? '' : `<h4>Request</h4>${contentsOf(requestBody.content, schemas)}`}
${answered.map(([status, answer]) => `<h4>Answer ${plain(status)}</h4>${prose(answer.description ?? '')}${contentsOf(answer.content ?? {}, schemas)}`).join('')}
${failed.length === 0 ? '' : `<p class="failures">Errors: ${failed.map(([status, { $ref }]) => link(errorAnchor(shapeName($ref!)), status)).join(', ')}</p>`}
</article>`;
}

const parameterField = (parameter: Parameter): string => {
  const description = parameter.description ?? parameter.schema.description;
  const schema = { ...parameter.schema, ...(description !== undefined && { description }) };
  return fieldOf(`${parameter.name} (${parameter.in})`, schema, parameter.required === true);
};

const contentsOf = (contents: Contents, schemas: Readonly<Record<string, Schema>>): string =>
  Object.entries(contents)
    .map(([type, content]) => `<p class="media">${code(type)}${shapeOf(content.schema, schemas)}${examplesOf(content)}`)
    .join('');

/** Ends the paragraph that names the media type. */
function shapeOf(schema: Schema | undefined, schemas: Readonly<Record<string, Schema>>): string {
  if (schema === undefined) return '</p>';
  const name = schema.$ref === undefined ? undefined : shapeName(schema.$ref);
  if (name === undefined || !isOfOperation(name))
    return ` <span class="type">${typeOf(schema)}</span></p>${fieldsOf(schema)}`;
  return `</p>${fieldsOf(schemas[name] ?? {})}`;
}

function examplesOf({ example, examples = {} }: Content): string {
  const shown = example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
  return shown
    .map(
      (value) => `<pre tabindex="0">${plain(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre>`,
    )
    .join('');
}

const errorAnchor = (name: string): string => `error-${name}`;

const errorArticle = ([name, { description = '', content = {} }]: [string, Answer]): string =>
  `<article id="${plain(errorAnchor(name))}"><h3>${link(errorAnchor(name), name)}</h3>${prose(description)}${contentsOf(content, {})}</article>`;

const shapeArticle = ([name, schema]: [string, Schema]): string =>
  `<article id="${plain(shapeAnchor(name))}"><h3>${shapeLink(name)}</h3>${schema.description === undefined ? '' : prose(schema.description)}${schema.properties === undefined ? `<p class="type">${typeOf(schema)}</p>` : ''}${fieldsOf(schema)}</article>`;

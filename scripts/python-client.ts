/** The generated half of the Python client: types, routes, and a method for each operation, waiting and not. */
import { CLIENT_ROUTES, METHODS, ONCE } from '../packages/client/src/operations.ts';
import { answerSchemas, requestSchemas } from '../src/http/json-schemas.ts';
import { NAMED_SHAPES } from '../src/http/schema-names.ts';
import { type OperationName, operations } from '../src/service/operations.ts';
import { MESSAGE_PARTS } from '../src/service/webhooks/message-shapes.ts';
import { answerName, inputName, shapesOf } from './client-types.ts';
import { parameterName, printPythonType, pythonType } from './python-types.ts';

type Schema = Readonly<Record<string, unknown>>;

const HEADER = (what: string) =>
  `"""${what} \`npm run docs\` prints this file from the server's own schemas: do not edit it."""\n\nfrom __future__ import annotations\n`;
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const NAMES = Object.keys(operations) as OperationName[];

const answers = () => answerSchemas({ ...shapesOf(answerName, 'output'), ...MESSAGE_PARTS, ...NAMED_SHAPES });
const inputs = () => requestSchemas(shapesOf(inputName, 'input'));

/** The types of the fields of a request, and the declarations that they need. */
function parametersOf(name: OperationName, schema: Schema) {
  const required = (schema['required'] ?? []) as readonly string[];
  const declared: string[] = [];
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const fields = properties.map(([field, inside]) => ({
    field,
    isRequired: required.includes(field),
    text: pythonType(inside, `${inputName(name)}${field[0]!.toUpperCase()}${field.slice(1)}`, declared),
  }));
  return { fields: fields.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired)), declared };
}

export function printPythonApi(): string {
  const types = Object.entries(answers()).flatMap(([name, schema]) => printPythonType(name, schema));
  const schemas = inputs();
  const nested = NAMES.flatMap((name) => parametersOf(name, schemas[inputName(name)]!).declared);
  const routes = NAMES.map((name) => `    "${name}": "${CLIENT_ROUTES[name]}",\n`);
  const once = NAMES.filter((name) => ONCE.has(name)).map((name) => `    "${name}",\n`);
  return [
    HEADER('What the server takes and answers.'),
    'from typing import Any, Dict, FrozenSet, List, Literal, TypedDict, Union\n\nfrom typing import TypeAlias\n',
    ...types,
    ...nested,
    `ROUTES: Dict[str, str] = {\n${routes.join('')}}\n`,
    `# Those of which a second time is not the same as the first.\nONCE: FrozenSet[str] = frozenset({\n${once.join('')}})\n`,
  ].join('\n');
}

export function printPythonCalls(isAsync: boolean): string {
  const schemas = { inputs: inputs(), answers: answers() };
  const groups = Object.entries(METHODS).filter(([, value]) => typeof value !== 'string');
  const classes = groups.map(([group, methods]) =>
    classOf(
      `${group[0]!.toUpperCase()}${group.slice(1)}Calls`,
      Object.entries(methods as Record<string, OperationName>),
    ),
  );
  const own = Object.entries(METHODS).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  function classOf(name: string, methods: readonly (readonly [string, OperationName])[]): string {
    const texts = methods.map(([method, operation]) => methodOf(method, operation, schemas, isAsync));
    return `class ${name}(${isAsync ? 'AsyncCaller' : 'Caller'}):\n${texts.join('\n')}`;
  }
  const imports = isAsync ? 'AsyncIterator' : 'Iterator';
  return [
    HEADER(`Every operation as a method${isAsync ? ' to await' : ''}.`),
    `from typing import Any, Dict, ${imports}, List, Literal, Union, cast\n\nfrom . import _api as api\nfrom ._caller import ${isAsync ? 'AsyncCaller' : 'Caller'}, UNSET, Unset\n`,
    ...classes,
    classOf('RootCalls', own),
  ].join('\n');
}

interface Schemas {
  readonly inputs: Readonly<Record<string, Schema>>;
  readonly answers: Readonly<Record<string, Schema>>;
}

function methodOf(method: string, name: OperationName, schemas: Schemas, isAsync: boolean): string {
  const { fields } = parametersOf(name, schemas.inputs[inputName(name)]!);
  const parameters = fields.map(({ field, isRequired, text }) => {
    const type = qualified(text);
    return `        ${parameterName(field)}: ${isRequired ? type : `Union[${type}, Unset] = UNSET`},\n`;
  });
  const key = name === 'createRule' ? ['        idempotency_key: Union[str, None] = None,\n'] : [];
  const all = [...parameters, ...key];
  const signature = all.length === 0 ? 'self' : `\n        self,\n        *,\n${all.join('')}    `;
  const given = fields.map(({ field }) => `"${field}": ${parameterName(field)}`).join(', ');
  const answer = `api.${answerName(name)}`;
  const { summary } = operations[name];
  const call = `self._call("${name}", {${given}}${key.length > 0 ? ', idempotency_key' : ''})`;
  const text = `    ${isAsync ? 'async ' : ''}def ${snake(method)}(${signature}) -> ${answer}:
        """${summary}."""
        return cast(${answer}, ${isAsync ? 'await ' : ''}${call})
`;
  const properties = (schemas.answers[answerName(name)]?.['properties'] ?? {}) as Schema;
  if (!('next_cursor' in properties)) return text;
  const pages = method === 'list' ? 'pages' : `${snake(method)}_pages`;
  const iterator = isAsync ? 'AsyncIterator' : 'Iterator';
  return `${text}
    def ${pages}(${signature}) -> ${iterator}[${answer}]:
        """${summary}: answer after answer, until there are no more."""
        return cast(${iterator}[${answer}], self._pages("${name}", {${given}}))
`;
}

/** Names of ours stand in the other module. */
const qualified = (text: string): string =>
  text.replace(/"[^"]*"|\b[A-Z]\w*\b/g, (word) =>
    word.startsWith('"') || ['List', 'Dict', 'Union', 'Any', 'Literal', 'None', 'True', 'False'].includes(word)
      ? word
      : `api.${word}`,
  );

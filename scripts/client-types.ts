/**
 * The types of the client, printed from the operations' own schemas: the package of the client holds them as they are, so
 * that its users need nothing of the server.
 */
import { COVERAGE_REASONS } from '../src/domain/coverage.ts';
import { answerSchemas, requestSchemas, type Shapes } from '../src/http/json-schemas.ts';
import { NAMED_SHAPES } from '../src/http/schema-names.ts';
import { ERROR_CODES } from '../src/service/errors.ts';
import { type OperationName, operations } from '../src/service/operations.ts';
import { MESSAGE_PARTS } from '../src/service/webhooks/message-shapes.ts';
import { printType, typeText } from './type-text.ts';

const HEADER = `/**
 * What the server takes and answers. \`npm run docs\` prints this file from the server's own schemas: do not edit it.
 */
`;

const NAMES = Object.keys(operations) as OperationName[];
const capital = (name: string): string => name[0]!.toUpperCase() + name.slice(1);
export const inputName = (name: OperationName): string => `${capital(name)}Input`;
export const shapesOf = (nameOf: (name: OperationName) => string, side: 'input' | 'output'): Shapes =>
  Object.fromEntries(NAMES.map((name) => [nameOf(name), operations[name][side]]));

/** An answer that is a noun has the noun's name. */
export const answerName = (name: OperationName): string =>
  Object.entries(NAMED_SHAPES).find(([, shape]) => shape === operations[name].output)?.[0] ?? `${capital(name)}Answer`;

export function printClientTypes(): string {
  const answers = answerSchemas({ ...shapesOf(answerName, 'output'), ...MESSAGE_PARTS, ...NAMED_SHAPES });
  const inputs = requestSchemas(shapesOf(inputName, 'input'));
  const types = [
    ...Object.entries(answers).map(([name, schema]) => printType(name, schema, 'answer')),
    ...Object.entries(inputs).map(([name, schema]) => printType(name, schema, 'input')),
  ];
  const table = NAMES.map((name) => `  ${name}: { input: ${inputName(name)}; answer: ${answerName(name)} };`);
  return [
    HEADER,
    ...types,
    `/** Every operation, with what it takes and what it answers. */\nexport interface Operations {\n${table.join('\n')}\n}\n`,
    `export type ErrorCode = ${typeText({ enum: [...ERROR_CODES] })};\n`,
    '/** The reasons of `coverage` in words. */',
    `export const COVERAGE_REASONS: Readonly<Record<string, string>> = ${JSON.stringify(COVERAGE_REASONS, null, 2)};\n`,
  ].join('\n');
}

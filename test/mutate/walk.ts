/** A walk over the syntax tree that knows each node's ancestors and leaves out types, logs and metrics. */
import { parseSync } from 'oxc-parser';

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The nodes around one, the nearest first, and the field of the nearest in which it stands. */
export interface Place {
  readonly parents: readonly Node[];
  readonly field: string;
}

const TYPE_FIELDS = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'implements',
  'superTypeArguments',
]);

/** Their words are for people: no promise hangs on them. */
const TELEMETRY = /(^|[.#])(log|metrics)\??\.\w+$/;

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

export function walk(file: string, text: string, visit: (node: Node, place: Place) => void): void {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]!.message}`);
  const isTelemetry = ({ type, callee }: Node): boolean =>
    type === 'CallExpression' && isNode(callee) && TELEMETRY.test(text.slice(callee.start, callee.end));
  const go = (node: Node, place: Place): void => {
    if (isOfTypes(node) || isTelemetry(node)) return;
    visit(node, place);
    const parents = [node, ...place.parents];
    for (const [field, value] of Object.entries(node)) {
      if (TYPE_FIELDS.has(field)) continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) go(child, { parents, field });
    }
  };
  go(program as unknown as Node, { parents: [], field: '' });
}

const isOfTypes = ({ type }: Node): boolean =>
  (type.startsWith('TS') && !['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(type)) ||
  type === 'ImportDeclaration' ||
  type === 'ExportAllDeclaration';

/** The name of the function that a place is in. */
export function functionAround({ parents }: Place): string {
  for (const [index, node] of parents.entries()) {
    if (!/Function/.test(node.type)) continue;
    const name = nameOf(node.id) ?? nameOf(parents[index + 1]?.id) ?? nameOf(parents[index + 1]?.key);
    if (name !== undefined) return name;
  }
  return '';
}

const nameOf = (value: unknown): string | undefined =>
  isNode(value) && typeof value.name === 'string' ? value.name : undefined;

/**
 * Which changes are tried on a file: conditions, boundaries, arithmetic, boolean operators, statements and calls that
 * are gone, emptied bodies, other return values, optional chains, awaits, and short strings and lists that are empty.
 * Text with a space in it is prose or SQL, and is left alone.
 */
import type { Mutant } from './mutant.ts';
import { functionAround, isNode, type Node, type Place, walk } from './walk.ts';

interface Change {
  readonly operator: string;
  readonly now: string;
  readonly node?: Node;
  readonly kind?: Mutant['kind'];
}

const COMPARISONS: Readonly<Record<string, { boundary?: string; opposite: string }>> = {
  '<': { boundary: '<=', opposite: '>=' },
  '<=': { boundary: '<', opposite: '>' },
  '>': { boundary: '>=', opposite: '<=' },
  '>=': { boundary: '>', opposite: '<' },
  '===': { opposite: '!==' },
  '!==': { opposite: '===' },
};

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
};

const OTHER_METHOD: Readonly<Record<string, string>> = { some: 'every', every: 'some', min: 'max', max: 'min' };

const NEEDLESS_METHODS = new Set(['filter', 'slice', 'toSorted', 'sort', 'toReversed', 'trim', 'toLowerCase', 'flat']);

/** Fields and calls whose strings people read. */
const PROSE = /^(message|hint|title|description|summary|detail|help|label|describe|meta)$/;

const LOOPS = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement']);

export function mutantsOf(file: string, text: string): Mutant[] {
  const found: Mutant[] = [];
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const source = ({ start, end }: Node): string => text.slice(start, end);
  walk(file, text, (node, place) => {
    for (const { operator, now, node: changed = node, kind = 'expression' } of changes(node, place, source)) {
      found.push({
        file,
        line: lineStarts.findLastIndex((start) => start <= changed.start) + 1,
        operator,
        within: functionAround(place),
        was: source(changed),
        now,
        start: changed.start,
        end: changed.end,
        kind,
      });
    }
  });
  return found.toSorted((one, other) => one.start - other.start || other.end - one.end);
}

type Source = (node: Node) => string;

function* changes(node: Node, place: Place, source: Source): Generator<Change> {
  yield* ofControl(node, place, source);
  yield* ofOperators(node, place, source);
  yield* ofValues(node, place);
  yield* ofCalls(node, place, source);
}

const isCondition = ({ parents: [parent], field }: Place): boolean =>
  field === 'test' && parent !== undefined && parent.type !== 'SwitchCase';

const bare = (node: Node): Node =>
  node.type === 'ParenthesizedExpression' && isNode(node.expression) ? bare(node.expression) : node;

function* ofControl(node: Node, place: Place, source: Source): Generator<Change> {
  const { type } = node;
  if (isCondition(place) && type !== 'Literal') {
    yield { operator: 'condition', now: 'false' };
    if (!LOOPS.has(place.parents[0]!.type)) yield { operator: 'condition', now: 'true' };
  }
  if (type === 'ExpressionStatement' && isNode(node.expression) && node.directive == null) {
    if (!isTelemetryOrProse(node.expression, source)) yield { operator: 'statement', now: '', kind: 'statement' };
  }
  if (type === 'ContinueStatement') yield { operator: 'statement', now: '', kind: 'statement' };
  if (/Function/.test(type) && isNode(node.body) && node.body.type === 'BlockStatement') {
    const body = node.body.body as Node[];
    const isConstructor = place.parents[0]?.kind === 'constructor';
    if (body.length > 1 && !isConstructor) yield { operator: 'body', now: '', node: node.body, kind: 'body' };
  }
  if (type === 'AwaitExpression' && isNode(node.argument) && !isPlainReturn(place)) {
    yield { operator: 'await', now: source(node.argument) };
  }
  const result =
    type === 'ReturnStatement' ? node.argument : type === 'ArrowFunctionExpression' ? node.body : undefined;
  if (isNode(result) && isValue(bare(result))) yield { operator: 'return', now: 'undefined', node: bare(result) };
}

/** Telemetry that a walk does not enter still leaves its statement. */
const isTelemetryOrProse = (expression: Node, source: Source): boolean =>
  /^(void |await )?([\w.#]*[.#])?(log|metrics)\??\.\w+\(/.test(source(expression));

/** `return await` outside of `try` does what `return` does. */
const isPlainReturn = ({ parents }: Place): boolean => {
  const parent = parents.find(({ type }) => type !== 'ParenthesizedExpression')!;
  if (parent.type === 'ArrowFunctionExpression') return true;
  if (parent.type !== 'ReturnStatement') return false;
  const around = parents.find(({ type }) => type === 'TryStatement' || /Function/.test(type));
  return around?.type !== 'TryStatement';
};

const isValue = ({ type, name }: Node): boolean =>
  name !== 'undefined' &&
  [
    'CallExpression',
    'NewExpression',
    'Identifier',
    'MemberExpression',
    'ChainExpression',
    'AwaitExpression',
    'ObjectExpression',
    'TemplateLiteral',
  ].includes(type);

function* ofOperators(node: Node, place: Place, source: Source): Generator<Change> {
  const { type, operator, left, right, argument } = node;
  const name = String(operator);
  if (isNode(left) && isNode(right)) {
    const replaced = (by: string): string => `${source(left)} ${by} ${source(right)}`;
    if (type === 'BinaryExpression') {
      const comparison = COMPARISONS[name];
      if (comparison?.boundary !== undefined) yield { operator: 'boundary', now: replaced(comparison.boundary) };
      if (comparison !== undefined && !isCondition(place))
        yield { operator: 'negation', now: replaced(comparison.opposite) };
      const other = ARITHMETIC[name];
      if (other !== undefined && !isText(left) && !isText(right))
        yield { operator: 'arithmetic', now: replaced(other) };
    } else if (type === 'AssignmentExpression') {
      const other = ARITHMETIC[name.slice(0, -1)];
      if (name.length > 1 && other !== undefined && !isText(right))
        yield { operator: 'arithmetic', now: replaced(`${other}=`) };
    } else if (type === 'LogicalExpression') {
      if (name === '&&') yield { operator: 'boolean', now: replaced('||') };
      if (name === '||') yield { operator: 'boolean', now: replaced('&&') };
      if (name === '??') {
        yield { operator: 'fallback', now: source(left) };
        yield { operator: 'fallback', now: source(right) };
      }
    }
  }
  if (type === 'UnaryExpression' && isNode(argument)) {
    if (name === '!' && !isCondition(place)) yield { operator: 'negation', now: source(argument) };
    if (name === '-' && argument.type !== 'Literal') yield { operator: 'arithmetic', now: source(argument) };
  }
  if (
    type === 'UpdateExpression' &&
    isNode(argument) &&
    !['ForStatement', 'ExpressionStatement'].includes(place.parents[0]!.type)
  ) {
    const other = name === '++' ? '--' : '++';
    yield { operator: 'arithmetic', now: node.prefix === true ? other + source(argument) : source(argument) + other };
  }
}

const isText = (node: Node): boolean =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');

function* ofValues(node: Node, place: Place): Generator<Change> {
  const parent = place.parents[0];
  if (node.type === 'Literal' && typeof node.value === 'boolean' && !isCondition(place)) {
    yield { operator: 'value', now: String(!node.value) };
  }
  if (node.type === 'Literal' && typeof node.value === 'string' && /^\S+$/.test(node.value) && isBehaviour(place)) {
    yield { operator: 'value', now: "''" };
  }
  if (
    node.type === 'ArrayExpression' &&
    (node.elements as unknown[]).length > 0 &&
    parent?.type !== 'AssignmentExpression'
  ) {
    yield { operator: 'value', now: '[]' };
  }
}

/** Whether a string in this place is used, and not only read by people or compared (where the comparison is changed). */
function isBehaviour({ parents: [parent], field }: Place): boolean {
  if (parent === undefined) return false;
  if (parent.type === 'Property') return field === 'value' && !PROSE.test(nameIn(parent.key));
  if (['CallExpression', 'NewExpression'].includes(parent.type)) return !PROSE.test(nameIn(parent.callee));
  if (parent.type === 'ConditionalExpression') return field !== 'test';
  return (
    (parent.type === 'AssignmentExpression' && field === 'right') ||
    ['ReturnStatement', 'VariableDeclarator', 'ArrowFunctionExpression'].includes(parent.type)
  );
}

function nameIn(value: unknown): string {
  if (!isNode(value)) return '';
  if (isNode(value.property)) return nameIn(value.property);
  return typeof value.name === 'string' ? value.name : '';
}

function* ofCalls(node: Node, place: Place, source: Source): Generator<Change> {
  const { type, callee } = node;
  if (type === 'ChainExpression') yield* ofChain(node, place, source);
  // A part of an optional chain cannot be cut out of it.
  if (type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression' || isInChain(place)) return;
  if (!isNode(callee.object) || !isNode(callee.property)) return;
  const method = nameIn(callee);
  const other = OTHER_METHOD[method];
  if (other !== undefined && (nameIn(callee.object) === 'Math' || method === 'some' || method === 'every')) {
    const { start, end } = callee.property;
    const all = source(node);
    yield { operator: 'call', now: all.slice(0, start - node.start) + other + all.slice(end - node.start) };
  }
  if (NEEDLESS_METHODS.has(method)) yield { operator: 'call', now: source(callee.object) };
}

const isInChain = ({ parents, field }: Place): boolean =>
  (field === 'object' || field === 'callee') && spine(parents)?.type === 'ChainExpression';

const spine = (parents: readonly Node[]): Node | undefined =>
  parents.find(({ type }) => !['MemberExpression', 'CallExpression', 'TSNonNullExpression'].includes(type));

function* ofChain(node: Node, place: Place, source: Source): Generator<Change> {
  if (place.parents[0]?.type === 'UnaryExpression' && place.parents[0].operator === 'delete') return;
  for (
    let link = node.expression as Node | undefined;
    isNode(link);
    link = (link.object ?? link.callee ?? link.expression) as Node
  ) {
    if (link.optional !== true) continue;
    const inner = (link.object ?? link.callee) as Node;
    const rest = source(node).slice(inner.end - node.start);
    const plain =
      link.computed === true || link.type === 'CallExpression' ? rest.replace('?.', '') : rest.replace('?.', '.');
    yield { operator: 'chain', now: source(node).slice(0, inner.end - node.start) + plain };
  }
}

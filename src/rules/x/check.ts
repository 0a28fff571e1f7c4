/**
 * Checks what the grammar does not: operators, values, negation, and clauses that need others beside them. The order is
 * that of X's validator. Every problem is reported. If the grammar failed, the rest of the rule is checked clause by
 * clause, but not as a whole.
 */
import type { Diagnostic, Fix, Intent } from '../diagnostic.ts';
import type { Query } from '../query.ts';
import { withoutClause } from './lexer.ts';
import { meantOperator, meantValue } from './meant.ts';
import { mendValue } from './mend-value.ts';
import { diagnose, replace } from './messages.ts';
import type { Join, Node, XClause } from './parse.ts';
import { ELSEWHERE, OPERATOR_BY_NAME, type Operator } from './syntax-table.ts';
import { isXStopWord, readProximity, readText, readValue, type TextReading } from './values.ts';
import { fold } from './words.ts';

export interface Checking extends TextReading {
  readonly text: string;
  readonly embedding: boolean;
}

interface Context extends Checking {
  readonly problems: Diagnostic[];
  readonly doubleDashes: Diagnostic[];
}

/** Sets the meaning of each clause, and adds to `problems`. */
export function check(root: Node, problems: Diagnostic[], checking: Checking): void {
  const whole = problems.every((one) => one.code === 'too-long');
  const { text, embedding, phrases, spaceless } = checking;
  const context: Context = { text, embedding, phrases, spaceless, problems, doubleDashes: [] };
  checkNode(root, context, false, false, undefined);
  if (whole) checkWhole(root, context);
  if (!problems.some((one) => one.code === 'only-negations')) problems.push(...context.doubleDashes);
}

function checkNode(node: Node, context: Context, negated: boolean, inAny: boolean, dash: number | undefined): void {
  switch (node.kind) {
    case 'not':
      if (node.dashes > 1) {
        const fix = replace(node.start, node.start + node.dashes - 1, '');
        context.doubleDashes.push(diagnose('double-dash', node.start, node.end, { what: '-', fix }));
      }
      checkNode(node.part, context, !negated, inAny, node.start);
      break;
    case 'all':
    case 'any':
      for (const part of node.parts) {
        checkNode(part, context, negated, inAny || node.kind === 'any', negated ? (dash ?? part.start) : undefined);
      }
      break;
    case 'clause':
      checkClause(node, context, negated, inAny, dash ?? node.start);
      break;
  }
}

function checkClause(clause: XClause, context: Context, negated: boolean, inAny: boolean, at: number): void {
  const { token, start, end } = clause;
  switch (token.kind) {
    case 'keyword':
      // X refuses these two in lower case too, in any position.
      if (token.text.length <= 3 && /^(?:and|or)$/i.test(token.text)) {
        context.problems.push(diagnose(token.text.length === 2 ? 'lower-case-or' : 'explicit-and', start, end));
        return;
      }
      clause.query = readText('text', token.text, context);
      break;
    case 'and':
      context.problems.push(diagnose('explicit-and', start, end));
      return;
    case 'phrase':
      clause.query = readPhrase(clause, context);
      break;
    case 'hashtag':
    case 'mention':
    case 'cashtag':
      clause.query = { kind: 'term', field: token.kind, term: fold(token.text) };
      break;
    case 'operator':
      checkOperator(clause, context, negated, inAny, at);
      return;
    case 'broken':
    case 'open':
    case 'close':
    case 'dash':
    case 'or':
      return;
  }
  // Some characters disappear when texts are compared, so a clause of only such characters asks for nothing.
  if (clause.query === undefined || (clause.query.kind === 'term' && clause.query.term === '')) {
    context.problems.push(diagnose('empty-phrase', start, end, { what: context.text.slice(start, end) }));
  }
}

function readPhrase({ token, start, end }: XClause, context: Context): Query | undefined {
  if (token.slop < 0) return readText('text', token.text, context);
  const refuse = (why: string, better: string) => {
    const digits = end - context.text.slice(start, end).lastIndexOf('~') - start - 1;
    context.problems.push(
      diagnose('bad-proximity', start, end, {
        what: why,
        fix: replace(start, end, context.text.slice(start, end - digits) + better),
      }),
    );
  };
  if (token.slop > 6) refuse('proximity cannot be greater than 6', '6');
  else if (token.slop < 1) refuse('proximity cannot be less than 1', '1');
  return readProximity(token.text, token.slop) ?? readText('text', token.text, context);
}

function checkOperator(clause: XClause, context: Context, negated: boolean, inAny: boolean, at: number): void {
  const { token, start, end } = clause;
  const operator = OPERATOR_BY_NAME.get(token.name);
  if (operator === undefined) {
    checkUnknown(clause, context);
    return;
  }
  const before = context.problems.length;
  if (checkForm(clause, operator, context)) checkValue(clause, operator, context);
  if (negated && !operator.negatable) {
    const fix = replace(at, at + 1, '');
    context.problems.push(diagnose('cannot-be-negated', at, end, { what: `${operator.name} cannot be negated`, fix }));
  }
  if (!negated && isOnlyNegated(clause.query, operator)) {
    const what = `${operator.name}:${token.text.toLowerCase()} must be negated`;
    context.problems.push(diagnose('must-be-negated', start, end, { what, fix: replace(start, start, '-') }));
  }
  if (inAny && operator.value === 'sample') {
    context.problems.push(diagnose('sample-with-or', start, end, { fix: groupedFor(context.text, start, end) }));
  }
  // A lone clause only gets the message that it needs another beside it. A clause with another error gets no message about
  // the access level.
  if (operator.embedding && !context.embedding && operator.standalone && context.problems.length === before) {
    context.problems.push(diagnose('unavailable-operator', start, end, { what: operator.name }));
  }
}

function checkUnknown({ token, start, end }: XClause, { problems, text }: Context): void {
  const name = text.slice(start, start + token.name.length);
  const fix = meantOperator(token, end) ?? (isPast(token.name) ? withoutClause(text, start, end) : undefined);
  problems.push(diagnose('unknown-operator', start, end, { what: name, plain: plainOf(token.name), fix }));
  if (!ELSEWHERE.has(token.name)) problems.push(diagnose('unknown-field', start, end, { what: name }));
}

/** A condition on when a post was written. */
const isPast = (name: string) => /^(?:since|until)/.test(name);

function plainOf(name: string): string | undefined {
  if (isPast(name)) return `A stream delivers only new posts, so there is no ${name}:; leave it out.`;
  if (name === 'near' || name === 'within')
    return `${name}: belongs to X's search; for a place write its point and radius: point_radius:[-122.42 37.77 15mi].`;
  if (!ELSEWHERE.has(name)) return undefined;
  return `${name}: belongs to X's search and not to its stream; leave it out and filter what is delivered.`;
}

/** A list of numbers belongs to the geo operators, which take nothing else. */
function checkForm({ token, start, end }: XClause, operator: Operator, { problems, text }: Context): boolean {
  const geo = operator.value === 'circle' || operator.value === 'box';
  if (!geo || token.form === 'list') return true;
  const what = text.slice(token.valueStart, end);
  problems.push(diagnose('bad-value-start', start, end, { what, at: token.valueStart }));
  return false;
}

function checkValue(clause: XClause, operator: Operator, context: Context): void {
  const { problems } = context;
  const { token, start, end } = clause;
  const read = readValue(operator, token.text, context);
  if (read.kind !== 'refused') clause.query = read;
  else {
    const mended = mendValue(operator, {
      start,
      end,
      name: context.text.slice(start, start + token.name.length),
      value: token.text,
    });
    const meant = read.choice ? meantValue(token, operator, end) : undefined;
    const fixes = meant === undefined ? mended.fixes : [meant];
    problems.push(
      diagnose(read.choice ? 'unknown-value' : 'bad-value', start, end, { ...mended, what: read.why, fixes }),
    );
  }
}

const isOnlyNegated = (query: Query | undefined, { choices = [] }: Operator) =>
  query?.kind === 'term' && choices.some((one) => one.onlyNegated && one.value === query.term);

/** `tea OR milk sample:10` becomes `(tea OR milk) sample:10`. */
function groupedFor(text: string, start: number, end: number): ReturnType<typeof replace> {
  const rest = `${text.slice(0, start).trim()} ${text.slice(end).trim()}`.trim();
  return replace(0, text.length, `(${rest}) ${text.slice(start, end)}`);
}

// The rule as a whole

function checkWhole(root: Node, { problems, text, embedding }: Context): void {
  const end = text.length;
  if (!hasPositive(root)) {
    problems.push(diagnose('only-negations', root.start, end, { at: 0 }));
    problems.push(diagnose('no-positive-clause', root.start, end, { at: 0 }));
    return;
  }
  const before = problems.length;
  checkBranches(root, problems, text);
  if (/_threshold/i.test(text)) checkThresholds(root, problems, embedding);
  if (!hasMeaning(root)) problems.push(diagnose('no-positive-clause', root.start, end, { at: 0 }));
  else if (problems.length === before) checkCompany(root, problems, text);
}

/** Returns whether there is a clause that is not negated. */
function hasPositive(node: Node): boolean {
  return node.kind === 'all' || node.kind === 'any' ? node.parts.some(hasPositive) : node.kind !== 'not';
}

/** Returns whether there is a clause that is neither negated nor a stop word. */
function hasMeaning(node: Node): boolean {
  if (node.kind !== 'clause') return node.kind !== 'not' && node.parts.some(hasMeaning);
  return node.token.kind !== 'and' && !(node.token.kind === 'keyword' && isXStopWord(node.token.text));
}

/** `coffee OR -tea` probably means coffee without tea. */
function bothOf({ parts, start, end, grouped }: Join, text: string): Fix | undefined {
  const [one, other, ...more] = parts;
  if (more.length > 0 || grouped || other?.kind !== 'not' || other.part.kind !== 'clause' || other.dashes > 1)
    return undefined;
  const [left, right] = [one!, other.part].map((node) => text.slice(node.start, node.end)) as [string, string];
  const intent: Intent = { all: [{ clause: left }, { not: { clause: right } }] };
  return { span: { start, end }, text: `${left} -${right}`, meaning: `posts with ${left} and no ${right}`, intent };
}

function checkBranches(node: Node, problems: Diagnostic[], text: string): void {
  if (node.kind !== 'all' && node.kind !== 'any') return;
  for (const part of node.parts) {
    if (node.kind === 'any' && !hasPositive(part)) {
      problems.push(diagnose('only-negations', part.start, part.end, { fix: bothOf(node, text) }));
    } else checkBranches(part, problems, text);
  }
}

/** Returns whether every match must satisfy a standalone clause. */
export function isAnchored(node: Node): boolean {
  switch (node.kind) {
    case 'all':
      return node.parts.some(isAnchored);
    case 'any':
      return node.parts.every(isAnchored);
    case 'not':
      return false;
    case 'clause':
      return OPERATOR_BY_NAME.get(node.token.name)?.standalone ?? true;
  }
}

/** `lava has:images OR has:videos`: what comes first is meant for every side. */
function sharedFix(root: Node, text: string): Fix | undefined {
  const [first, ...others] = root.kind === 'any' && !root.grouped ? root.parts : [];
  if (first?.kind !== 'all' || first.grouped || others.some(isAnchored)) return undefined;
  const [common, last] = [first.parts.slice(0, -1), first.parts.at(-1)!];
  if (isAnchored(last) || !common.some(isAnchored)) return undefined;
  const shared = text.slice(first.start, common.at(-1)!.end);
  const sides = [last, ...others].map(({ start, end }) => text.slice(start, end));
  return {
    span: { start: root.start, end: root.end },
    text: `${shared} (${sides.join(' OR ')})`,
    meaning: `posts with ${shared} and any of ${sides.join(', ')}`,
    intent: { all: [{ clause: shared }, { any: sides.map((clause) => ({ clause })) }] },
  };
}

function checkCompany(root: Node, problems: Diagnostic[], text: string): void {
  if (isAnchored(root)) return;
  const alone = root.kind === 'any' ? root.parts.find((part) => !isAnchored(part))! : root;
  problems.push(diagnose('needs-standalone', alone.start, alone.end, { fix: sharedFix(root, text) }));
}

/** A threshold belongs to the clauses that AND joins it with, in parentheses or not. Alone it means nothing. */
function checkThresholds(node: Node, problems: Diagnostic[], embedding: boolean): void {
  const group = clausesOf(node);
  const threshold = group.find((clause) => clause.token.name === 'embedding_threshold');
  if (threshold !== undefined && !group.some((clause) => clause.token.name === 'embedding')) {
    const { start, end } = threshold;
    if (!isAnchored(node)) problems.push(diagnose('threshold-alone', start, end));
    else if (!embedding) problems.push(diagnose('unavailable-operator', start, end, { what: 'embedding_threshold' }));
  }
  for (const part of nestedIn(node)) checkThresholds(part, problems, embedding);
}

/** The clauses that a node joins by AND, including those in nested parentheses. */
export function clausesOf(node: Node): XClause[] {
  if (node.kind === 'clause') return [node];
  return node.kind === 'all' ? node.parts.flatMap(clausesOf) : [];
}

/** The sides of the ORs that a node joins by AND. */
function nestedIn(node: Node): readonly Node[] {
  if (node.kind === 'any') return node.parts;
  return node.kind === 'all' ? node.parts.flatMap(nestedIn) : [];
}

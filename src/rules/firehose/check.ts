/**
 * Remarks on legal rules that surely mean something else than they say. This file looks at lists of clauses and at the
 * rule as a whole; single clauses are looked at in `check-leaf`, `check-fields` and `check-slashes`.
 */
import type { Span } from '../diagnostic.ts';
import type { Query } from '../query.ts';
import { checkField, ValueChecker } from './check-fields.ts';
import { CURLY, checkCurlyQuotes, checkLeaf } from './check-leaf.ts';
import { checkAccidentalRegex, checkJsonEscapes, type Seen } from './check-slashes.ts';
import { quote } from './escape.ts';
import { type Report, replaceWith } from './messages.ts';
import { DEFAULT_FIELD, fieldNamed } from './syntax-table.ts';
import type { Clause, Group, Leaf } from './syntax-tree.ts';

export function check(rule: string, clauses: readonly Clause[], report: Report): void {
  new Checker(rule, report).whole(clauses);
}

/** How a list is placed in the rule. */
interface Place {
  /** Every list around it requires it. */
  readonly required: boolean;
  readonly negated: boolean;
  readonly group: { readonly of: Group; readonly clause: Clause } | undefined;
}

class Checker {
  readonly #rule: string;
  readonly #report: Report;
  readonly #values: ValueChecker;
  readonly #seen: Seen = new Set();
  #recents = 0;
  #curly = false;

  constructor(rule: string, report: Report) {
    this.#rule = rule;
    this.#report = report;
    this.#values = new ValueChecker(report);
  }

  whole(clauses: readonly Clause[]): void {
    if (this.#rule.includes('\\\\')) checkJsonEscapes(this.#rule, this.#seen, this.#report);
    this.#list(clauses, { required: true, negated: false, group: undefined });
    if (this.#curly) checkCurlyQuotes(this.#rule, this.#report);
  }

  #list(clauses: readonly Clause[], place: Place): void {
    const occurs = occursOf(clauses);
    for (let index = 0; index < clauses.length; index++) {
      if (this.#report.full) return;
      const clause = clauses[index]!;
      const required = place.required && (occurs[index] === 'must' || clauses.length === 1);
      const negated = place.negated || occurs[index] === 'not';
      const { node } = clause;
      if (node.fieldSpan !== undefined) this.#field(node, node.fieldSpan);
      if (node.kind === 'group') this.#list(node.clauses, { required, negated, group: { of: node, clause } });
      else this.#leaf(node, clause, clauses, required, negated);
      if (index > 0) this.#neighbours(clauses[index - 1]!, clause);
    }
    // A list that was not read to its end cannot be judged.
    if (this.#report.errors > 0) return;
    this.#mixed(clauses, occurs);
    if (clauses.length > 0 && occurs.every((occur) => occur === 'not')) this.#onlyExclusions(clauses, place);
  }

  #field(node: Leaf | Group, span: Span): void {
    const name = node.kind === 'leaf' ? node.field : this.#rule.slice(span.start, span.end);
    const isUrl = node.kind === 'leaf' && node.form === 'regex' && /^https?$/.test(name);
    const isEverything = node.kind === 'leaf' && name === '*' && node.text === '*';
    if (!isUrl && !isEverything) checkField(name, span, this.#report);
  }

  #leaf(leaf: Leaf, clause: Clause, list: readonly Clause[], required: boolean, negated: boolean): void {
    if (leaf.field === 'recent') {
      this.#recent(clause, list, required, negated);
      return;
    }
    checkLeaf(this.#rule, leaf, this.#report);
    this.#values.check(leaf);
    if (leaf.form === 'regex' && this.#report.errors === 0)
      checkAccidentalRegex(this.#rule, leaf, this.#seen, this.#report);
    if ((leaf.form === 'term' || leaf.form === 'run') && CURLY.test(leaf.text)) this.#curly = true;
  }

  #recent(clause: Clause, list: readonly Clause[], required: boolean, negated: boolean): void {
    this.#recents++;
    const span = { start: clause.start, end: clause.end };
    if (negated)
      this.#report.add(
        'negated-recent',
        span,
        'recent cannot be negated; for older pages use a range on publish_time.',
      );
    else if (this.#recents > 1)
      this.#report.add('several-recents', span, 'Only the narrowest recent of a rule counts.');
    else if (!required) {
      const message = 'recent applies to the whole rule, whatever stands beside it; join it with AND.';
      this.#report.add('optional-recent', span, message, this.#requireRecent(clause, list));
    }
  }

  /** `a b recent:1d` becomes `(a b) AND recent:1d`. */
  #requireRecent(clause: Clause, list: readonly Clause[]): ReturnType<typeof replaceWith> | undefined {
    if (clause !== list.at(-1) || list.length < 2) return undefined;
    const rest = { start: list[0]!.start, end: list.at(-2)!.end };
    const before = this.#rule.slice(rest.start, rest.end);
    const recent = this.#rule.slice(clause.start, clause.end);
    const span = { start: rest.start, end: clause.end };
    return replaceWith(span, `${list.length === 2 ? before : `(${before})`} AND ${recent}`);
  }

  /** Two clauses with nothing but a blank between them. */
  #neighbours(left: Clause, right: Clause): void {
    if (
      right.conj !== undefined ||
      right.mod !== undefined ||
      left.node.kind === 'group' ||
      right.node.kind === 'group'
    )
      return;
    const [one, other] = [left.node, right.node];
    if (other.fieldSpan !== undefined || (other.form !== 'term' && other.form !== 'run')) {
      if (narrows(one) !== narrows(other)) this.#implicitOr(left, right);
      return;
    }
    if (one.fieldSpan === undefined || !/[\s\u3000]/.test(this.#rule[right.start - 1] ?? '')) return;
    if (/^TO\b/i.test(other.text) && one.form === 'term') {
      this.#rangeWithoutBrackets(left, right, other);
      return;
    }
    if (narrows(one)) {
      this.#implicitOr(left, right);
      return;
    }
    if (one.form !== 'term' || fieldNamed(one.field)?.kind !== 'text' || one.field === DEFAULT_FIELD) return;
    const span = { start: one.start, end: right.end };
    const raw = this.#rule.slice(span.start, span.end);
    const message = `${one.field}: covers only "${one.text}"; what follows is searched in ${other.field}. Quote the words or put them in parentheses.`;
    this.#report.add(
      'field-of-one-word',
      right,
      message,
      /["\\“”]/.test(raw) ? undefined : replaceWith(span, quote(raw)),
    );
  }

  #implicitOr(left: Clause, right: Clause): void {
    if (isRecent(left) || isRecent(right)) return;
    const between = { start: left.end, end: right.start };
    const span = { start: left.start, end: right.end };
    const message = 'A blank means OR: pages match that satisfy only one of the two. Write AND if both must hold.';
    if (between.start < between.end) this.#report.add('implicit-or', span, message, replaceWith(between, ' AND '));
  }

  #rangeWithoutBrackets(left: Clause, right: Clause, other: Leaf): void {
    const [, to = ''] = /^TO\s+(\S+)/i.exec(other.text) ?? [];
    const { start } = left.node;
    const from = this.#rule.slice(start, left.end);
    const end = right.start + this.#rule.slice(right.start).indexOf(to) + to.length;
    const message = 'Without brackets TO is a plain word; write [from TO to].';
    this.#report.add(
      'range-without-brackets',
      { start, end },
      message,
      to === '' ? undefined : replaceWith({ start, end }, `[${from} TO ${to}]`),
    );
  }

  /** AND requires both its neighbours, and a list with required clauses does not care for the others. */
  #mixed(clauses: readonly Clause[], occurs: readonly Occur[]): void {
    const optional = clauses.filter((clause, index) => occurs[index] === 'should' && !isRecent(clause));
    if (optional.length === 0 || !occurs.includes('must') || !clauses.some(({ conj }) => conj === 'and')) return;
    const span = { start: clauses[0]!.start, end: clauses.at(-1)!.end };
    const ignored = optional.map(({ start, end }) => this.#rule.slice(start, end)).join(', ');
    const message = `There is no precedence: AND requires both its neighbours, and what is OR-ed beside them (${ignored}) has no effect. Use parentheses.`;
    this.#report.add('mixed-operators', span, message, replaceWith(span, this.#parenthesised(clauses)));
  }

  /** The text as most people mean it: AND binds tighter than OR, and `recent` goes with all of it. */
  #parenthesised(clauses: readonly Clause[]): string {
    const factors: string[][] = [];
    for (const clause of clauses) {
      if (isRecent(clause)) continue;
      const text = this.#rule.slice(clause.start, clause.end);
      if (clause.conj === 'and' && factors.length > 0) factors.at(-1)!.push(text);
      else factors.push([text]);
    }
    const sum = factors.map((texts) => (texts.length === 1 ? texts[0]! : `(${texts.join(' AND ')})`)).join(' OR ');
    const recents = clauses.filter(isRecent).map(({ start, end }) => this.#rule.slice(start, end));
    return recents.length === 0 ? sum : [`(${sum})`, ...recents].join(' AND ');
  }

  #onlyExclusions(clauses: readonly Clause[], { group }: Place): void {
    const span = { start: clauses[0]!.start, end: clauses.at(-1)!.end };
    const text = this.#rule.slice(span.start, span.end);
    if (group === undefined) {
      const message = 'Exclusions alone match no page; say what they are taken from, for instance *:* for everything.';
      this.#report.add('only-exclusions', span, message, replaceWith(span, `*:* AND ${text}`));
      return;
    }
    const { of, clause } = group;
    const unwrap =
      clauses.length === 1 && clause.mod === undefined && of.fieldSpan === undefined && of.boost === undefined;
    const message = 'A group of exclusions matches no page; take the exclusion out of the parentheses.';
    this.#report.add('only-exclusions', of, message, replaceWith(of, unwrap ? text : `(*:* AND ${text})`));
  }
}

type Occur = 'must' | 'should' | 'not';

/** As `build` decides it, leaving analysis aside. */
function occursOf(clauses: readonly Clause[]): Occur[] {
  const occurs: Occur[] = [];
  for (const { conj, mod } of clauses) {
    const last = occurs.length - 1;
    if (conj === 'and' && occurs[last] === 'should') occurs[last] = 'must';
    occurs.push(mod === 'not' ? 'not' : mod === 'must' || conj === 'and' ? 'must' : 'should');
  }
  return occurs;
}

const isRecent = ({ node }: Clause) => node.kind === 'leaf' && node.field === 'recent';

/** Fields that narrow where to look rather than say what for. */
const narrows = ({ field }: Leaf) => {
  const kind = fieldNamed(field)?.kind;
  return kind === 'exact' || kind === 'number';
};

/** Remarks on what the rule comes to; `dropped` is what analysis left nothing of. */
export function checkQuery(rule: string, query: Query, dropped: readonly Leaf[], report: Report): void {
  const span = { start: 0, end: rule.length };
  if (matchesAll(query)) report.add('matches-everything', span, 'This matches every page.');
  const field = query.kind === 'all' ? contradiction(query.of) : undefined;
  if (field !== undefined) report.add('never-matches', span, `A page has one ${field}, and this asks for two.`);
  if (query.kind === 'nothing' && !report.diagnostics.some(({ code }) => code === 'only-exclusions')) {
    const why =
      dropped.length > 0 ? 'only stop words or punctuation, which are not searched for' : 'conditions that cannot hold';
    report.add('never-matches', span, `This matches no page: it has ${why}.`);
  } else {
    for (const leaf of dropped) checkDropped(leaf, report);
  }
}

function checkDropped({ form, text, start, end }: Leaf, report: Report): void {
  // Signs and lower-case operators were remarked on already.
  if (form === 'sign' || /^(?:and|or|not)$/i.test(text)) return;
  const why = /[\p{L}\p{N}]/u.test(text) ? 'is a stop word' : 'has no letters or digits';
  report.add('stop-word', { start, end }, `${text || 'This'} ${why} and is left out of the rule.`);
}

/** Every page has a URL. */
function matchesAll(query: Query): boolean {
  if (query.kind === 'any') return query.of.some(matchesAll);
  if (query.kind === 'all') return query.of.every(matchesAll);
  return query.kind === 'everything' || (query.kind === 'exists' && query.field === 'url');
}

/** A field of which a page has one value at most, asked for two. */
function contradiction(parts: readonly Query[]): string | undefined {
  const values = new Map<string, string>();
  for (const part of parts) {
    if (part.kind !== 'term' || !['language', 'url', 'publish_time'].includes(part.field)) continue;
    if ((values.get(part.field) ?? part.term) !== part.term) return part.field;
    values.set(part.field, part.term);
  }
  return undefined;
}

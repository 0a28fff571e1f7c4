/**
 * Diagnostics of legal rules that almost certainly do not mean what they say. This file checks lists of clauses and the
 * rule as a whole; `check-leaf`, `check-fields` and `check-slashes` check single clauses.
 */
import type { Fix, Span } from '../diagnostic.ts';
import { endOf } from '../habits/conditions.ts';
import { analyze } from './build.ts';
import { checkField, type FieldValue, ValueChecker } from './check-fields.ts';
import { CURLY, checkCurlyQuotes, checkLeaf, checkSign, SINGLE } from './check-leaf.ts';
import { checkAccidentalRegex, checkJsonEscapes, checkJsonQuotes, type Seen } from './check-slashes.ts';
import { quote } from './escape.ts';
import { VALUES } from './labels.ts';
import { type Report, replaceWith } from './messages.ts';
import { type ListChoice, rewrittenList } from './rewrite.ts';
import { DEFAULT_FIELD, fieldNamed } from './syntax-table.ts';
import type { Clause, Group, Leaf } from './syntax-tree.ts';

export function check(rule: string, clauses: readonly Clause[], report: Report): void {
  new Checker(rule, report).whole(clauses);
}

/** The position of a list in the rule. */
interface ListPlace {
  /** Every list around it requires it. */
  readonly required: boolean;
  readonly negated: boolean;
}

class Checker {
  readonly #rule: string;
  readonly #report: Report;
  readonly #values: ValueChecker;
  readonly #seen: Seen = new Set();
  readonly #signFixes = new Map<readonly Clause[], readonly Fix[]>();
  #recents = 0;
  /** Whether the rule has curly quotes, which Lucene ignores. The text between them is not checked as a list of clauses. */
  #curly: boolean;

  constructor(rule: string, report: Report) {
    this.#rule = rule;
    this.#report = report;
    this.#values = new ValueChecker(report);
    this.#curly = !rule.includes('"') && SINGLE.test(rule);
  }

  whole(clauses: readonly Clause[]): void {
    if (this.#rule.includes('\\\\')) checkJsonEscapes(this.#rule, this.#seen, this.#report);
    if (this.#rule.includes('\\"')) checkJsonQuotes(this.#rule, this.#seen, this.#report);
    this.#list(clauses, { required: true, negated: false });
    if (this.#curly) checkCurlyQuotes(this.#rule, this.#report);
  }

  #list(clauses: readonly Clause[], place: ListPlace): void {
    const occurs = occursOf(clauses);
    let explained = false;
    for (let index = 0; index < clauses.length; index++) {
      if (this.#report.full) return;
      const clause = clauses[index]!;
      const required = place.required && (occurs[index] === 'must' || clauses.length === 1);
      const negated = place.negated || occurs[index] === 'not';
      const { node } = clause;
      if (node.fieldSpan !== undefined) this.#field(node, node.fieldSpan);
      if (node.kind === 'group') this.#list(node.clauses, { required, negated });
      else this.#leaf(node, clause, clauses, required, negated);
      if (index > 0 && this.#neighbours(clauses[index - 1]!, clause)) explained = true;
    }
    // A list that was not parsed to its end cannot be checked.
    if (this.#report.errors > 0) return;
    // Text that is not read as it was meant is not checked as a list of clauses.
    if (explained || this.#curly || this.#seen.size > 0) return;
    if (!this.#mixed(clauses, occurs) && !this.#orNot(clauses, occurs)) this.#blanks(clauses, occurs);
  }

  #field(node: Leaf | Group, span: Span): void {
    const name = node.kind === 'leaf' ? node.field : this.#rule.slice(span.start, span.end);
    const isUrl = node.kind === 'leaf' && node.form === 'regex' && /^https?$/.test(name);
    const isEverything = node.kind === 'leaf' && name === '*' && node.text === '*';
    if (!isUrl && !isEverything) checkField(name, span, fieldValueOf(node, this.#rule), this.#report);
  }

  #leaf(leaf: Leaf, clause: Clause, list: readonly Clause[], required: boolean, negated: boolean): void {
    if (leaf.field === 'recent') {
      this.#recent(clause, list, required, negated);
      return;
    }
    if (leaf.form === 'sign') {
      checkSign(this.#rule, leaf, () => this.#excluding(list, leaf), this.#report);
      return;
    }
    checkLeaf(this.#rule, leaf, this.#report);
    this.#values.check(leaf);
    if (leaf.form === 'regex' && this.#report.errors === 0)
      checkAccidentalRegex(this.#rule, leaf, this.#seen, this.#report);
    if ((leaf.form === 'term' || leaf.form === 'run') && CURLY.test(leaf.text)) this.#curly = true;
  }

  /** The list with its signs as exclusions, or without them; the same for all signs of a list. */
  #excluding(list: readonly Clause[], leaf: Leaf): readonly Fix[] {
    if (list[0]?.node === leaf) return [];
    const known = this.#signFixes.get(list) ?? rewrittenList(list, this.#rule, SIGNS).slice(0, 2);
    this.#signFixes.set(list, known);
    return known;
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

  /** A field before the first of several words, with nothing but blanks between them. Returns whether it added a diagnostic. */
  #neighbours(left: Clause, right: Clause): boolean {
    const [one, other] = [left.node, right.node];
    if (right.conj === 'or' && right.mod === undefined) return this.#sameField(left, right);
    if (right.conj !== undefined || right.mod !== undefined || one.kind === 'group' || other.kind === 'group')
      return false;
    if (other.fieldSpan !== undefined || (other.form !== 'term' && other.form !== 'run')) return false;
    if (one.fieldSpan === undefined || !/[\s\u3000]/.test(this.#rule[right.start - 1] ?? '')) return false;
    // A sign between clauses is told as the operator that it stands for.
    if (/^[&|/]+$/.test(other.text)) return false;
    if (/^TO\b/i.test(other.text) && one.form === 'term') {
      this.#rangeWithoutBrackets(left, right, other);
      return true;
    }
    if (one.form !== 'term' || fieldNamed(one.field)?.kind !== 'text' || one.field === DEFAULT_FIELD) return false;
    const span = { start: one.fieldSpan.start, end: right.end };
    const words = this.#rule.slice(one.start, right.end);
    const message = `${one.field}: covers only "${one.text}"; what follows is searched in ${other.field}. Quote the words or put them in parentheses.`;
    const plain = !/["\\“”]/.test(words) && !/(?:^|\s)(?:and|or|not|&|\|)(?=\s)/i.test(words);
    this.#report.add('field-of-one-word', right, message, plain ? this.#fieldOver(one.field, words, span) : undefined);
    return true;
  }

  /** `domain:a.com OR b.com`: the second is meant as a value of the same field. */
  #sameField(left: Clause, right: Clause): boolean {
    const [one, other] = [left.node, right.node];
    if (one.kind === 'group' || other.kind === 'group' || one.fieldSpan === undefined || other.fieldSpan !== undefined)
      return false;
    if ((other.form !== 'term' && other.form !== 'quoted') || !isValueOf(one.field, other.text)) return false;
    const span = { start: one.fieldSpan.start, end: right.end };
    const [first, second] = [one, other].map(({ start, end }) => this.#rule.slice(start, end)) as [string, string];
    const fix: Fix = {
      span,
      text: `${one.field}:(${first} OR ${second})`,
      meaning: `pages with either of the two in ${one.field}`,
      intent: { any: [{ clause: `${one.field}:${first}` }, { clause: `${one.field}:${second}` }] },
    };
    const message = `${one.field}: covers only ${first}; ${second} is searched in ${other.field}. Put both in parentheses.`;
    this.#report.add('field-of-one-word', right, message, fix);
    return true;
  }

  /** The field over all of the words: as a phrase, or as words that must all be there. */
  #fieldOver(field: string, words: string, span: Span): Fix[] {
    const all = words.split(/[\s\u3000]+/);
    const phrase = `${field}:${quote(words)}`;
    const each = all.map((word) => ({ clause: `${field}:${word}` }));
    return [
      { span, text: phrase, meaning: `pages with the phrase ${quote(words)} in ${field}`, intent: { clause: phrase } },
      {
        span,
        text: `${field}:(${all.join(' AND ')})`,
        meaning: `pages with each of these words in ${field}`,
        intent: { all: each },
      },
    ];
  }

  /** Clauses with nothing but a blank between them, and operators in lower case, which are words like others. */
  #blanks(clauses: readonly Clause[], occurs: readonly Occur[]): void {
    const named = this.#lowerCase(clauses);
    // An excluded clause in between joins nothing.
    let previous: Clause | undefined;
    const joins = clauses.filter((clause) => {
      const isJoined = isBlankJoined(previous, clause);
      if (clause.mod !== 'not') previous = clause;
      return isJoined;
    });
    const runs = clauses.filter(({ node }) => node.kind === 'leaf' && node.form === 'run' && isTextRun(node));
    if (named.length === 0 && joins.length + runs.length === 0) return;
    const narrow = joins.length > 0 && clauses.some(({ node }) => node.kind === 'leaf' && narrows(node));
    const isRequired = occurs.includes('must');
    const isListed = runs.some(({ node }) => node.kind === 'leaf' && /[^,;][,;] /.test(node.text));
    const choices = isRequired ? REQUIRED : narrow ? NARROWED : named.length > 0 ? NAMED : isListed ? COMMAS : BLANKS;
    const fixes = rewrittenList(clauses, this.#rule, choices).slice(0, 3);
    for (const { word, span } of named) {
      const meant = /^(?:and|or|not)$/i.test(word) ? word.toUpperCase() : word === '&' ? 'AND' : 'OR';
      this.#report.add('lowercase-operator', span, `${word} is no operator here; write ${meant}.`, fixes);
    }
    if (named.length > 0) return;
    if (isRequired) {
      for (const { start, end } of clauses.filter((clause, index) => occurs[index] === 'should' && !isSign(clause))) {
        const message = `${this.#rule.slice(start, end)} has no effect beside a clause that is required; join it with AND or OR.`;
        this.#report.add('pointless-clause', { start, end }, message, fixes);
      }
      return;
    }
    const span = { start: clauses[0]!.start, end: clauses.at(-1)!.end };
    const message =
      'A blank means OR: pages match that satisfy only one of these. Write AND, OR or quotes to say what you mean.';
    this.#report.add('implicit-or', span, message, fixes);
  }

  #lowerCase(clauses: readonly Clause[]): { word: string; span: Span }[] {
    return clauses.flatMap(({ node, conj }) => {
      if (node.kind !== 'leaf' || (node.form !== 'run' && node.form !== 'term') || node.tilde !== undefined) return [];
      if (fieldNamed(node.field)?.kind === 'exact' || clauses.length + Number(node.form === 'run') < 2) return [];
      if (conj !== undefined && node.form === 'term') return [];
      return [...this.#rule.slice(node.start, node.end).matchAll(LOWER_CASE)].map((match) => {
        const start = node.start + match.index;
        return { word: match[0], span: { start, end: start + match[0].length } };
      });
    });
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
      to === '' ? undefined : replaceWith({ start, end }, `[${from} TO ${endOf(to)}]`),
    );
  }

  /** AND requires both its neighbours, and a list with required clauses ignores the others. */
  #mixed(clauses: readonly Clause[], occurs: readonly Occur[]): boolean {
    if (!clauses.some(({ conj }) => conj === 'and') || !occurs.includes('must')) return false;
    const optional = clauses.filter((clause, index) => occurs[index] === 'should' && !isRecent(clause));
    const isOverruled = ({ conj, mod }: Clause, index: number) =>
      conj === 'or' && mod !== 'not' && occurs[index] === 'must' && occurs[index - 1] === 'must';
    if (optional.length === 0 && !clauses.some(isOverruled)) return false;
    const span = { start: clauses[0]!.start, end: clauses.at(-1)!.end };
    const ignored = optional.map(({ start, end }) => this.#rule.slice(start, end)).join(', ');
    const effect = optional.length === 0 ? 'the OR beside them' : `what is OR-ed beside them (${ignored})`;
    const message = `There is no precedence: AND requires both its neighbours, and ${effect} has no effect. Use parentheses.`;
    const choices = clauses.some(({ conj }) => conj === 'or') ? MIXED : MIXED_BY_BLANKS;
    this.#report.add('mixed-operators', span, message, rewrittenList(clauses, this.#rule, choices).slice(0, 2));
    return true;
  }

  #orNot(clauses: readonly Clause[], occurs: readonly Occur[]): boolean {
    const at = clauses.findIndex(({ conj, mod }) => conj === 'or' && mod === 'not');
    if (at < 0 || occurs.every((occur) => occur === 'not')) return false;
    const { start, end } = clauses[at]!;
    const message = 'OR NOT excludes from the whole rule, as AND NOT does; write AND NOT to say so.';
    this.#report.add('or-not', { start, end }, message, rewrittenList(clauses, this.#rule, OR_NOT));
    return true;
  }
}

const BLANKS: readonly ListChoice[] = [
  { blank: 'and', tighter: 'and' },
  { blank: 'phrase', tighter: 'and' },
  { blank: 'or', tighter: 'and' },
];
const REQUIRED: readonly ListChoice[] = [{ blank: 'and', tighter: 'and' }];
const NARROWED: readonly ListChoice[] = [
  { blank: 'and', tighter: 'or' },
  { blank: 'or', tighter: 'and' },
];
const NAMED: readonly ListChoice[] = [
  { blank: 'phrase', tighter: 'and' },
  { blank: 'and', tighter: 'and' },
];
const MIXED: readonly ListChoice[] = [
  { blank: 'or', tighter: 'and' },
  { blank: 'or', tighter: 'or' },
];
const MIXED_BY_BLANKS: readonly ListChoice[] = [
  { blank: 'and', tighter: 'and' },
  { blank: 'or', tighter: 'and' },
];
const COMMAS: readonly ListChoice[] = [
  { blank: 'or', tighter: 'and' },
  { blank: 'and', tighter: 'and' },
];
const SIGNS: readonly ListChoice[] = [
  { blank: 'and', tighter: 'and', sign: 'excludes' },
  { blank: 'and', tighter: 'and', sign: 'nothing' },
];
const OR_NOT: readonly ListChoice[] = [{ blank: 'or', tighter: 'and' }];

/** Words that are operators in other languages, alone between blanks. */
const LOWER_CASE = /(?<=^|[\s\u3000])(?:and|or|not|[Aa]nd|[Oo]r|[Nn]ot|[&|])(?=$|[\s\u3000])/g;

const isBlankJoined = (left: Clause | undefined, right: Clause): boolean =>
  left !== undefined &&
  right.conj === undefined &&
  right.mod === undefined &&
  !isRecent(left) &&
  !isRecent(right) &&
  !isSign(left) &&
  !isSign(right) &&
  left.end <= right.start;

const fieldValueOf = (node: Leaf | Group, rule: string): FieldValue => {
  const raw = rule.slice(node.start, node.end);
  const { end } = node;
  if (node.kind !== 'leaf') return { text: raw, raw, isQuoted: false, isPlain: false, end };
  const isPlain =
    node.tilde === undefined && node.boost === undefined && (node.form === 'term' || node.form === 'quoted');
  return { text: node.text, raw, isQuoted: node.form === 'quoted', isPlain, end };
};

const isValueOf = (field: string, value: string): boolean =>
  field === 'domain' ? /^(?:[\w-]+\.)+[a-z]{2,}$/.test(value) : field === 'language' && VALUES.language.has(value);

const isSign = ({ node }: Clause) => node.kind === 'leaf' && node.form === 'sign';

const isTextRun = (leaf: Leaf) =>
  fieldNamed(leaf.field)?.kind !== 'exact' &&
  leaf.text.split(' ').filter((word) => analyze(leaf.field, word).length > 0).length > 1;

type Occur = 'must' | 'should' | 'not';

/** Decided as in `build`, without analysis. */
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

/** Fields that say where to search, not what to search for. */
const narrows = ({ field }: Leaf) => {
  const kind = fieldNamed(field)?.kind;
  return kind === 'exact' || kind === 'number';
};

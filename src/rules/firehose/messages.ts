/** All diagnostics of the language: each code with its severity, a sentence, and a rule that causes it. */
import type { Diagnostic, Fix, Span } from '../diagnostic.ts';
import { compileFuzzy } from '../pattern/fuzzy.ts';

interface Message {
  readonly severity: Diagnostic['severity'];
  readonly summary: string;
  readonly example: string;
}

const error = (summary: string, example: string): Message => ({ severity: 'error', summary, example });
const warning = (summary: string, example: string): Message => ({ severity: 'warning', summary, example });

export const MESSAGES = {
  'empty-rule': error('The rule is empty.', ''),
  'too-long': error('A rule has at most 8,192 characters.', ''),
  'too-deep': error('Groups may be nested at most 50 deep.', ''),
  'too-many-clauses': error('A rule has at most 1,024 clauses.', ''),
  'missing-operand': error('An operator has nothing on one of its sides.', 'tesla AND'),
  'repeated-operator': error('Two operators stand in a row.', 'tesla AND OR ford'),
  'repeated-modifier': error('A clause takes one of +, - and NOT.', 'NOT NOT tesla'),
  'misplaced-modifier': error('A sign stands before the field, not before its value.', 'title:-tesla'),
  'unclosed-group': error('A parenthesis is never closed.', '(tesla OR ford'),
  'unopened-group': error('A closing parenthesis has no partner.', 'tesla)'),
  'empty-group': error('There is nothing in the parentheses.', 'title:()'),
  'unclosed-quote': error('A quote is never closed.', '"electric vehicle'),
  'unclosed-regex': error('A slash opens a regular expression that never closes.', 'page_category:/News'),
  'unclosed-range': error('A range is never closed.', 'dr:[50 TO'),
  'bad-range': error('A range has the form [from TO to].', 'dr:[50 60]'),
  'stray-bracket': error('A closing bracket has no partner.', 'tesla]'),
  'missing-value': error('A field has no value.', 'title:'),
  'stray-colon': error('A colon is in the way: quote the value or escape the colon.', 'title:tesla:model'),
  'bad-fuzzy': error('The edit distance behind ~ must be 0, 1 or 2.', 'tesla~1.5'),
  'bad-boost': error('Behind ^ stands one number.', 'tesla^high'),
  'misplaced-suffix': error('~ and ^ follow a term, each at most once.', 'tesla^2^3'),
  'dangling-escape': error('A backslash has nothing behind it.', 'tesla\\'),
  'bad-escape': error('Behind \\u stand four hexadecimal digits.', 'te\\u00zz'),
  'bad-regex': error('The regular expression is not valid.', 'url:/[a-/'),
  'pattern-too-large': error(
    'The patterns of the rule need too many states, or take too long to test.',
    'url:/.*a.{30}/',
  ),
  'bad-recent': error('recent takes one value such as 24h, 7d or 1mo.', 'recent:5m'),
  'negated-recent': error('recent cannot be negated.', 'tesla AND NOT recent:24h'),
  'bad-number': error('dr takes a number or a range of numbers.', 'dr:high'),

  'mixed-operators': warning(
    'AND and OR in one list: OR-ed clauses beside an AND have no effect.',
    'tesla OR ford AND recall',
  ),
  'accidental-regex': warning('Slashes made a regular expression of what looks like plain text.', '1/2/2026'),
  'json-escape': warning(
    'A doubled backslash is the JSON spelling; in a rule it is a backslash itself.',
    'url:*\\\\/tag\\\\/*',
  ),
  'run-in-exact-field': warning('Several words on an exact field are one value.', 'language:(en de)'),
  'never-matches': warning('No page can match the rule.', 'url:techcrunch.com'),
  'matches-everything': warning('The rule matches every page, or nearly every one.', 'url:*/tag/*'),
  'pointless-clause': warning('A clause changes nothing about what matches.', '+tesla recall'),
  'or-not': warning('OR NOT excludes from the whole rule, as AND NOT does.', 'tesla OR NOT ford'),
  'changed-word': warning('Other words are searched for than those written.', 'C++'),
  'odd-blank': warning('A blank of another kind, or an invisible character, is part of a word.', 'tesla\u00a0recall'),
  'unknown-field': warning('There is no such field, so this never matches.', 'site:example.com'),
  'unknown-label': warning('No page carries this label.', 'page_type:"/Articel"'),
  'unknown-language': warning('No page has this language code.', 'language:english'),
  'wrong-case': warning('Exact values compare case and all.', 'language:EN'),
  'curly-quotes': warning('Curly quotes are plain characters.', '“electric vehicles”'),
  'lowercase-operator': warning('Operators are upper case; this is a plain word.', 'tesla and ford'),
  'wildcard-in-quotes': warning('Wildcards have no meaning in quotes.', '"tesla*"'),
  'comparison-sign': warning('< and > are plain characters; a range says it.', 'publish_time:>2026-01-01'),
  'range-without-brackets': warning('TO without brackets is a plain word.', 'publish_time:2026-01-01 TO 2026-02-01'),
  'capped-fuzzy': warning('At most 2 edits are possible.', 'tesla~3'),
  'regex-anchor': warning(
    '^ and $ are plain characters: a regular expression always covers the whole value.',
    'url:/^https.*$/',
  ),
  'regex-operator': warning(
    '& # @ ~ < > and " are operators in a regular expression; escape them.',
    'url:/.*?a=1&b=2/',
  ),
  'optional-recent': warning('recent is a filter on the whole rule; join it with AND.', 'tesla recent:24h'),
  'several-recents': warning('Only the narrowest recent counts.', 'tesla AND recent:24h AND recent:7d'),
  'stop-word': warning('A stop word is not searched for.', 'tesla AND the'),
  'split-word': warning('The word is cut in pieces, any of which matches; quote it.', 'wi-fi'),
  'bare-sign': warning('A sign with a blank behind it is a word of its own and has no effect.', '- tesla'),
  'single-character': warning('? stands for exactly one character.', 'what?'),
  'field-of-one-word': warning('A field covers only the next word.', 'title:electric vehicles'),
  'implicit-or': warning('A blank means OR: one of the two is enough.', 'language:en tesla'),
  'filter-reference': warning('$name is a filter of the dashboard; here it is a plain word.', '$no-junk'),
  'other-syntax': warning('This is written as another tool writes it.', 'tesla AROUND(3) recall'),
  'wrapped-rule': warning(
    'The rule was pasted with what stood around it, or in the spelling of an address or of HTML.',
    'tesla%20AND%20recall',
  ),
  'other-language': warning('This is the syntax of another rule language.', 'lang:en tesla'),
} as const satisfies Record<string, Message>;

export type Code = keyof typeof MESSAGES;

/** At most this many diagnostics of each severity are reported. */
const MAX_KEPT = 50;

/** Collects diagnostics while a rule is parsed. */
export class Report {
  readonly diagnostics: Diagnostic[] = [];
  errors = 0;
  #warnings = 0;

  /** Whether no further warning would be kept. */
  get full(): boolean {
    return this.#warnings >= MAX_KEPT;
  }

  add(code: Code, { start, end }: Span, message: string = MESSAGES[code].summary, fix?: Fix | readonly Fix[]): void {
    const { severity } = MESSAGES[code];
    if ((severity === 'error' ? ++this.errors : ++this.#warnings) > MAX_KEPT) return;
    const fixes = fix === undefined ? [] : Array.isArray(fix) ? (fix as Fix[]) : [fix as Fix];
    this.diagnostics.push({ code, severity, span: { start, end }, message, ...(fixes.length > 0 && { fixes }) });
  }
}

export const replaceWith = ({ start, end }: Span, text: string): Fix => ({ span: { start, end }, text });

const MOST_EDITS = 2;

/** The candidate with the fewest edits, at most two, ignoring case. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const plain = word.toLowerCase();
  const within: ReturnType<typeof compileFuzzy>[] = [];
  let best: string | undefined;
  let fewest = MOST_EDITS + 1;
  for (const candidate of candidates) {
    // An edit changes the length by one character, so by two units at most.
    if (Math.abs(candidate.length - word.length) > 2 * MOST_EDITS) continue;
    const other = candidate.toLowerCase();
    while (fewest > 0 && isWithin(fewest - 1, other)) {
      fewest--;
      best = candidate;
    }
  }
  return best;

  function isWithin(edits: number, other: string): boolean {
    within[edits] ??= compileFuzzy(plain, edits);
    return within[edits](other, 0, other.length);
  }
}

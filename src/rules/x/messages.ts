/**
 * All diagnostics of x rules. A message starts with a plain sentence of ours: what is wrong and what to do. For an error
 * X's own words follow, or similar ones if X's are not known (`what` is the piece of text or the
 * operator in question, `at` its position, counted from 1 in UTF-16 units). X has no warnings.
 */
import type { Diagnostic, Fix } from '../diagnostic.ts';

interface Message {
  readonly severity: Diagnostic['severity'];
  /** The meaning of the code, for the list of codes. */
  readonly summary: string;
  /** A rule that causes it. */
  readonly example: string;
  readonly plain: (what: string) => string;
  /** The text that X answers. */
  readonly wording?: (what: string, at: number) => string;
}

const atInput = (what: string, at: number) => `no viable alternative at input '${what}' (at position ${at})`;
const atCharacter = (what: string, at: number) => `no viable alternative at character '${what}' (at position ${at})`;
const cannotParse = (what: string, at: number) => `Cannot parse rule at '${what}' (position ${at})`;
const asGiven = (what: string, at: number) => `${what} (at position ${at})`;

const error = (
  summary: string,
  example: string,
  plain: string | ((what: string) => string),
  wording: (what: string, at: number) => string,
): Message => ({
  severity: 'error',
  summary,
  example,
  plain: typeof plain === 'string' ? () => plain : plain,
  wording,
});
const warning = (summary: string, example: string, plain: (what: string) => string): Message => ({
  severity: 'warning',
  summary,
  example,
  plain,
});

export const MESSAGES = {
  'empty-rule': error(
    'The rule holds nothing but blanks.',
    '',
    'The rule is empty; write at least one word to look for.',
    (_, at) => `Rules must contain at least one positive, non-stopword clause (at position ${at})`,
  ),
  'too-long': error(
    'The rule is longer than the access level allows; every UTF-16 unit counts.',
    `lava OR ${'magma'.repeat(210)}`,
    'The rule is too long; shorten it or split it into several rules.',
    (what) => `Rule ${what}`,
  ),
  'too-deep': error(
    'Parentheses are nested more than a hundred deep.',
    `${'('.repeat(101)}lava${')'.repeat(101)}`,
    'Parentheses are nested more than 100 deep; remove some.',
    (_, at) => `groups cannot be nested more than 100 deep (at position ${at})`,
  ),
  'explicit-and': error(
    'AND is written out; a blank already means AND.',
    'lava AND magma',
    'A blank already means AND; leave the word out, or quote it to look for it.',
    (_, at) =>
      `Ambiguous use of and as a keyword. Use a space to logically join two clauses, or "and" to find occurrences of and in text (at position ${at})`,
  ),
  'missing-clause': error(
    'A clause is missing beside OR, or inside parentheses.',
    'lava OR',
    'Nothing stands on one side of OR, or inside the parentheses; add a clause there or remove them.',
    atInput,
  ),
  'detached-dash': error(
    'A dash does not touch the clause it negates.',
    'lava - magma',
    'A dash excludes only the clause that it touches; remove the blank behind it.',
    atInput,
  ),
  'double-dash': error(
    'Two dashes stand before one clause.',
    'lava --magma',
    'One dash excludes a clause; remove the other.',
    atInput,
  ),
  'missing-close': error(
    'A parenthesis is never closed.',
    '(lava OR magma',
    'A parenthesis is never closed; add the closing one.',
    (_, at) => `mismatched input 'EOF' expecting ')' (at position ${at})`,
  ),
  'stray-close': error(
    'A closing parenthesis has no opening one.',
    'lava) magma',
    'A closing parenthesis has no opening one; remove it or add the opening one.',
    (_, at) => `missing EOF at ')' (at position ${at})`,
  ),
  'unclosed-quote': error(
    'A quote is never closed.',
    'lava "magma',
    'A quote is never closed; add the closing one.',
    atCharacter,
  ),
  'single-quote': error(
    'Single quotes do not make a phrase; double quotes do.',
    "lava 'black sand'",
    'Single quotes make no phrase; use double quotes.',
    atCharacter,
  ),
  'curly-quote': error(
    'Curly quotes do not make a phrase; straight ones do.',
    'lava “black sand”',
    'Curly quotes make no phrase; use straight double quotes.',
    atCharacter,
  ),
  'empty-phrase': error(
    'A phrase is empty or blank.',
    'lava ""',
    'There is nothing to look for in this phrase; write words into it or remove it.',
    atInput,
  ),
  'lone-sigil': error(
    '#, @ or $ stands without a name that could follow it.',
    'lava $100',
    (what) => `${what} is no hashtag, mention or cashtag that X knows; quote it to look for the text.`,
    atInput,
  ),
  'stray-bracket': error(
    'Square brackets stand where no list of numbers is expected.',
    '[lava]',
    'Square brackets hold the numbers of a geo operator only; use parentheses for groups.',
    atInput,
  ),
  'unclosed-list': error(
    'The list of numbers of a geo operator is never closed.',
    'point_radius:[-21.94 64.14 12km',
    'The list of numbers is never closed; add the closing bracket.',
    (_, at) => `mismatched input 'EOF' expecting ']' (at position ${at})`,
  ),
  'stray-punctuation': error(
    'A keyword cannot begin with punctuation.',
    'lava +magma',
    (what) => `A clause cannot begin with ${what}; remove it or put the clause in quotes.`,
    atCharacter,
  ),
  'unquoted-emoji': error(
    'An emoji of several parts must be quoted.',
    'lava ❤️',
    'This emoji is made of several characters; put it in quotes.',
    atCharacter,
  ),
  'missing-blank': error(
    'Two clauses, or a clause and some punctuation, are not separated.',
    '#lava-flow',
    'Two clauses stand together without a blank; separate them, or quote the whole.',
    atInput,
  ),
  'empty-value': error(
    'An operator has no value right after its colon.',
    'lava from:',
    'The value must follow its colon at once; write it there without a blank.',
    atInput,
  ),
  'bad-value-start': error(
    'A value begins with a character that it cannot begin with.',
    'from:@usgs',
    (what) => `The value ${what} begins with a character that it cannot begin with; remove it or quote the value.`,
    atInput,
  ),
  'second-colon': error(
    'An unquoted value holds another colon.',
    'url:https://example.org',
    'The value holds a colon; put the value in quotes.',
    cannotParse,
  ),
  'colon-in-keyword': error(
    'A keyword holds a colon; quoted, it may.',
    'lava 12:30',
    'A word with a colon is read as an operator; put it in quotes.',
    cannotParse,
  ),
  'commas-in-list': error(
    'Numbers of a list are separated by commas instead of blanks.',
    'point_radius:[1,2,3km]',
    'Numbers in a list are separated by blanks; remove the commas.',
    cannotParse,
  ),
  'unknown-operator': error(
    'X has no operator of this name.',
    'h:m',
    (what) => `X has no operator ${what}:; use one that it has, or leave it out.`,
    (what, at) => `Reference to invalid operator '${what}' (at position ${at}).`,
  ),
  'unknown-field': error(
    'Comes with unknown-operator: the name is no field either.',
    'h:m',
    (what) => `${what} is no field of a post either.`,
    (what, at) => `Reference to invalid field '${what}' (at position ${at}).`,
  ),
  'unknown-value': error(
    'has: or is: is followed by something it does not know.',
    'lava has:polls',
    (what) => `There is no ${what}; use one of the values that the operator knows.`,
    (what) => `Reference to invalid operator '${what}'`,
  ),
  'unavailable-operator': error(
    'The operator exists, but not at this access level.',
    'embedding:"ash"',
    (what) => `${what}: is not available at this access level; leave it out.`,
    (what) =>
      `Reference to invalid operator '${what}'. Operator is not available in current product or product packaging.`,
  ),
  'bad-value': error(
    'The value is not one that the operator takes.',
    'lava sample:150',
    (what) => `This value is not allowed: ${what}.`,
    asGiven,
  ),
  'bad-proximity': error(
    'The number after a phrase and ~ is not between 1 and 6.',
    '"lava magma"~9',
    'The number behind ~ must be from 1 to 6.',
    asGiven,
  ),
  'cannot-be-negated': error(
    'The operator cannot be negated.',
    'tea -sample:10',
    (what) => `${what}; remove the dash.`,
    asGiven,
  ),
  'must-be-negated': error(
    'The operator exists in its negated form only.',
    'tea is:nullcast',
    (what) => `${what}; put a dash before it.`,
    asGiven,
  ),
  'only-negations': error(
    'The rule, or one side of an OR, says only what must be absent.',
    'coffee OR -tea',
    'The rule, or one side of an OR, only says what must be absent; add a word that must be there.',
    (_, at) => `Rules must contain a non-negation term (at position ${at})`,
  ),
  'no-positive-clause': error(
    'The rule asks for nothing but stop words, or for nothing at all.',
    'to the',
    'The rule asks for nothing, or for very common words only; add a word that says what you look for.',
    (_, at) => `Rules must contain at least one positive, non-stopword clause (at position ${at})`,
  ),
  'needs-standalone': error(
    'The rule, or one side of an OR, has only operators that need company.',
    'is:quote',
    'This only narrows a search; add a word, hashtag or account to look for, as in: volcano has:images.',
    () => 'has/is/lang/sample/source cannot be used as a standalone operator',
  ),
  'threshold-alone': error(
    'embedding_threshold: has no embedding: beside it.',
    'embedding_threshold:0.5',
    'embedding_threshold: has nothing to apply to; add an embedding: or another clause.',
    () => 'embedding_threshold cannot be used as a standalone operator',
  ),
  'sample-with-or': error(
    'sample: stands beside or inside an OR that is not grouped.',
    'tea OR milk sample:10',
    'sample: covers the whole rule; put the ORed clauses in parentheses.',
    (_, at) =>
      `The sample operator cannot be used with an OR. To use the sample operator with an OR in the rule, the ORed clauses must be grouped together with parenthesis. For example, '(term1 OR term2) sample:10' (at position ${at})`,
  ),

  'lower-case-or': error(
    'or is written in small letters; OR joins alternatives.',
    'milk or sugar',
    'Write OR in capitals to join alternatives, or quote "or" to look for the word.',
    (_, at) =>
      `Ambiguous use of or as a keyword. Use OR to logically join two clauses, or "or" to find occurrences of or in text (at position ${at})`,
  ),
  'json-escape': error(
    'A backslash stands before a quote, as JSON writes it.',
    'lava \\"magma flow\\"',
    'A backslash before a quote is the JSON spelling; in a rule write the quote alone.',
    atCharacter,
  ),

  'never-matches': warning('No post can match the rule.', 'lava -lava', (what) => what),
  'matches-everything': warning('The rule matches every post, or nearly every one.', 'min_followers:0', (what) => what),
  'pointless-clause': warning('A clause changes nothing about what matches.', 'lava magma lava', (what) => what),
  'loose-condition': warning(
    'A condition holds for one side of an OR only.',
    'lava OR magma -is:retweet',
    (what) => `${what} applies to this side of the OR only; put the ORed clauses in parentheses to apply it to all.`,
  ),
  'word-not': warning(
    'NOT is a word to look for.',
    'milk NOT sugar',
    (what) => `"${what}" is a word that the post must hold here; put a dash right before a clause to exclude it.`,
  ),
  'other-syntax': warning(
    'This is written as another tool writes it.',
    'tesla AROUND(3) recall',
    (what) => `${what} is not how X says it.`,
  ),
  'wrapped-rule': warning(
    'The rule was pasted with what stood around it, or in the spelling of an address or of HTML.',
    'volcano%20-game',
    (what) => what,
  ),
  'odd-blank': warning(
    'A blank of another kind, or an invisible character, stands where a plain blank is meant.',
    'lava\u3000magma',
    (what) => `The character ${what} is no blank to X, so this is one text with it inside; type a plain blank.`,
  ),
  'unquoted-punctuation': warning(
    'A bare word holds punctuation, which no single word of a post does.',
    'rock-n-roll',
    (what) => `"${what}" holds punctuation, so it is looked for as a phrase; quote it to say so.`,
  ),
  'trailing-punctuation': warning(
    'A bare word ends in punctuation.',
    'lava, magma',
    (what) => `"${what}" is only found with its punctuation; separate clauses by blanks or OR alone.`,
  ),
  wildcard: warning(
    'A star stands in a word or an address as if it were a wildcard.',
    'volcan*',
    (what) => `X has no wildcards: the star in "${what}" finds nothing; name each form, joined by OR.`,
  ),
  fuzzy: warning(
    'A word ends in ~ or ^ and a number, as in Lucene.',
    'volcano~2',
    (what) => `X has no fuzzy words and no boosts: "${what}" is looked for as it stands; leave the sign out.`,
  ),
  'negated-group': warning('A dash stands before a group.', 'skiing -(snow OR day)', (what) => what),
  'words-after-value': warning(
    'Words follow an unquoted value of several words, it seems.',
    'bio:marine biologist',
    (what) => `Only the first word belongs to ${what}; the next is looked for in the post. Quote several words.`,
  ),
  'blank-after-colon': warning(
    'A blank stands between entity: and its value.',
    'entity: Paris',
    () => 'A value follows its colon at once; remove the blank.',
  ),
  'unknown-language': warning(
    'The language code is none that X gives to posts.',
    'lava lang:he',
    (what) => `X gives no post the language code "${what}", so this never holds; use a code that X uses.`,
  ),
  'unknown-country': warning(
    'The country code is not the one in use.',
    'place_country:UK',
    (what) => `"${what}" is no country code in use, so this never holds; use the two-letter ISO code.`,
  ),
} as const satisfies Readonly<Record<string, Message>>;

export type XCode = keyof typeof MESSAGES;

export interface About {
  /** The piece of text or the operator in question. */
  readonly what?: string;
  /** The offset, from 0, that the message points at, if it is not the start of the span. */
  readonly at?: number;
  /** A plain sentence that is more specific than that of the code. */
  readonly plain?: string | undefined;
  readonly fix?: Fix | undefined;
  readonly fixes?: readonly Fix[];
}

export function diagnose(
  code: XCode,
  start: number,
  end: number,
  { what = '', at = start, plain, fix, fixes = fix && [fix] }: About = {},
): Diagnostic {
  const known: Message = MESSAGES[code];
  const sentence = plain ?? known.plain(what);
  const wording = known.wording?.(what, at + 1);
  return {
    code,
    severity: known.severity,
    span: { start, end },
    message: wording === undefined ? sentence : `${sentence} X says: ${wording}`,
    ...(wording !== undefined && { wording }),
    ...(fixes !== undefined && fixes.length > 0 && { fixes }),
  };
}

export const replace = (start: number, end: number, text: string): Fix => ({ span: { start, end }, text });

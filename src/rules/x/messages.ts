/**
 * Every remark that can be made on an x rule. Errors speak X's own words where those are known, and its manner where not
 * (`what` is the piece of text or the operator in question, `at` its position, counted from 1 in UTF-16 units); warnings,
 * which X does not have, speak ours.
 */
import type { Diagnostic, Fix } from '../diagnostic.ts';

interface Message {
  readonly severity: Diagnostic['severity'];
  /** What the code means, for the list of codes. */
  readonly summary: string;
  /** A rule that shows it. */
  readonly example: string;
  readonly text: (what: string, at: number) => string;
}

const atInput = (what: string, at: number) => `no viable alternative at input '${what}' (at position ${at})`;
const atCharacter = (what: string, at: number) => `no viable alternative at character '${what}' (at position ${at})`;
const cannotParse = (what: string, at: number) => `Cannot parse rule at '${what}' (position ${at})`;
const plain = (what: string, at: number) => `${what} (at position ${at})`;

const error = (summary: string, example: string, text: Message['text']): Message => ({
  severity: 'error',
  summary,
  example,
  text,
});
const warning = (summary: string, example: string, text: (what: string) => string): Message => ({
  severity: 'warning',
  summary,
  example,
  text,
});

export const MESSAGES = {
  'empty-rule': error(
    'The rule holds nothing but blanks.',
    '',
    (_, at) => `Rules must contain at least one positive, non-stopword clause (at position ${at})`,
  ),
  'too-long': error(
    'The rule is longer than the access level allows; every UTF-16 unit counts.',
    `lava OR ${'magma'.repeat(210)}`,
    (what) => `Rule ${what}`,
  ),
  'too-deep': error(
    'Parentheses are nested more than a hundred deep.',
    `${'('.repeat(101)}lava${')'.repeat(101)}`,
    (_, at) => `groups cannot be nested more than 100 deep (at position ${at})`,
  ),
  'explicit-and': error(
    'AND is written out; a blank already means AND.',
    'lava AND magma',
    (_, at) =>
      `Ambiguous use of and as a keyword. Use a space to logically join two clauses, or "and" to find occurrences of and in text (at position ${at})`,
  ),
  'missing-clause': error('A clause is missing beside OR, or inside parentheses.', 'lava OR', atInput),
  'detached-dash': error('A dash does not touch the clause it negates.', 'lava - magma', atInput),
  'double-dash': error('Two dashes stand before one clause.', 'lava --magma', atInput),
  'missing-close': error(
    'A parenthesis is never closed.',
    '(lava OR magma',
    (_, at) => `mismatched input 'EOF' expecting ')' (at position ${at})`,
  ),
  'stray-close': error(
    'A closing parenthesis has no opening one.',
    'lava) magma',
    (_, at) => `missing EOF at ')' (at position ${at})`,
  ),
  'unclosed-quote': error('A quote is never closed.', 'lava "magma', atCharacter),
  'single-quote': error('Single quotes do not make a phrase; double quotes do.', "lava 'black sand'", atCharacter),
  'curly-quote': error('Curly quotes do not make a phrase; straight ones do.', 'lava “black sand”', atCharacter),
  'empty-phrase': error('A phrase is empty or blank.', 'lava ""', atInput),
  'lone-sigil': error('#, @ or $ stands without a name that could follow it.', 'lava $100', atInput),
  'stray-bracket': error('Square brackets stand where no list of numbers is expected.', '[lava]', atInput),
  'unclosed-list': error(
    'The list of numbers of a geo operator is never closed.',
    'point_radius:[-21.94 64.14 12km',
    (_, at) => `mismatched input 'EOF' expecting ']' (at position ${at})`,
  ),
  'stray-punctuation': error('A keyword cannot begin with punctuation.', 'lava +magma', atCharacter),
  'unquoted-emoji': error('An emoji of several parts must be quoted.', 'lava ❤️', atCharacter),
  'missing-blank': error('Two clauses, or a clause and some punctuation, are not separated.', '#lava-flow', atInput),
  'empty-value': error('An operator has no value right after its colon.', 'lava from:', atInput),
  'bad-value-start': error('A value begins with a character that it cannot begin with.', 'from:@usgs', atInput),
  'second-colon': error('An unquoted value holds another colon.', 'url:https://example.org', cannotParse),
  'colon-in-keyword': error('A keyword holds a colon; quoted, it may.', 'lava 12:30', cannotParse),
  'commas-in-list': error(
    'Numbers of a list are separated by commas instead of blanks.',
    'point_radius:[1,2,3km]',
    cannotParse,
  ),
  'unknown-operator': error(
    'X has no operator of this name.',
    'h:m',
    (what, at) => `Reference to invalid operator '${what}' (at position ${at}).`,
  ),
  'unknown-field': error(
    'Comes with unknown-operator: the name is no field either.',
    'h:m',
    (what, at) => `Reference to invalid field '${what}' (at position ${at}).`,
  ),
  'unknown-value': error(
    'has: or is: is followed by something it does not know.',
    'lava has:polls',
    (what) => `Reference to invalid operator '${what}'`,
  ),
  'unavailable-operator': error(
    'The operator exists, but not at this access level.',
    'embedding:"ash"',
    (what) =>
      `Reference to invalid operator '${what}'. Operator is not available in current product or product packaging.`,
  ),
  'bad-value': error('The value is not one that the operator takes.', 'lava sample:150', plain),
  'bad-proximity': error('The number after a phrase and ~ is not between 1 and 6.', '"lava magma"~9', plain),
  'cannot-be-negated': error('The operator cannot be negated.', 'tea -sample:10', plain),
  'must-be-negated': error('The operator exists in its negated form only.', 'tea is:nullcast', plain),
  'only-negations': error(
    'The rule, or one side of an OR, says only what must be absent.',
    'coffee OR -tea',
    (_, at) => `Rules must contain a non-negation term (at position ${at})`,
  ),
  'no-positive-clause': error(
    'The rule asks for nothing but stop words, or for nothing at all.',
    'to the',
    (_, at) => `Rules must contain at least one positive, non-stopword clause (at position ${at})`,
  ),
  'needs-standalone': error(
    'The rule, or one side of an OR, has only operators that need company.',
    'is:quote',
    () => 'has/is/lang/sample/source cannot be used as a standalone operator',
  ),
  'threshold-alone': error(
    'embedding_threshold: has no embedding: beside it.',
    'embedding_threshold:0.5',
    () => 'embedding_threshold cannot be used as a standalone operator',
  ),
  'sample-with-or': error(
    'sample: stands beside or inside an OR that is not grouped.',
    'tea OR milk sample:10',
    (_, at) =>
      `The sample operator cannot be used with an OR. To use the sample operator with an OR in the rule, the ORed clauses must be grouped together with parenthesis. For example, '(term1 OR term2) sample:10' (at position ${at})`,
  ),

  'lower-case-or': warning(
    'or in small letters is a word to look for.',
    'milk or sugar',
    (what) => `"${what}" is a word that the post must hold here; OR in capitals joins alternatives.`,
  ),
  'lower-case-and': warning(
    'and in small letters is a word to look for.',
    'milk and sugar',
    (what) => `"${what}" is a word that the post must hold here; a blank alone means AND.`,
  ),
  'word-not': warning(
    'NOT is a word to look for.',
    'milk NOT sugar',
    (what) => `"${what}" is a word that the post must hold here; a dash right before a clause negates it.`,
  ),
  'unquoted-punctuation': warning(
    'A bare word holds punctuation, which no single word of a post does.',
    'rock-n-roll',
    (what) => `"${what}" holds punctuation, so it is looked for as a phrase; quote it to say so.`,
  ),
  'trailing-punctuation': warning(
    'A bare word ends in punctuation.',
    'lava, magma',
    (what) => `"${what}" is only found with its punctuation; blanks alone separate clauses.`,
  ),
  wildcard: warning(
    'A star or question mark ends a word as if it were a wildcard.',
    'volcan*',
    (what) => `X has no wildcards: "${what}" is looked for as it stands. Name each form, joined by OR.`,
  ),
  fuzzy: warning(
    'A word ends in ~ or ^ and a number, as in Lucene.',
    'volcano~2',
    (what) => `X has no fuzzy words and no boosts: "${what}" is looked for as it stands.`,
  ),
  'negated-group': warning(
    'A dash stands before a group.',
    'skiing -(snow OR day)',
    () => 'X advises against negating a group; negate each part instead.',
  ),
  'loose-or': warning(
    'Conditions after the last OR hold for that side only.',
    'lava OR magma -is:retweet',
    (what) => `${what} applies only to what follows the last OR; put the ORed clauses in parentheses.`,
  ),
  'conflicting-values': warning(
    'Two different values are asked of something that has one.',
    'from:usgs from:nasa',
    (what) => `A post has one ${what} only, so two different ones joined by AND never match; join them by OR.`,
  ),
  contradiction: warning(
    'A clause is both required and excluded.',
    'lava -lava',
    (what) => `${what} is both required and excluded, so nothing can match.`,
  ),
  'duplicate-clause': warning('A clause is said twice.', 'lava magma lava', (what) => `${what} is said twice.`),
  'never-extracted': warning(
    'No post can have such a hashtag, cashtag or mention.',
    '#2024',
    (what) => `X never reads ${what} as an entity of a post, so this matches nothing; look for the word instead.`,
  ),
  'words-after-value': warning(
    'Words follow an unquoted value of several words, it seems.',
    'bio:marine biologist',
    (what) => `Only the first word belongs to ${what}; the next is a keyword of the post. Quote several words.`,
  ),
  'blank-after-colon': warning(
    'A blank stands between entity: and its value.',
    'entity: Paris',
    () => 'A value follows its colon without a blank.',
  ),
  'unknown-language': warning(
    'The language code is none that X gives to posts.',
    'lava lang:he',
    (what) => `X does not use the language code "${what}".`,
  ),
  'unknown-country': warning(
    'The country code is not the one in use.',
    'place_country:UK',
    (what) => `"${what}" is no country code in use.`,
  ),
} as const satisfies Readonly<Record<string, Message>>;

export type Code = keyof typeof MESSAGES;

export interface About {
  /** The piece of text or the operator in question. */
  readonly what?: string;
  /** Where the message points, when that is not where the span starts; an offset, from 0. */
  readonly at?: number;
  readonly fix?: Fix | undefined;
}

export function diagnose(
  code: Code,
  start: number,
  end: number,
  { what = '', at = start, fix }: About = {},
): Diagnostic {
  const { severity, text } = MESSAGES[code];
  const diagnostic = { code, severity, span: { start, end }, message: text(what, at + 1) };
  return fix === undefined ? diagnostic : { ...diagnostic, fix };
}

export const replace = (start: number, end: number, text: string): Fix => ({ span: { start, end }, text });

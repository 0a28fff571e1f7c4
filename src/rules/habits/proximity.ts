/** Words near each other, as other tools ask for them: a phrase with a distance here. */
import { type Dialect, either, type Habit, inQuotes, type Rewriting } from './habit.ts';

const WORD = String.raw`[\p{L}\p{N}#@$][\p{L}\p{N}'’_.-]{0,60}`;
const OPERAND = String.raw`(?:"[^"]{1,120}"|\([^()]{1,300}\)|${WORD})`;
const NAMES = 'NEAR|ONEAR|near|onear|Near|AROUND|around|WITHIN|within|W|w|PRE|pre|ADJ|adj|NEXT|N|n|P|p';
/** `NEAR/5`, `NEAR/2f`, `AROUND(3)`, `WITHIN 5`, `W5`, `/5`, `~5`, `NEAR`, `w/s`. */
const OPERATOR = String.raw`(?:(?:${NAMES})\/(?:\d{1,3}f?|s|p|seg)|(?:NEAR|ONEAR|AROUND|around|WITHIN)\s?\(\s?\d{1,3}\s?\)|(?:NEAR|WITHIN|AROUND)[\s:~]\d{1,3}(?: WORDS(?: OF)?)?|(?:ADJ|NEAR|W|N)\d{1,2}|ONEAR|NEAR|\/\d{1,3}|~\d{1,3})`;

const MOST_PAIRS = 12;
const USUAL = 10;
const SENTENCE = 15;

/** The alternatives of an operand; undefined where it is more than words joined by OR. */
function alternatives(operand: string): readonly string[] | undefined {
  const inside = operand.startsWith('(') ? operand.slice(1, -1) : operand;
  const parts = operand.startsWith('(') ? inside.split(/\s+(?:OR|or|\|\|?)\s+|\s*,\s*/) : [inside];
  const words = parts.map((part) => part.trim().replaceAll('"', ''));
  return words.every((word) => /^[\p{L}\p{N}#@$]/u.test(word) && !/\b(?:AND|NOT|NEAR)\b|[:*?]/.test(word))
    ? words
    : undefined;
}

function near(left: string, right: string, operator: string, dialect: Dialect): Rewriting | undefined {
  const [one, other] = [alternatives(left), alternatives(right)];
  if (one === undefined || other === undefined || one.length * other.length > MOST_PAIRS) return undefined;
  const asked = Number(
    /\d+/.exec(operator)?.[0] ?? (/[sp]|seg/.test(operator) && operator.includes('/') ? SENTENCE : USUAL),
  );
  const distance = Math.min(Math.max(asked, 1), dialect.farthest);
  const pairs = one.flatMap((first) => other.map((second) => `${inQuotes(`${first} ${second}`)}~${distance}`));
  const written = either(pairs);
  const most = asked > distance ? ` (at most ${dialect.farthest})` : '';
  return {
    message: `${dialect.name} has no ${operator.trim()}: write ${pairs[0]}${most}, words at most ${distance} words apart.`,
    text: written,
    meaning: `${dialect.events} with ${one.join(' or ')} within ${distance} words of ${other.join(' or ')}`,
  };
}

export const PROXIMITY: readonly Habit[] = [
  {
    name: 'near',
    tools: 'Brandwatch, Meltwater, Talkwalker, Cision, LexisNexis, Google',
    meaning: 'two words with few others between them',
    examples: { x: 'tesla NEAR/5 recall', firehose: 'tesla NEAR/5 recall' },
    hint: new RegExp(String.raw`[\s")]${OPERATOR}[\s"(]`, 'u'),
    pattern: new RegExp(String.raw`(${OPERAND})\s+((?:NOT|not)\s+)?(${OPERATOR})\s*(${OPERAND})`, 'uy'),
    rewrite([, left = '', not, operator = '', right = ''], dialect) {
      if (/^(?:AND|OR|NOT|TO)$/i.test(left) || /^(?:AND|OR|NOT|TO)$/.test(right)) return undefined;
      // A bare NEAR is an operator only in capitals between words that are not.
      if (operator === 'NEAR' && left === left.toUpperCase() && right === right.toUpperCase()) return undefined;
      const found = near(left, right, operator, dialect);
      if (found === undefined || not === undefined) return found;
      const written = `${left} ${dialect.platform === 'x' ? '' : 'AND '}${dialect.not(found.text!)}`;
      return {
        message: `Write ${written}.`,
        text: written,
        meaning: `${dialect.events} with ${left}, not near ${right}`,
        intent: 'habit',
      };
    },
  },
  {
    name: 'near-call',
    tools: 'Cision, Sprinklr',
    meaning: 'two words with few others between them',
    examples: { x: 'NEAR(tesla, recall, 5)', firehose: 'NEAR(tesla, recall, 5)' },
    hint: /NEAR\s?\(/,
    pattern: new RegExp(
      String.raw`O?NEAR(?:\/\d{1,3})?\s?\(\s*(${OPERAND})\s*[,;]\s*(${OPERAND})\s*(?:[,;]\s*(\d{1,3})\s*)?\)`,
      'uy',
    ),
    rewrite: ([all, left = '', right = '', distance], dialect) =>
      near(left, right, `NEAR/${distance ?? /^O?NEAR\/(\d+)/.exec(all)?.[1] ?? USUAL}`, dialect),
  },
  {
    name: 'near-group',
    tools: 'Brandwatch, Crimson Hexagon',
    meaning: 'one of these with few words between it and one of those',
    examples: { x: '((tesla OR ford) AND recall)~5', firehose: '((tesla OR ford) AND recall)~5' },
    hint: /\)~\d/,
    pattern: new RegExp(String.raw`\(\s*(${OPERAND})\s+(?:AND\s+)?(${OPERAND})\s*\)~(\d{1,3})`, 'uy'),
    rewrite: ([, left = '', right = '', distance = ''], dialect) => near(left, right, `~${distance}`, dialect),
  },
  {
    name: 'near-detached',
    tools: 'Lucene',
    meaning: 'a phrase with few other words inside',
    examples: { x: '"tesla recall" ~5', firehose: '"tesla recall" ~5' },
    hint: /"(?:\s+~\s?|~\s+)\d/,
    pattern: /("[^"]{3,200}")(?:\s+~\s?|~\s+)(\d{1,2})(?=[\s)]|$)/y,
    rewrite([, words = '', digits = ''], dialect) {
      const distance = Math.min(Number(digits), dialect.farthest);
      if (!/\s/.test(words) || distance < 1) return undefined;
      return {
        message: 'The distance must follow the closing quote of its phrase at once; remove the blanks.',
        text: `${words}~${distance}`,
        meaning: `${dialect.events} with these words at most ${distance} words apart`,
      };
    },
  },
];

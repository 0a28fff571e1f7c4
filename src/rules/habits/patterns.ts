/** Patterns of regular expressions and wildcards that stand in a rule as if it read them. */
import { type Dialect, either, type Habit, type Rewriting } from './habit.ts';

const MOST_WORDS = 12;

/** The words of a pattern with few of them: `colou?r`, `organi[sz]ation`, `gr(a|e)y`. Undefined for any other. */
export function wordsOfPattern(pattern: string): readonly string[] | undefined {
  let words = [''];
  let at = 0;
  while (at < pattern.length) {
    const piece = /(?:\[([\p{L}\p{N}]{1,6})\]|\((?:\?:)?([\p{L}\p{N}|]{1,60})\)|([\p{L}\p{N} '_-]))(\??)/uy;
    piece.lastIndex = at;
    const [all, set, group, letter, maybe] = piece.exec(pattern) ?? [];
    if (all === undefined) return undefined;
    const choices = set !== undefined ? set.split('') : group !== undefined ? group.split('|') : [letter!];
    const wanted = maybe === '?' ? [...choices, ''] : choices;
    words = words.flatMap((word) => wanted.map((choice) => word + choice));
    if (words.length > MOST_WORDS) return undefined;
    at += all.length;
  }
  return words.every((word) => word.trim().length > 1) ? [...new Set(words)] : undefined;
}

function spelt(pattern: string, dialect: Dialect): Rewriting | undefined {
  const branches = /^[^()[\]]*\|/.test(pattern) ? pattern.split('|') : [pattern];
  const words = branches.flatMap((branch) => wordsOfPattern(branch) ?? ['']);
  if (words.includes('') || words.length > MOST_WORDS) return undefined;
  const texts = words.map((word) => (/^[\p{L}\p{N}_]+$/u.test(word) ? word : `"${word}"`));
  const text = either(texts);
  const message =
    dialect.platform === 'x'
      ? `X has no patterns; name each word: ${text}.`
      : `This is a regular expression; name each word: ${text}.`;
  return { message, text, meaning: `${dialect.events} with ${words.join(' or ')}` };
}

export const PATTERNS: readonly Habit[] = [
  {
    name: 'regular-expression',
    tools: 'grep, programming languages',
    meaning: 'one of several spellings',
    examples: { x: '/colou?r/' },
    hint: /\//,
    pattern: /\/(?!\/)(?:\^|\\b|\.\*)?([^\s/]{2,100}?)(?:\$|\\b|\.\*)?\/[gimu]{0,3}(?=[\s)]|$)/y,
    rewrite([all, pattern = ''], dialect) {
      if (dialect.platform === 'firehose' && !/[gimu]$/.test(all)) return undefined;
      const found = spelt(pattern, dialect);
      if (found !== undefined || dialect.platform === 'x')
        return found ?? { message: 'X has no regular expressions; name each word, joined by OR.' };
      const text = all.replace(/[gimu]+$/, '');
      return {
        message: `A pattern takes no letters behind it; write ${text}.`,
        text,
        meaning: `pages with words that fit ${text}`,
      };
    },
  },
  {
    name: 'word-boundary',
    tools: 'grep, programming languages',
    meaning: 'a whole word',
    examples: { x: String.raw`\btesla\b`, firehose: String.raw`\btesla\b` },
    hint: /\\b|\(\?i\)|\.\*|\^\p{L}/u,
    pattern: /(?:\(\?i\))?(?:\^|\\b|\.\*)?([\p{L}\p{N}[\]()|?]{2,80}?)(?:\$|\\b|\.\*)?(?=[\s)]|$)/uy,
    rewrite: ([all, pattern = ''], dialect) =>
      /^\\b|^\.\*|^\(\?i\)|^\^.*\$$/.test(all) ? spelt(pattern, dialect) : undefined,
  },
  {
    name: 'set-of-letters',
    tools: 'grep, programming languages',
    meaning: 'one of several spellings',
    examples: { x: 'organi[sz]ation', firehose: 'organi[sz]ation' },
    hint: /\p{L}(?:\[[\p{L}\p{N}]{1,6}\]|\([\p{L}|]+\)\??|\?\p{L})/u,
    pattern:
      /(\p{L}[\p{L}\p{N}]{0,40}(?:\[[\p{L}\p{N}]{1,6}\]|\(\p{L}{0,20}\|\p{L}{0,20}\)|\(\p{L}{1,8}\)\?|\?)[\p{L}\p{N}[\]()|?]{0,60})(?=[\s)]|$)/uy,
    rewrite([, pattern = ''], dialect) {
      const isOnlyMark = !/[[(]/.test(pattern);
      // On pages ? is one character, which is at times meant; behind a vowel it is the u of colour.
      if (isOnlyMark && (dialect.platform === 'x' ? pattern.endsWith('?') : !/(?:ou\?r|e\?s$)/.test(pattern)))
        return undefined;
      return spelt(pattern, dialect);
    },
  },
  {
    name: 'pattern-tail',
    tools: 'grep, programming languages',
    meaning: 'words that begin with this',
    examples: { x: 'tesla.*', firehose: 'tesla.*' },
    hint: /\p{L}\.[*+]/u,
    pattern: /(\p{L}{3,40})\.[*+](?=[\s)]|$)/uy,
    rewrite: ([, root = ''], { platform }) =>
      platform === 'x'
        ? { message: `X has no wildcards; name each form of ${root}, joined by OR.` }
        : {
            message: `Words that begin with ${root} are ${root}*.`,
            text: `${root}*`,
            meaning: `pages with words that begin with ${root}`,
          },
  },
  {
    name: 'root-expander',
    tools: 'LexisNexis, Westlaw',
    meaning: 'words that begin with this',
    examples: { firehose: 'recycl! AND plastic' },
    hint: /\p{L}!(?:\s|$|\))/u,
    // Before a plain word the mark belongs to a name: Yahoo! finance.
    pattern: /(\p{L}{3,40})!(?=\s+(?:AND|OR|NOT|[wW]\/|[pP][rR][eE]\/)|\))/uy,
    rewrite: ([, root = ''], { platform }) =>
      platform === 'x'
        ? undefined
        : {
            message: `Words that begin with ${root} are ${root}*.`,
            text: `${root}*`,
            meaning: `pages with words that begin with ${root}`,
          },
  },
  {
    name: 'field-start',
    tools: 'grep, Meltwater',
    meaning: 'a field that begins with this',
    examples: { firehose: 'title:^tesla' },
    hint: /:\^/,
    pattern: /([a-z_]{3,20}):\^("[^"]{1,100}"|[^\s()"^]{1,60})/iy,
    rewrite: ([, field = '', value = ''], { platform }) =>
      platform === 'x'
        ? undefined
        : {
            message: `A rule cannot say where in a field a word stands; nearest is ${field}:${value}, anywhere in it.`,
            text: `${field}:${value}`,
            meaning: `pages with ${value} anywhere in ${field}`,
          },
  },
  {
    name: 'wildcard-phrase',
    tools: 'Meltwater, Brandwatch, Google',
    meaning: 'a phrase whose last word may go on',
    examples: { x: '"electric vehicle*"', firehose: '"electric vehicle*"' },
    hint: /\*"/,
    pattern: /"([\p{L}\p{N}' -]{3,100}\p{L})\*"/uy,
    rewrite([, words = ''], { platform, events }) {
      if (!words.includes(' ') && platform === 'firehose') return undefined;
      const last = words.split(' ').at(-1)!;
      const forms = [words, `${words}${/(?:s|x|z|ch|sh)$/.test(last) ? 'es' : 's'}`];
      const text = either(forms.map((form) => (form.includes(' ') ? `"${form}"` : form)));
      return {
        message: `A star in quotes is a plain character; name each form: ${text}.`,
        text,
        meaning: `${events} with ${forms.join(' or ')}`,
      };
    },
  },
];

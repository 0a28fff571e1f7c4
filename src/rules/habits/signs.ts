/** Signs and words that exclude, as other tools and word processors write them. */
import { kind } from './fields.ts';
import { CLAUSE, type Dialect, type Habit, MINUS, phrase, type Rewriting } from './habit.ts';

/** The excluded clause, without signs and quotes that mean nothing. */
function excluded(clause: string, dialect: Dialect): string {
  const straight = clause.replace(/^[“„«‘](.*)[“”»’]$/su, '"$1"');
  const plain = straight.replace(/^"([\p{L}\p{N}_]+)"$/u, '$1');
  return dialect.platform === 'x' ? plain : plain.replace(/^(["\p{L}\p{N}(].*)~$/su, '$1');
}

/** The text before a place in the same parentheses. */
function listBefore(text: string, end: number): string {
  let [at, depth] = [end - 1, 0];
  for (; at >= 0 && depth >= 0; at--) {
    if (text.charAt(at) === ')') depth++;
    else if (text.charAt(at) === '(') depth--;
  }
  return text.slice(depth < 0 ? at + 2 : 0, end).trim();
}

/** `AND NOT` where all that comes before is joined by AND, or is one clause; elsewhere the list around it is mended next. */
function joinedBy(dialect: Dialect, text: string, start: number, clause: string): string {
  if (dialect.platform === 'x') return dialect.not(clause);
  const before = listBefore(text, start);
  const isOne =
    /^\S+$/.test(before.replaceAll(/"[^"]*"|[“„«][^“”»]*[“”»]|\([^()]*\)/g, 'x')) && !/^(?:AND|OR|NOT)$/.test(before);
  return isOne ? `AND NOT ${clause}` : `NOT ${clause}`;
}

/** On X each of several alternatives gets its dash: X advises against one before a group. */
function spread(group: string): string | undefined {
  if (!group.startsWith('(')) return undefined;
  const parts = group
    .slice(1, -1)
    .trim()
    .split(/\s+(?:OR|or|\|\|?)\s+/);
  const isPlain = (part: string) => /^(?:"[^"]+"|[^\s()"]+)$/.test(part) && !/^[-!~¬]/.test(part);
  return parts.length > 1 && parts.every(isPlain) ? parts.map((part) => `-${part}`).join(' ') : undefined;
}

function rewrite(clause: string, start: number, dialect: Dialect, text: string, sign: string): Rewriting | undefined {
  const what = excluded(clause, dialect);
  if (!/[\p{L}\p{N}]/u.test(what) || /^(?:AND|OR|NOT)$/.test(what)) return undefined;
  const written = (dialect.platform === 'x' ? spread(what) : undefined) ?? joinedBy(dialect, text, start, what);
  return {
    message: `${sign} excludes nothing here; write ${written} to exclude ${what}.`,
    text: written,
    meaning: `${dialect.events} without ${what}`,
    intent: { excludes: what },
  };
}

const WORDS = String.raw`ANDNOT|AND[-_]NOT|(?:AND |BUT )?(?:NOT )?EXCEPT(?: FOR)?|(?:BUT(?: AND)?|but(?: and)?) (?:NOT|not)|NOT:|MINUS|minus|except(?: for)?|(?:AND |BUT )?(?:WITHOUT|without|W\/O|w\/o)|(?:AND )?(?:EXCLUDING|excluding|EXCLUDES|EXCLUDE|exclude)`;

export const SIGNS: readonly Habit[] = [
  {
    name: 'no-kind',
    tools: 'plain English, the website of X',
    meaning: 'posts of a kind are left out',
    examples: { x: 'volcano no retweets' },
    hint: /\b(?:no|without|excluding|exclude|minus) (?:re|rt|quot)|-RTs?\b/i,
    pattern: /(?:(?:no|without|excluding|exclude|minus) (retweets?|rts?|reposts?|replies|quotes)|-(RTs?))(?=[\s)]|$)/iy,
    rewrite: ([, said, short = ''], { platform }) => (platform === 'x' ? kind(said ?? short, true) : undefined),
  },
  {
    name: 'minus',
    tools: 'word processors, phones, mathematics',
    meaning: 'what must not be there',
    examples: { x: 'volcano –game', firehose: 'volcano –game' },
    hint: new RegExp(String.raw`[${MINUS}¬~!！]|--|<>|(?:^|\s)\\-`, 'u'),
    pattern: new RegExp(
      String.raw`(?:(?:NOT|not)\s+)?(-{0,2}[${MINUS}¬！~]+-{0,2}|&!|!=|<>|\\-(?=\p{L})|--+(?=\s)|!(?=[("“]))\s*(${CLAUSE})`,
      'uy',
    ),
    rewrite([all, sign = '', clause = ''], dialect, text) {
      const start = this.pattern.lastIndex - all.length;
      // Lucene reads ! as an exclusion; a distance follows its phrase, and two words may stand beside a dash.
      if (dialect.platform === (sign === '!' ? 'firehose' : sign.startsWith('--') ? 'x' : undefined)) return undefined;
      if (/^(?:[<!\\]|&!)/.test(sign) && start === 0) return undefined;
      if (sign === '~' && (/^[\d.]+$/.test(clause) || /["\p{L}\p{N})]$/u.test(text.slice(0, start)))) return undefined;
      const found = rewrite(clause, start, dialect, text, sign);
      if (found === undefined || !/\s/.test(all.slice(all.indexOf(sign), -clause.length))) return found;
      return { ...found, other: { text: clause, meaning: `${dialect.events} with ${clause}, the dash left out` } };
    },
  },
  {
    name: 'not-minus',
    tools: 'chat models',
    meaning: 'one exclusion, said twice',
    examples: { x: 'volcano NOT -game', firehose: 'volcano NOT -game' },
    hint: /\b(?:NOT|not)\s*\(?\s*-/,
    pattern: new RegExp(String.raw`(?:(?:AND|and)\s+)?(?:NOT|not)\s+-\s*(${CLAUSE})`, 'uy'),
    rewrite([all, clause = ''], dialect, text) {
      // In small letters it is a word to Lucene, and the dash alone excludes.
      if (dialect.platform === 'firehose' && !all.includes('NOT')) return undefined;
      const start = this.pattern.lastIndex - all.length;
      const what = excluded(clause, dialect);
      const written =
        /^and/i.test(all) && dialect.platform === 'firehose' ? `AND NOT ${what}` : joinedBy(dialect, text, start, what);
      return {
        message: `NOT and a dash exclude once, not twice; write ${written}.`,
        text: written,
        meaning: `${dialect.events} without ${what}`,
        intent: { excludes: what },
      };
    },
  },
  {
    name: 'quoted-minus',
    tools: 'spreadsheets, chat models',
    meaning: 'what must not be there',
    examples: { x: 'volcano "-game"', firehose: 'volcano "-game"' },
    hint: new RegExp(`["“„«][-${MINUS}]`, 'u'),
    pattern: new RegExp(String.raw`["“„«][-${MINUS}]\s?(\p{L}[^"“”»]{0,200})["“”»](?![~\p{L}\p{N}])`, 'uy'),
    rewrite([all, words = ''], dialect, text) {
      const found = rewrite(phrase(words), this.pattern.lastIndex - all.length, dialect, text, 'A dash inside quotes');
      return found;
    },
  },
  {
    name: 'not-word',
    tools: 'LexisNexis, Cision, Google, plain English',
    meaning: 'what must not be there',
    examples: { x: 'volcano w/o game', firehose: 'volcano BUT NOT game' },
    hint: new RegExp(String.raw`(?:^|[\s(])(?:${WORDS})[\s(]`, 'u'),
    pattern: new RegExp(String.raw`(${WORDS})(?:\s+|(?=\())(${CLAUSE})`, 'uy'),
    rewrite([all, word = '', clause = ''], dialect, text) {
      const start = this.pattern.lastIndex - all.length;
      if (start === 0) return undefined;
      const found = rewrite(clause, start, dialect, text, word);
      if (found === undefined || !/^\p{Ll}/u.test(word)) return found;
      const isPlain = /^\p{L}+$/u.test(word);
      return {
        ...found,
        message: `${word} is a word to look for here; write ${found.text} to exclude ${excluded(clause, dialect)}.`,
        ...(isPlain && { other: { text: `"${word}" ${clause}`, meaning: `${dialect.events} with the word ${word}` } }),
      };
    },
  },
  {
    name: 'not-group',
    tools: 'SQL, Brandwatch, Meltwater',
    meaning: 'none of these must be there',
    examples: { x: 'volcano AND NOT(game)' },
    hint: /\b(?:NOT|not)\s*\(/,
    pattern: /(?:(?:AND|and|&&)\s+)?(?:NOT|not)\s*(\((?:[^()]|\([^()]{0,200}\)){1,400}\))/uy,
    rewrite([all, group = ''], dialect, text) {
      if (dialect.platform === 'firehose') return undefined;
      const inside = group.slice(1, -1).trim();
      const isOne = /^(?:"[^"]*"|[^\s"]+)$/.test(inside) && !/^[-\u2010-\u2015\u2212]/.test(inside);
      return rewrite(isOne ? inside : group, this.pattern.lastIndex - all.length, dialect, text, 'NOT');
    },
  },
  {
    name: 'group-minus',
    tools: 'SQL, chat models',
    meaning: 'what must not be there',
    examples: { firehose: 'volcano (NOT game)' },
    hint: /\(\s*(?:-|!|NOT\s)/,
    pattern: new RegExp(String.raw`\(\s*(?:-|!|NOT\s+)(${CLAUSE})\s*\)`, 'uy'),
    rewrite([all, clause = ''], dialect, text) {
      const start = this.pattern.lastIndex - all.length;
      // Lucene takes exclusions from what stands in the same parentheses, and here there is nothing else.
      const before = text.slice(0, start).trimEnd();
      if (dialect.platform === 'x' || before === '' || /(?:\(|\b(?:AND|OR|NOT)|&&|\|\||[-+!])$/.test(before))
        return undefined;
      return rewrite(clause, start, dialect, text, 'An exclusion alone in parentheses');
    },
  },
  {
    name: 'minus-list',
    tools: 'people, spreadsheets',
    meaning: 'several words that must not be there',
    examples: { x: 'openai -hiring,-jobs', firehose: 'openai -hiring,-jobs' },
    hint: /[\p{L}\p{N}][,;]\s?-\p{L}/u,
    pattern: /-?[\p{L}\p{N}_]{1,60}(?:[,;]\s?-[\p{L}\p{N}_]{1,60}){1,20}(?=[\s)]|$)/uy,
    rewrite([all], { events, platform }, text) {
      const words = all.split(/[,;]\s?/);
      const written = words
        .map((word) => (platform === 'x' ? word : word.replace(/^-/, 'NOT ')))
        .join(platform === 'x' ? ' ' : ' AND ');
      const isInside = /[-+]$/.test(text.slice(0, this.pattern.lastIndex - all.length));
      if (isInside) return undefined;
      return {
        message: `Blanks separate clauses; write ${written}.`,
        text: written,
        meaning: `${events} with ${words.join(', ').replaceAll('-', 'no ')}`,
        intent: 'habit',
      };
    },
  },
  {
    name: 'quoted-operator',
    tools: 'chat models',
    meaning: 'clauses joined by a word in quotes',
    examples: { x: '"tesla" "OR" "ford"', firehose: '"tesla" "AND" "ford"' },
    hint: /\s"(?:OR|AND)"\s/,
    pattern: /"(OR|AND)"(?=\s+\S)/y,
    rewrite: ([, word = ''], { platform, events }) => ({
      message: `In quotes ${word} is a word to look for; write ${platform === 'x' && word === 'AND' ? 'a blank' : word} to join clauses.`,
      text: platform === 'x' && word === 'AND' ? '' : word,
      meaning: `${events} with ${word === 'OR' ? 'one side or the other' : 'both'}`,
      intent: 'habit',
    }),
  },
  {
    name: 'minus-or',
    tools: 'chat models',
    meaning: 'either of the two',
    examples: { x: 'cat -OR dog' },
    hint: /(?:^|\s)[-|]OR\s/,
    pattern: /[-|]OR(?=\s)/y,
    rewrite: (_, { platform }) =>
      platform === 'x'
        ? {
            message: 'OR takes no sign: write OR alone for either of the two, or a dash before what must not be there.',
          }
        : undefined,
  },
];

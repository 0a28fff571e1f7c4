/** Habits of whole texts: something is pasted around a rule, or the text was encoded on its way. */
import { clean, equal } from './conditions.ts';
import { type Dialect, type Habit, inQuotes, isExcludedAt } from './habit.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  lt: '<',
  gt: '>',
  apos: "'",
  nbsp: ' ',
  ndash: '-',
  mdash: '-',
  minus: '-',
  ldquo: '“',
  rdquo: '”',
  lsquo: '‘',
  rsquo: '’',
  laquo: '«',
  raquo: '»',
  hyphen: '-',
  lpar: '(',
  rpar: ')',
  colon: ':',
};

const decoded = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,6}));/gi,
    (all, decimal?: string, hex?: string, name?: string) => {
      const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
      if (code !== undefined) return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
      return ENTITIES[name!.toLowerCase()] ?? all;
    },
  );

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A blank is AND on X, and every other word that joins is mended with the rule. */
const tidied = (text: string, { platform }: Dialect): string =>
  (platform === 'x' ? text.replaceAll(/\s+(?:AND|&&?)\s+(?=\S)/g, ' ') : text).trim();

const TAG = /<\/?(?:a|b|i|u|em|strong|mark|p|span|div|br|code|pre|li|ul)(?:\s[^<>]{0,200})?\/?>/i;

const ITEM = String.raw`(?:(?:[a-z_]{1,30}:)?"[^",]{1,100}"|[^\s,()[\]{}"]{1,100})`;

const JOINED = /\s(?:OR|AND|NOT)\s|\s-?[a-z_]+:\S|^-?[a-z_]+:\S+\s|\s-\p{L}/u;

export const WRAPPINGS: readonly Habit[] = [
  {
    name: 'html-entities',
    tools: 'web pages, mail',
    meaning: 'characters in the spelling of HTML',
    examples: { x: 'quake &amp; (tsunami OR &quot;tidal wave&quot;)', firehose: 'tesla AND &quot;model 3&quot;' },
    hint: /&(?:#x?[\da-f]+|[a-z]{2,6});/i,
    pattern: /.*/sy,
    whole: true,
    rewrite([text], dialect) {
      const plain = decoded(text);
      if (plain === text) return undefined;
      return {
        message: '&amp; and &quot; are how HTML writes & and "; write the characters.',
        text: tidied(plain, dialect),
        meaning: 'the text as HTML shows it',
        intent: 'habit',
      };
    },
  },
  {
    name: 'html-tags',
    tools: 'web pages, mail',
    meaning: 'words with the tags of HTML',
    examples: { x: '<b>volcano</b> -game', firehose: '<em>tesla</em> AND recall' },
    hint: TAG,
    pattern: /.*/sy,
    whole: true,
    rewrite: ([text], dialect) => ({
      message: 'A rule has no tags of HTML; write the words alone.',
      text: tidied(text.replaceAll(new RegExp(TAG, 'gi'), ''), dialect),
      meaning: 'the words without the tags',
      intent: 'habit',
    }),
  },
  {
    name: 'percent-encoding',
    tools: 'addresses of searches',
    meaning: 'a text as it stands in an address',
    examples: { x: 'volcano%20-game', firehose: 'tesla%20AND%20recall' },
    hint: /%20|%22|%3A/i,
    pattern: /\S+/y,
    whole: true,
    rewrite([text], dialect, whole) {
      const plain = text.length === whole.length ? unescaped(text.replaceAll('+', ' ')) : undefined;
      if (plain === undefined || plain === text) return undefined;
      return {
        message: '%20 is how addresses write a blank; write the characters.',
        text: tidied(plain, dialect),
        meaning: 'the text as it was typed',
        intent: 'habit',
      };
    },
  },
  {
    name: 'plus-encoding',
    tools: 'addresses of searches',
    meaning: 'blanks as they stand in an address',
    examples: { x: 'volcano+AND+lava', firehose: 'tesla+AND+recall' },
    hint: /\+(?:AND|OR|NOT)\+/,
    pattern: /\S+/y,
    whole: true,
    rewrite: ([text], dialect, whole) =>
      text.length === whole.length
        ? {
            message: 'A plus is how addresses write a blank; write blanks.',
            text: tidied(text.replaceAll('+', ' '), dialect),
            meaning: 'the text as it was typed',
            intent: 'habit',
          }
        : undefined,
  },
  {
    name: 'code-fence',
    tools: 'Markdown, chat models',
    meaning: 'a rule shown as code',
    examples: { x: '`volcano -game`', firehose: '`tesla AND recall`' },
    hint: /^`/,
    pattern: /(`{1,3})(?:(?:text|sql|lucene|query|txt|plaintext|x|firehose)\n)?\s*([^`]{1,4000}?)\s*`{1,3}\s*$/y,
    whole: true,
    rewrite: ([, ticks = '', inside = ''], dialect) =>
      ticks.length === 1 && !JOINED.test(inside)
        ? undefined
        : {
            message: 'Backticks are Markdown; write the rule alone.',
            text: tidied(inside, dialect),
            meaning: 'the rule inside',
            intent: 'habit',
          },
  },
  {
    name: 'json',
    tools: 'requests, chat models',
    meaning: 'a rule as it stands in a request',
    examples: { x: '{"value": "volcano -game"}', firehose: '{"query": "tesla AND recall"}' },
    hint: /^[{[].*"(?:value|query|q|rule)"/s,
    pattern: /[{[].*?"(?:value|query|q|rule)"\s*:\s*("(?:[^"\\]|\\.){1,4000}").*[}\]]\s*$/sy,
    whole: true,
    rewrite([, inside = ''], dialect) {
      try {
        const text = JSON.parse(inside) as unknown;
        if (typeof text !== 'string' || text.trim() === '') return undefined;
        return {
          message: 'This is a request with a rule in it; write the rule alone.',
          text: tidied(text, dialect),
          meaning: 'the rule inside',
          intent: 'habit',
        };
      } catch {
        return undefined;
      }
    },
  },
  {
    name: 'escaped-lines',
    tools: 'JSON, programming languages',
    meaning: 'lines in the spelling of JSON',
    examples: { x: String.raw`volcano OR\nlava`, firehose: String.raw`tesla AND\nrecall` },
    hint: /\\n/,
    pattern: /.+/sy,
    whole: true,
    rewrite([text], dialect) {
      // Lucene reads a backslash before a letter as the letter, so only what joins clauses tells.
      if (!/\\n$|(?:OR|AND|NOT)\\n|\\n(?:OR|AND|NOT)\b|\s\\n|\\n\s/.test(text)) return undefined;
      const plain = text.replaceAll(/\s*\\[nrt](?:\\[nrt])*\s*/g, ' ');
      return {
        message: 'A backslash and n are how JSON writes a new line; write a blank.',
        text: tidied(plain, dialect),
        meaning: 'the text in one line',
        intent: 'habit',
      };
    },
  },
  {
    name: 'bullet',
    tools: 'Markdown, chat models',
    meaning: 'a rule from a list or a quotation',
    examples: { x: '1. volcano -game', firehose: '> tesla AND recall' },
    hint: /^(?:>|[*•]|\d{1,2}[.)])\s/,
    pattern: /(?:>|[*•]|\d{1,2}[.)])\s+(\S.{0,4000})$/sy,
    whole: true,
    rewrite: ([all, rest = ''], dialect) =>
      dialect.platform === 'firehose' && all.startsWith('*')
        ? undefined
        : {
            message: 'Write the rule alone, without the mark before it.',
            text: tidied(rest, dialect),
            meaning: 'the rule alone',
            intent: 'habit',
          },
  },
  {
    name: 'sql-select',
    tools: 'SQL',
    meaning: 'the conditions of a SELECT',
    examples: {
      x: "SELECT * FROM tweets WHERE text LIKE '%tesla%'",
      firehose: "SELECT * FROM pages WHERE title LIKE '%tesla%'",
    },
    hint: /\bWHERE\b/i,
    pattern: /SELECT\s[^'"]{1,200}?\sWHERE\s+(.{1,4000}?);?\s*$/isy,
    whole: true,
    rewrite: ([, rest = ''], dialect) => ({
      message: 'A rule is the conditions alone, without SELECT … WHERE.',
      text: tidied(rest, dialect),
      meaning: 'the conditions alone',
      intent: 'habit',
    }),
  },
  {
    name: 'label',
    tools: 'chat models',
    meaning: 'a rule with a word before it that says so',
    examples: { x: 'Query: volcano -game', firehose: 'Query: tesla AND recall' },
    hint: /^(?:>|[-*•]\s|\d{1,2}[.)]\s|\*{0,2}(?:search )?(?:query|rule|filter|boolean|search|firehose|lucene|x rule))/i,
    pattern:
      /(?:>\s*|[*•]\s+|\d{1,2}[.)]\s+)?(?:\*{0,2}(?:Search |Boolean |Rule |X |Firehose |Lucene )?(?:Query|Rule|Filter|Boolean|Search|Search query|query|rule)(?: is)?\*{0,2}\s?:\*{0,2}\s+)(.{1,4000})$/sy,
    whole: true,
    rewrite: ([, rest = ''], dialect) => ({
      message: 'Write the rule alone, without a word before it.',
      text: tidied(rest, dialect),
      meaning: 'the rule alone',
      intent: 'habit',
    }),
  },
  {
    name: 'quoted-rule',
    tools: 'spreadsheets, chat models',
    meaning: 'a rule in quotes',
    examples: { x: '"volcano -is:retweet"', firehose: '"tesla AND NOT ford"' },
    hint: /^["“'].*["”']$/s,
    pattern: /(?:"([^"“”]{3,4000})"|“([^"“”]{3,4000})”|'([^"“”']{3,4000})')\s*$/y,
    whole: true,
    rewrite([, straight, curly, single], dialect) {
      const inside = straight ?? curly ?? single ?? '';
      const { platform } = dialect;
      if (
        !JOINED.test(inside) ||
        (platform === 'firehose' && /\s-\p{L}/u.test(inside) && !/\s(?:AND|OR|NOT)\s|:\S/.test(inside))
      )
        return undefined;
      return {
        message: 'In quotes the whole rule is one phrase; remove the quotes around it.',
        text: tidied(inside, dialect),
        meaning: 'the rule without the quotes around it',
        intent: 'habit',
      };
    },
  },
  {
    name: 'semicolon',
    tools: 'SQL, programming languages',
    meaning: 'the end of a statement',
    examples: { x: 'volcano lava;', firehose: 'tesla AND recall;' },
    hint: /[^;,]\s?;\s*$/,
    pattern: /([^;]{1,4000}[^;\s])\s?;\s*$/sy,
    whole: true,
    rewrite: ([, rest = '']) =>
      /&#?\w+$/.test(rest)
        ? undefined
        : { message: 'A rule ends without a semicolon.', text: rest, meaning: 'the rule without it', intent: 'habit' },
  },
];

const NAMED = /^-?[a-z_]{1,30}:/i;
/** Names that people write once, before a list of values. */
const LISTED = /^(from|to|domain|site|language|lang|title):(.+)$/is;

/** The name before the first of several values is that of all. Undefined where it is not clear what it belongs to. */
function alternatives(items: readonly string[], dialect: Dialect): string | undefined {
  const [first = '', ...others] = items;
  if (!NAMED.test(first) || others.every((item) => NAMED.test(item))) return `(${items.join(' OR ')})`;
  const [, name, value = ''] = LISTED.exec(first) ?? [];
  if (name === undefined || others.some((item) => NAMED.test(item))) return undefined;
  return equal(name.toLowerCase(), [value, ...others].map(clean), false, dialect)?.text;
}

export const BRACKETS: readonly Habit[] = [
  {
    name: 'unclosed-phrase',
    tools: 'people in a hurry',
    meaning: 'a phrase that ends where the next clause begins',
    examples: { x: '"lava flow -game', firehose: '"lava flow AND ash' },
    hint: /"/,
    pattern:
      /"([^"\s]{1,60}(?:\s[^"\s]{1,60}){0,8}?)(?=\s(?:OR|AND|NOT|-[\p{L}#@(]{1,60}|[a-z_]{2,20}:)[^"]{0,400}$)/uy,
    rewrite([, words = ''], { events }, text) {
      if (text.split('"').length % 2 === 1) return undefined;
      return {
        message: 'A quote is never closed; close it where the next clause begins.',
        text: `"${words}"`,
        meaning: `${events} with the phrase "${words}"`,
        intent: 'habit',
      };
    },
  },
  {
    name: 'operator-without-blank',
    tools: 'people in a hurry',
    meaning: 'clauses joined by an operator',
    examples: { x: '#volcano OR#lava' },
    hint: /(?:OR|AND)["#@$(]/,
    pattern: /(OR|AND)(?=["#@$(])/y,
    rewrite([all, word = ''], { platform, events }, text) {
      const start = this.pattern.lastIndex - all.length;
      if (platform !== 'x' || start === 0) return undefined;
      const before = /\s$/.test(text.slice(0, start)) ? '' : ' ';
      return {
        message: `A blank stands on both sides of ${word}.`,
        text: `${before}${word === 'OR' ? 'OR ' : ''}`,
        meaning: `${events} with ${word === 'OR' ? 'one side or the other' : 'both'}`,
        intent: 'habit',
      };
    },
  },
  {
    name: 'brackets',
    tools: 'mathematics, programming languages',
    meaning: 'a group',
    examples: { x: '[earthquake OR tsunami] warning', firehose: '{tesla OR ford} AND recall' },
    hint: /[[{]/,
    pattern:
      /[[{]([^[\]{}"]{0,200}(?:"[^"]{1,100}"[^[\]{}"]{0,200}){0,8}\s(?:OR|AND|or|and|\|\|?)\s[^[\]{}]{1,300})[\]}]/y,
    rewrite: ([all, inside = ''], { events }, text) => ({
      message: 'Parentheses make a group; brackets do not.',
      text: all.length === text.length ? inside.trim() : `(${inside.trim()})`,
      meaning: `${events} with ${inside.trim()}`,
      intent: 'habit',
    }),
  },
  {
    name: 'comma-group',
    tools: 'people, programming languages',
    meaning: 'one of several',
    examples: { x: 'openai -{hiring, jobs}', firehose: 'openai AND NOT (hiring, jobs)' },
    hint: /[([{][^()[\]{}]{1,200},/,
    pattern: new RegExp(String.raw`[([{]\s*(${ITEM}(?:\s*,\s*${ITEM}){1,20})\s*[)\]}]`, 'uy'),
    rewrite([all, list = ''], dialect) {
      const { events, platform } = dialect;
      // X's own checker tells both meanings of a comma between bare words.
      if (platform === 'x' && all.startsWith('(') && !list.includes(':')) return undefined;
      const items = list.split(/\s*,\s*/);
      const text = alternatives(items, dialect);
      if (text === undefined) return { message: 'OR joins alternatives; write each with its name and a colon.' };
      return {
        message: `OR joins alternatives; write ${text}.`,
        text,
        meaning: `${events} with any of ${items.join(', ')}`,
        intent: 'habit',
      };
    },
  },
  {
    name: 'plus-between',
    tools: 'addresses, people',
    meaning: 'both words',
    examples: { x: 'storm+lava', firehose: 'storm+lava' },
    hint: /\p{L}\+\p{L}/u,
    pattern: /(-|(?:NOT|not)\s+)?(\p{L}{2,40}(?:\+\p{L}{2,40}){1,10})(?=[\s)]|$)/uy,
    rewrite([all, sign, joined = ''], { events, platform, not }, text) {
      // On pages the words behind the sign are read by themselves, and stay excluded.
      if (sign !== undefined && platform === 'firehose') return undefined;
      const words = joined.split('+');
      const both = words.join(platform === 'x' ? ' ' : ' AND ');
      const isNot = sign !== undefined || isExcludedAt(text, this.pattern.lastIndex - all.length);
      const meaning = `${events} ${isNot ? 'that do not have both' : 'with'} ${words.join(' and ')}`;
      const message = `Both words are written ${both}.`;
      if (sign === undefined) {
        const intent = { all: words.map((clause) => ({ clause })) };
        return { message, text: platform === 'x' ? both : `(${both})`, meaning, intent };
      }
      return { message, text: not(`(${both})`), meaning, intent: { excludes: `(${both})` } };
    },
  },
  {
    name: 'and-or',
    tools: 'plain English',
    meaning: 'either or both',
    examples: { x: 'tesla AND/OR ford', firehose: 'tesla AND/OR ford' },
    hint: /\b(?:AND\/OR|and\/or)\b/,
    pattern: /(?:AND\/OR|and\/or)(?=\s)/y,
    rewrite: (_, { events }) => ({
      message: 'OR finds either or both; write OR.',
      text: 'OR',
      meaning: `${events} with one side, the other, or both`,
      intent: 'habit',
    }),
  },
  {
    name: 'bold',
    tools: 'Markdown',
    meaning: 'a word that is shown in bold',
    examples: { x: '**volcano** -game', firehose: '**tesla** AND recall' },
    hint: /\*\*|__/,
    pattern: /(\*\*|__)([^*_\s"][^*_"]{0,100})\1/y,
    rewrite([, , inside = ''], { events }) {
      const text = /^[\p{L}\p{N}]+$/u.test(inside) ? inside : inQuotes(inside);
      return {
        message: 'Stars around a word are Markdown; write the word alone.',
        text,
        meaning: `${events} with ${text}`,
      };
    },
  },
];

/** Conditions that other tools write with =, < and >, as lists, as ranges or as dates. */

import {
  between,
  clean,
  compared,
  count,
  equal,
  FLAGS_SAID,
  NAME,
  numberOf,
  OWN,
  OWN_COUNTS,
  plainName,
  signOf,
  VALUE,
} from './conditions.ts';
import { type Habit, inQuotes, urlHolding } from './habit.ts';

export const COMPARISONS: readonly Habit[] = [
  {
    name: 'true-false',
    tools: 'SQL, JSON, chat models',
    meaning: 'that something is so, or is not',
    examples: { x: 'volcano is:retweet=false' },
    hint: /(?:true|false|0|1)\b/i,
    pattern: /(-?)(?:(is|has)[:_])?([a-z_]{2,20}?)\s*(?:==|=|:)\s*(true|false|yes|no)(?=[\s)]|$)/iy,
    rewrite([, sign = '', name = '', value = '', so = ''], dialect) {
      if (dialect.platform !== 'x') return undefined;
      const isNot = /^(?:false|no)$/i.test(so) !== (sign === '-');
      const plain = value.toLowerCase();
      const kind = name === '' ? FLAGS_SAID[plain] : `${name.toLowerCase()}:${plain}`;
      if (kind === undefined) return undefined;
      const clause = kind;
      const text = isNot ? `-${clause}` : clause;
      return {
        message: `Write ${text}.`,
        text,
        meaning: `posts that are ${isNot ? 'not ' : ''}${clause}`,
        ...(isNot && { intent: { excludes: clause } }),
      };
    },
  },
  {
    name: 'comparison',
    tools: 'SQL, Kibana, GitHub, chat models',
    meaning: 'a number, date or name that is compared',
    examples: { x: 'storm followers>=1000', firehose: 'tesla AND publish_time>=2026-01-01' },
    hint: /[=<>≥≤≠]/,
    pattern: new RegExp(String.raw`${NAME}\s?(:?\s?(?:>=|<=|=>|=<|<>|!=|==|=|>|<|≥|≤|≠))\s?${VALUE}`, 'uy'),
    rewrite([, name = '', sign = '', value = ''], dialect) {
      // The checker knows signs behind its own names.
      if (dialect.platform === 'firehose' && /^:[<>=]/.test(sign) && OWN.has(name)) return undefined;
      return compared(plainName(name), signOf(sign), clean(value), dialect);
    },
  },
  {
    name: 'range',
    tools: 'Lucene, Elasticsearch, GitHub',
    meaning: 'a number or date between two others',
    examples: { x: 'storm followers_count:[1000 TO 5000]', firehose: 'tesla AND date:[2026-01-01 TO 2026-02-01]' },
    hint: /[\]}]|\.\.|\sTO\s/,
    pattern: new RegExp(
      String.raw`${NAME}\s?[:=]\s?(?:([[{(])\s?"?([^\s"\]})]{1,30})"?\s+(?:TO|to|-)\s+"?([^\s"\]})]{1,30})"?\s?([\]})])|([\d-]{1,12})\.\.([\d-]{1,12}|\*))`,
      'uy',
    ),
    rewrite([, name = '', open = '[', first, last, close = ']', low, high], dialect) {
      const [from, to] = [first ?? low, last ?? high].map((text) => (text === '*' ? undefined : text));
      const plain = plainName(name);
      // A form of the platform's own is no habit.
      if (dialect.platform === 'firehose' && OWN.has(plain) && low === undefined && open !== '(') return undefined;
      if (dialect.platform === 'x' && low !== undefined && OWN_COUNTS.has(plain)) return undefined;
      return between(plain, from, to, `${open}${close}`.replace('(', '[').replace(')', ']'), dialect);
    },
  },
  {
    name: 'at-least',
    tools: 'people, chat models',
    meaning: 'a number or more',
    examples: { x: 'storm followers:1k+' },
    hint: /:\d[\d,.]*[km]?\+?(?:\s|$|\))/i,
    pattern: new RegExp(String.raw`${NAME}:(\d[\d,.]{0,12}[km]?)\+?(?=[\s)]|$)`, 'iuy'),
    rewrite([all, name = '', value = ''], dialect) {
      const plain = plainName(name);
      const isOwn = OWN_COUNTS.has(plain) && /:\d+$/.test(all);
      return isOwn || plain === 'min_followers' ? undefined : count(plain, numberOf(value), undefined, dialect);
    },
  },
  {
    name: 'said-value',
    tools: 'plain English, chat models',
    meaning: 'a field and its value',
    examples: { x: 'volcano lang is "en"', firehose: 'recall AND language is "en"' },
    hint: /\s(?:is|equals|eq)\s(?:not\s)?["']/i,
    pattern: new RegExp(String.raw`${NAME}\s+(?:is|equals|eq)\s+(not\s+)?("[^"]{1,100}"|'[^']{1,100}')`, 'iuy'),
    rewrite: ([, name = '', not, value = ''], dialect) =>
      equal(plainName(name), [clean(value)], not !== undefined, dialect),
  },
  {
    name: 'json-pair',
    tools: 'JSON',
    meaning: 'a field and its value',
    examples: { x: 'volcano "lang": "en"', firehose: '"title": "tesla"' },
    hint: /"\s?:\s?"/,
    pattern: /"([a-z_.]{2,30})"\s?:\s?"([^"]{1,100})"/iy,
    rewrite: ([, name = '', value = ''], dialect) => equal(plainName(name), [value], false, dialect),
  },
  {
    name: 'between',
    tools: 'SQL',
    meaning: 'a number or date between two others',
    examples: {
      x: 'storm followers BETWEEN 1000 AND 5000',
      firehose: "tesla AND publish_time BETWEEN '2026-01-01' AND '2026-02-01'",
    },
    hint: /BETWEEN/i,
    pattern: new RegExp(String.raw`${NAME}\s+BETWEEN\s+${VALUE}\s+AND\s+${VALUE}`, 'uyi'),
    rewrite: ([, name = '', from = '', to = ''], dialect) =>
      between(plainName(name), clean(from), clean(to), '[]', dialect),
  },
  {
    name: 'in-list',
    tools: 'SQL',
    meaning: 'one of several values',
    examples: { x: "volcano lang IN ('en', 'de')", firehose: "tesla AND language IN ('en', 'de')" },
    hint: /\sIN\s?\(/i,
    pattern: new RegExp(String.raw`${NAME}\s+(NOT\s+)?IN\s?\(([^()]{1,300})\)`, 'uyi'),
    rewrite: ([, name = '', not, list = ''], dialect) =>
      equal(
        plainName(name),
        list.split(/[,;]/).map((value) => clean(value.trim())),
        not !== undefined,
        dialect,
      ),
  },
  {
    name: 'like',
    tools: 'SQL',
    meaning: 'a text that holds this',
    examples: { x: "text LIKE '%tesla%'", firehose: "title LIKE '%tesla%'" },
    hint: /\b(?:LIKE|CONTAINS|MATCHES)\b|\.contains|contains\(|\s=?~\s?["'/]/i,
    pattern: new RegExp(
      String.raw`(?:${NAME}(?:\s+(NOT\s+)?(?:I?LIKE|CONTAINS|MATCHES|CONTAINS_ANY)\s+|\s=?~\*?\s?|\.contains\()|contains\(${NAME}\s?,\s?)["'“/]%?([^%"'”/]{1,100})%?["'”/]\)?`,
      'uyi',
    ),
    rewrite([, before, not, inside, words = ''], dialect) {
      const name = plainName(before ?? inside ?? '');
      if (name === 'url' || name === 'link') {
        const clause = dialect.platform === 'x' ? `url_contains:${inQuotes(words)}` : urlHolding(words);
        const text = not === undefined ? clause : dialect.not(clause);
        return {
          message: `Write ${text}.`,
          text,
          meaning: `${dialect.events} with ${not === undefined ? 'a' : 'no'} link that contains ${words}`,
          ...(not !== undefined && { intent: { excludes: clause } }),
        };
      }
      return equal(name, [words.trim()], not !== undefined, dialect);
    },
  },
];

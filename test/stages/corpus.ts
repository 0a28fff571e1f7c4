/**
 * Reads the text corpus under test/corpus: cases anyone can add without writing code. A case is
 *
 *     # what it shows
 *     x   skiing «-(snow OR day)»
 *     ~~  negated-group
 *
 * a title, a rule (`x` or `firehose`; « » mark the spans that diagnostics must have, in order), then lines that say
 * what must come of it, each a sign of two characters or one and a text:
 *
 *     ==  canonical form               xx  code of an error, one a line, in order of position
 *     >>  Lucene's rendering           ~~  code of a warning, likewise
 *     !!  message of an error          ->  the rule after every fix was applied
 *     +   an event that matches (« » mark the highlights, or a JSON payload)      -   one that does not
 *
 * `\n`, `\t`, `\s` (a blank) and `\e` (nothing) stand for what a line cannot show, only where the title ends in `(escapes)`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlatform, type Platform } from '../../src/domain/platform.ts';
import type { Span } from '../../src/rules/diagnostic.ts';

export interface Case {
  readonly at: string;
  readonly title: string;
  readonly language: Platform;
  readonly rule: string;
  readonly marks: readonly Span[];
  readonly expected: readonly Expected[];
}

export interface Expected {
  readonly sign: '==' | '>>' | '!!' | 'xx' | '~~' | '->' | '+' | '-';
  readonly text: string;
}

const SIGNS: readonly string[] = ['==', '>>', '!!', 'xx', '~~', '->', '+', '-'];

/** All cases of one folder of the corpus, for instance `x` or `firehose`. */
export function readCorpus(folder: string): Case[] {
  const path = join(import.meta.dirname, '..', 'corpus', folder);
  return readdirSync(path)
    .filter((name) => name.endsWith('.txt'))
    .toSorted()
    .flatMap((name) => readCases(`${folder}/${name}`, readFileSync(join(path, name), 'utf8')));
}

function readCases(file: string, content: string): Case[] {
  const cases: (Case & { expected: Expected[] })[] = [];
  let title = '';
  for (const [index, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = `${file}:${index + 1}`;
    if (line.startsWith('# ')) {
      title = line.slice(2).trim();
      continue;
    }
    const [, sign = '', rest = ''] = /^(\S+)(?:\s+(.*))?$/.exec(line) ?? [];
    const written = title.endsWith('(escapes)') ? unescapeText(rest) : rest;
    if (isPlatform(sign)) {
      const { text, spans } = unmark(written);
      cases.push({ at, title, language: sign, rule: text, marks: spans, expected: [] });
    } else if (SIGNS.includes(sign) && cases.length > 0) {
      cases.at(-1)!.expected.push({ sign: sign as Expected['sign'], text: written });
    } else {
      throw new Error(`${at}: a line starts with a language or one of ${SIGNS.join(' ')}`);
    }
  }
  return cases;
}

const unescapeText = (text: string) =>
  text.replace(/\\([ntse])/g, (_, name: string) => ({ n: '\n', t: '\t', s: ' ', e: '' })[name] ?? '');

/** Takes the « » marks out of a text and says where they were. Marks may nest; spans are ordered by their start. */
export function unmark(marked: string): { text: string; spans: Span[] } {
  let text = '';
  const open: number[] = [];
  const spans: { start: number; end: number }[] = [];
  for (const character of marked) {
    if (character === '«') {
      open.push(spans.length);
      spans.push({ start: text.length, end: text.length });
    } else if (character === '»') {
      const last = open.pop();
      if (last === undefined) throw new Error(`» without « in ${marked}`);
      spans[last]!.end = text.length;
    } else {
      text += character;
    }
  }
  return { text, spans };
}

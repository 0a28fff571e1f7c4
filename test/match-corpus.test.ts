/**
 * Rules against events, from the text corpus. An event is a payload in JSON, the name of a page in `pages.json` after an
 * `@`, or the plain text of a post or page, where « » mark the highlights. A post that does not say otherwise is by
 * `ada`, in English.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Highlight } from '../src/domain/match.ts';
import { type Analyzer, isRejection } from '../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../src/engine/events/page-event.ts';
import { xAnalyzer } from '../src/engine/events/x-event.ts';
import { holds } from '../src/engine/scan.ts';
import { firehoseLanguage } from '../src/rules/firehose/language.ts';
import type { Language } from '../src/rules/language.ts';
import { xLanguage } from '../src/rules/x/language.ts';
import { type Expected, readCorpus, unmark } from './stages/corpus.ts';
import { explanationOf, highlightsOf } from './stages/explaining.ts';

const NOW = Date.UTC(2026, 1, 13, 8, 6, 32);

interface Setup {
  readonly language: Language;
  readonly analyze: Analyzer;
  /** The path that a plain text goes to. */
  readonly textPath: string;
  readonly payload: (text: string) => unknown;
}

const post = (given: { data?: object; includes?: { users?: object[] } }) => ({
  data: { id: '1700000000000000000', text: '', author_id: '2000000001', lang: 'en', ...given.data },
  includes: {
    ...given.includes,
    users: [...(given.includes?.users ?? []), { id: '2000000001', username: 'ada', name: 'Ada' }],
  },
});

const pages = JSON.parse(
  readFileSync(join(import.meta.dirname, 'corpus', 'match-firehose', 'pages.json'), 'utf8'),
) as Record<string, object>;

const SETUPS: Record<string, Setup> = {
  'match-x': {
    language: xLanguage(),
    analyze: xAnalyzer(),
    textPath: 'data.text',
    payload: (text) => post(text.startsWith('{') ? JSON.parse(text) : { data: { text } }),
  },
  'match-firehose': {
    language: firehoseLanguage,
    analyze: pageAnalyzer(),
    textPath: 'added',
    payload: (text) => {
      if (text.startsWith('@')) return pages[text.slice(1)];
      return text.startsWith('{') ? JSON.parse(text) : { id: '1', added: text };
    },
  },
};

describe.each(Object.keys(SETUPS))('corpus %s', (folder) => {
  it.each(readCorpus(folder).map((one) => [`${one.title} (${one.at})`, one] as const))('%s', (_, one) => {
    const judged = one.expected.map(({ text }) => judge(SETUPS[folder]!, one.rule, text));
    expect(judged).toEqual(one.expected);
  });
});

/** The line that the corpus should have for this event: the same again, unless something is wrong. */
function judge({ language, analyze, payload, textPath }: Setup, rule: string, written: string): Expected {
  const { query, diagnostics } = language.parse(rule);
  if (query === undefined) throw new Error(`${rule}: ${diagnostics.map((one) => one.message).join(' ')}`);
  const { text, spans } = written.startsWith('{') ? { text: written, spans: [] } : unmark(written);
  const view = analyze(payload(text));
  if (isRejection(view)) throw new Error(view.rejected);
  const held = holds(query, view, NOW);
  if (explanationOf(query, view, NOW).holds !== held) throw new Error(`${rule}: the explanation says otherwise`);
  if (spans.length === 0) return { sign: held ? '+' : '-', text: written };
  return { sign: held ? '+' : '-', text: marked(text, textPath, highlightsOf(query, view, NOW)) };
}

/** Puts « » around the highlights of the text. */
function marked(text: string, path: string, shown: readonly Highlight[]): string {
  return shown.reduceRight((rest, { field, start, end }) => {
    if (field !== path) return `${rest} and ${field}`;
    return `${rest.slice(0, start)}«${rest.slice(start, end)}»${rest.slice(end)}`;
  }, text);
}

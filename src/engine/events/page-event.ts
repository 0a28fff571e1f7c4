/**
 * Reads a web page in Firehose's shape: a document with its changes (`diff.chunks`), or the same content under the names
 * that rules use (`added`, `removed`, …), which a pushed page may carry. Text fields are cut as Lucene cuts them; all
 * others hold whole values, compared to the letter.
 */

import { idIn, type JsonRecord, listIn, numberIn, recordIn, textIn } from '../../base/json-fields.ts';
import { fold, isStopWord, scanWords } from '../../rules/firehose/words.ts';
import { domainsOf } from './domains.ts';
import type { Analyzer, NumberValue } from './event-view.ts';
import { timeIn } from './time.ts';
import { addText, addValue, clear, type Draft, newDraft, shownAt } from './view-builder.ts';

export function pageAnalyzer(): Analyzer {
  const draft = newDraft();
  return (payload) => {
    const page = recordIn(payload);
    if (page === undefined) return { rejected: 'a page is an object' };
    const id = idIn(page['id']) ?? textIn(page['url']);
    if (id === undefined) return { rejected: 'a page needs an `id` or a `url`, a string' };

    clear(draft);
    addChanges(draft, page, 'added', 'ins');
    addChanges(draft, page, 'removed', 'del');
    addTexts(draft, page, 'added_anchor');
    addTexts(draft, page, 'removed_anchor');
    addTexts(draft, page, 'title');
    addKeywords(draft, page);
    return {
      id,
      pieces: draft.pieces,
      words: draft.words,
      numbers: ratingOf(page),
      place: undefined,
      publishedAt: timeIn(page['publish_time']),
      offsetsOf: () => undefined,
    };
  };
}

/** The chunks of one kind, then what the page gives under the field's own name. No gap between them: phrases run on. */
function addChanges(draft: Draft, page: JsonRecord, field: string, kind: 'ins' | 'del'): void {
  const chunks = listIn(recordIn(page['diff'])?.['chunks']);
  for (let at = 0; at < chunks.length; at++) {
    const chunk = recordIn(chunks[at]);
    if (chunk?.['typ'] === kind) addPassage(draft, field, chunk['text'], `diff.chunks.${at}.text`);
  }
  addTexts(draft, page, field);
}

function addTexts(draft: Draft, page: JsonRecord, field: string): void {
  const value = page[field];
  const passages = listIn(value);
  if (typeof value === 'string') addPassage(draft, field, value, field);
  for (let at = 0; at < passages.length; at++) addPassage(draft, field, passages[at], `${field}.${at}`);
}

function addPassage(draft: Draft, field: string, source: unknown, path: string): void {
  if (typeof source !== 'string') return;
  const from = draft.words.count;
  const text = fold(source);
  addText(draft, scanWords, field, text, shownAt(path, source));
  if (field !== 'title') dropStopWords(draft, from, text);
}

/** The words that stay keep their positions: phrases feel the hole. */
function dropStopWords({ words }: Draft, from: number, text: string): void {
  let kept = from;
  for (let at = from; at < words.count; at++) {
    const start = words.starts[at]!;
    const end = words.ends[at]!;
    if (isStopWord(text, start, end)) continue;
    words.starts[kept] = start;
    words.ends[kept] = end;
    words.pieces[kept] = words.pieces[at]!;
    words.positions[kept++] = words.positions[at]!;
  }
  words.count = kept;
}

/** Some values go by one name in rules and by another in the payload; either will do. */
function addKeywords(draft: Draft, page: JsonRecord): void {
  addValues(draft, 'url', page['url'], 'url');
  if (page['domain'] === undefined) addDomains(draft, page['url']);
  else addValues(draft, 'domain', page['domain'], 'domain');
  addValues(draft, 'publish_time', page['publish_time'], 'publish_time');
  addValues(draft, 'page_category', page['page_category'], 'page_category');
  addValues(draft, 'page_type', page['page_types'], 'page_types');
  addValues(draft, 'page_type', page['page_type'], 'page_type');
  addValues(draft, 'language', page['language'], 'language');
}

function addValues(draft: Draft, field: string, value: unknown, path: string): void {
  const values = listIn(value);
  if (typeof value === 'string') addKeyword(draft, field, value, path);
  for (let at = 0; at < values.length; at++) addKeyword(draft, field, values[at], `${path}.${at}`);
}

/** Lucene indexes no longer term. No address or label comes near it, and a pattern is tried on the whole of a value. */
const LONGEST_KEYWORD = 32_766;

function addKeyword(draft: Draft, field: string, value: unknown, path: string): void {
  const text = textIn(value);
  if (text !== undefined && text.length <= LONGEST_KEYWORD) addValue(draft, field, text, shownAt(path, text));
}

/** Shown in the URL, where the host ends as each domain does. */
function addDomains(draft: Draft, url: unknown): void {
  const source = textIn(url);
  if (source === undefined) return;
  const domains = domainsOf(source);
  if (domains.length === 0) return;
  const hostStart = source.toLowerCase().indexOf(domains[0]!, source.indexOf('://'));
  for (const domain of domains) {
    const start = hostStart + domains[0]!.length - domain.length;
    addValue(draft, 'domain', domain, { path: 'url', source, span: { start, end: start + domain.length } });
  }
}

const UNRATED: readonly NumberValue[] = [];

function ratingOf(page: JsonRecord): readonly NumberValue[] {
  const rating = numberIn(page['domain_rating']) ?? numberIn(page['dr']);
  return rating === undefined ? UNRATED : [{ field: 'dr', value: rating }];
}

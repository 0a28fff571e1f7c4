/**
 * Reads a web page in Firehose's shape: a document with its changes (`diff.chunks`), or the same content under the names
 * that rules use (`added`, `removed`, …), which a pushed page may carry. Text fields are cut as Lucene cuts them; all
 * others hold whole values, compared to the letter.
 */
import { domainsOfUrl } from '../../base/domains.ts';
import { idIn, type JsonRecord, listIn, numberIn, recordIn, textIn } from '../../base/json.ts';
import { fold, isStopWord, scanWords } from '../../rules/firehose/words.ts';
import type { Analyzer, EventView, NumberValue, Rejection } from './event-view.ts';
import { idProblem } from './limits.ts';
import { timeIn } from './time.ts';
import {
  addText,
  addValue,
  clear,
  listWithin,
  newViewBuilder,
  sameOffsets,
  shownAt,
  type TextKind,
  type ViewBuilder,
} from './view-builder.ts';

/** Titles keep the words that other texts of pages leave out. */
const TITLE: TextKind = { scan: scanWords, gap: 0 };
const PASSAGE: TextKind = { ...TITLE, isSkipped: isStopWord };

export function pageAnalyzer(): Analyzer {
  const builder = newViewBuilder();
  return (payload) => readPage(builder, payload);
}

export function readPage(builder: ViewBuilder, payload: unknown): EventView | Rejection {
  const page = recordIn(payload);
  if (page === undefined) return { rejected: 'a page is an object' };
  const ownId = idIn(page['id']);
  const id = ownId ?? textIn(page['url']);
  if (id === undefined) return { rejected: 'a page needs an `id` or a `url`, a string' };

  const problem = ownId === undefined ? undefined : idProblem(ownId, 'id');
  if (problem !== undefined) return { rejected: problem };
  clear(builder);
  addChanges(builder, page, 'added', 'ins');
  addChanges(builder, page, 'removed', 'del');
  addTexts(builder, page, 'added_anchor');
  addTexts(builder, page, 'removed_anchor');
  addTexts(builder, page, 'title');
  addKeywords(builder, page);
  if (builder.problem !== undefined) return { rejected: builder.problem };
  return {
    id,
    pieces: builder.pieces,
    words: builder.words,
    numbers: ratingOf(page),
    place: undefined,
    publishedAt: timeIn(page['publish_time']),
    offsetsOf: sameOffsets,
  };
}

/** The chunks of one kind, then what the page gives under the field's own name. No gap between them: phrases run on. */
function addChanges(builder: ViewBuilder, page: JsonRecord, field: string, kind: 'ins' | 'del'): void {
  const chunks = listWithin(builder, 'chunks', recordIn(page['diff'])?.['chunks'], 'diff.chunks');
  for (let at = 0; at < chunks.length; at++) {
    const chunk = recordIn(chunks[at]);
    if (chunk?.['typ'] === kind) addPassage(builder, field, chunk['text'], `diff.chunks.${at}.text`);
  }
  addTexts(builder, page, field);
}

function addTexts(builder: ViewBuilder, page: JsonRecord, field: string): void {
  const value = page[field];
  const passages = listWithin(builder, field, value, field);
  if (typeof value === 'string') addPassage(builder, field, value, field);
  for (let at = 0; at < passages.length; at++) addPassage(builder, field, passages[at], `${field}.${at}`);
}

function addPassage(builder: ViewBuilder, field: string, source: unknown, path: string): void {
  if (typeof source !== 'string') return;
  addText(builder, field === 'title' ? TITLE : PASSAGE, field, fold(source), shownAt(path, source));
}

/** Some values go by one name in rules and by another in the payload; either will do. */
function addKeywords(builder: ViewBuilder, page: JsonRecord): void {
  addValues(builder, 'url', page['url'], 'url');
  const isNamed = textIn(page['domain']) !== undefined || listIn(page['domain']).length > 0;
  if (isNamed) addValues(builder, 'domain', page['domain'], 'domain');
  else addDomains(builder, page['url']);
  addValues(builder, 'publish_time', page['publish_time'], 'publish_time');
  addValues(builder, 'page_category', page['page_category'], 'page_category');
  addValues(builder, 'page_type', page['page_types'], 'page_types');
  addValues(builder, 'page_type', page['page_type'], 'page_type');
  addValues(builder, 'language', page['language'], 'language');
}

function addValues(builder: ViewBuilder, field: string, value: unknown, path: string): void {
  const values = listWithin(builder, path, value, path);
  if (typeof value === 'string') addKeyword(builder, field, value, path);
  for (let at = 0; at < values.length; at++) addKeyword(builder, field, values[at], `${path}.${at}`);
}

function addKeyword(builder: ViewBuilder, field: string, value: unknown, path: string): void {
  const text = textIn(value);
  if (text !== undefined) addValue(builder, field, text, shownAt(path, text));
}

/** Shown in the URL, where the host ends as each domain does. */
function addDomains(builder: ViewBuilder, url: unknown): void {
  const source = textIn(url);
  if (source === undefined) return;
  const domains = domainsOfUrl(source);
  if (domains.length === 0) return;
  const hostStart = source.toLowerCase().indexOf(domains[0]!, source.indexOf('://'));
  for (const domain of domains) {
    const start = hostStart + domains[0]!.length - domain.length;
    addValue(builder, 'domain', domain, { path: 'url', source, span: { start, end: start + domain.length } });
  }
}

const UNRATED: readonly NumberValue[] = [];

function ratingOf(page: JsonRecord): readonly NumberValue[] {
  const rating = numberIn(page['domain_rating']) ?? numberIn(page['dr']);
  return rating === undefined ? UNRATED : [{ field: 'dr', value: rating }];
}

/**
 * Reads an X v2 payload, `{ data, includes? }`, in either of its vocabularies (`tweet`, `post`). What X compares with a
 * rule is not just what it delivers: a repost is judged by its own text and the whole original, a quote by itself and what
 * it quotes, a long post by its note (`x-post.ts`). Author, place and kind are those of the delivered post alone.
 */
import { idIn, type JsonRecord, listIn, recordIn, textIn } from '../../base/json.ts';
import { fold } from '../../rules/x/words.ts';
import type { Analyzer, EventView, Rejection } from './event-view.ts';
import { idProblem, listProblem, OTHER_ENTRIES } from './limits.ts';
import { timeIn } from './time.ts';
import { addValue, clear, newViewBuilder, type Shown, shownAt, type ViewBuilder } from './view-builder.ts';
import { addFacts, countsOf } from './x-facts.ts';
import { readIncluded, referencesOf, type SeenPost, seenPosts, userOf } from './x-post.ts';
import {
  addFolded,
  addWords,
  type Entity,
  entitiesOf,
  foldText,
  pathTo,
  shownInText,
  sourceOffsets,
} from './x-text.ts';

export function xAnalyzer(): Analyzer {
  const builder = newViewBuilder();
  return (payload) => readPost(builder, payload);
}

export function readPost(builder: ViewBuilder, payload: unknown): EventView | Rejection {
  const envelope = recordIn(payload);
  const post = recordIn(envelope?.['data']);
  if (envelope === undefined || post === undefined) return { rejected: 'a post is an object with an object `data`' };
  const id = idIn(post['id']);
  if (id === undefined) return { rejected: 'a post needs `data.id`, a string' };
  if (typeof post['text'] !== 'string') return { rejected: 'a post needs `data.text`, a string' };

  const included = readIncluded(envelope['includes']);
  const references = referencesOf(post, included);
  const seen = seenPosts(post, references);
  const problem = idProblem(id, 'data.id') ?? longList(post, envelope['includes'], seen);
  if (problem !== undefined) return { rejected: problem };
  const author = userOf(included, idIn(post['author_id']));
  clear(builder);
  addTexts(builder, seen);
  addTags(builder, seen);
  const place = addFacts(builder, { id, post, included, references, seen, author });
  if (builder.problem !== undefined) return { rejected: builder.problem };
  return {
    id,
    pieces: builder.pieces,
    words: builder.words,
    numbers: countsOf(author?.record),
    place,
    publishedAt: timeIn(post['created_at']),
    offsetsOf: sourceOffsets,
  };
}

/** The texts and, as their words count too, the addresses behind their links; then what is known of the links. */
function addTexts(builder: ViewBuilder, seen: readonly SeenPost[]): void {
  for (const { text, textPath } of seen) addFolded(builder, 'text', foldText(text), shownAt(textPath, text));
  const links = entitiesOf(seen, 'urls');
  if (links.length === 0) return;
  const addresses = links.flatMap(addressesOf);
  for (const { text, shown } of addresses) {
    // An address with a span stands in the text itself.
    if (shown.span === undefined) addFolded(builder, 'text', text, shown);
  }
  for (const { text, shown } of addresses) addFolded(builder, 'url', text, shown);
  for (const link of links) addWords(builder, 'url_title', link.record['title'], pathTo(link, 'title'));
  for (const link of links)
    addWords(builder, 'url_description', link.record['description'], pathTo(link, 'description'));
}

interface Address {
  readonly value: string;
  readonly text: string;
  readonly shown: Shown;
}

/** The short address of the text, the one it stands for, and the one that leads to; each once. */
function addressesOf(link: Entity): Address[] {
  const found: Address[] = [];
  for (const name of ['url', 'expanded_url', 'unwound_url']) {
    const value = textIn(link.record[name]);
    if (value === undefined || found.some((one) => one.value === value)) continue;
    const shown = name === 'url' ? shownInText(link, name, value) : shownAt(pathTo(link, name), value);
    found.push({ value, text: foldText(value), shown });
  }
  return found;
}

/** Hashtags, mentions (by name and by id) and cashtags, shown where they stand in the text. */
function addTags(builder: ViewBuilder, seen: readonly SeenPost[]): void {
  for (const tag of entitiesOf(seen, 'hashtags')) addTag(builder, 'hashtag', tag, 'tag');
  for (const mention of entitiesOf(seen, 'mentions')) {
    addTag(builder, 'mention', mention, 'username');
    addTag(builder, 'mention', mention, 'id');
  }
  for (const tag of entitiesOf(seen, 'cashtags')) addTag(builder, 'cashtag', tag, 'tag');
}

function addTag(builder: ViewBuilder, field: string, entity: Entity, name: string): void {
  const value = idIn(entity.record[name]);
  if (value !== undefined) addValue(builder, field, fold(value), shownInText(entity, name, value));
}

/** The lists of an X payload, held to their limits before any of them is read. */
const INCLUDES = ['users', 'tweets', 'posts', 'media', 'places'];
const ENTITIES = ['urls', 'hashtags', 'cashtags', 'mentions', 'annotations'];
const REFERENCES = ['referenced_tweets', 'referenced_posts', 'context_annotations'];

/** Says what is wrong with the first list that is too long; undefined means that none is. */
function longList(post: JsonRecord, includes: unknown, seen: readonly SeenPost[]): string | undefined {
  let problem = longIn(recordIn(includes), INCLUDES, 'includes');
  problem ??= longIn(post, REFERENCES, 'data');
  problem ??= longIn(recordIn(post['entities']), ENTITIES, 'data.entities');
  for (const { record, path, entities, entitiesPath, textPath, cut } of seen) {
    problem ??= longIn(entities, ENTITIES, entitiesPath === '' ? textPath : entitiesPath);
    if (cut !== undefined) problem ??= longIn(cut.entities, ENTITIES, cut.entitiesPath);
    problem ??= longIn(record, REFERENCES, path);
    problem ??= longIn(recordIn(record['attachments']), ['media_keys'], `${path}.attachments`);
  }
  return problem;
}

function longIn(holder: JsonRecord | undefined, names: readonly string[], path: string): string | undefined {
  if (holder === undefined) return undefined;
  for (const name of names) {
    const { length } = listIn(holder[name]);
    // Nearly every list is short: its path need not be put together.
    const problem = length > OTHER_ENTRIES ? listProblem(name, length, `${path}.${name}`) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

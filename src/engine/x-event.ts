/**
 * Reads an X v2 payload, `{ data, includes? }`, in either of its vocabularies (`tweet`, `post`). What X compares with a
 * rule is not just what it delivers: a repost is judged by the whole original, a quote by itself and what it quotes, a
 * long post by its note (`x-post.ts`). Author, place and kind are those of the delivered post alone.
 */
import { fold } from '../rules/x/words.ts';
import { addValue, clear, type Draft, newDraft } from './draft.ts';
import type { Analyzer, Piece } from './event.ts';
import { idIn, recordIn, textIn } from './payload.ts';
import { timeIn } from './time.ts';
import { type Entity, entitiesOf, shownAlone, shownInText } from './x-entity.ts';
import { addFacts, countsOf } from './x-facts.ts';
import { readIncluded, referencesOf, type SeenPost, seenPosts, userOf } from './x-post.ts';
import { addFolded, addWords, foldText, offsetsOf } from './x-text.ts';

export function xAnalyzer(): Analyzer {
  const draft = newDraft();
  return (payload) => {
    const envelope = recordIn(payload);
    const post = recordIn(envelope?.['data']);
    if (envelope === undefined || post === undefined) return { rejected: 'a post is an object with an object `data`' };
    const id = idIn(post['id']);
    if (id === undefined) return { rejected: 'a post needs `data.id`, a string' };
    if (typeof post['text'] !== 'string') return { rejected: 'a post needs `data.text`, a string' };

    const included = readIncluded(envelope['includes']);
    const references = referencesOf(post, included);
    const seen = seenPosts(post, references);
    const author = userOf(included, idIn(post['author_id']));
    clear(draft);
    addTexts(draft, seen);
    addTags(draft, seen);
    const place = addFacts(draft, { id, post, included, references, seen, author });
    return {
      id,
      pieces: draft.pieces,
      words: draft.words,
      numbers: countsOf(author?.record),
      place,
      publishedAt: timeIn(post['created_at']),
      offsetsOf,
    };
  };
}

/** The texts and, as their words count too, the addresses behind their links; then what is known of the links. */
function addTexts(draft: Draft, seen: readonly SeenPost[]): void {
  for (const { text, textPath } of seen) addFolded(draft, 'text', foldText(text), textPath, text);
  const links = entitiesOf(seen, 'urls');
  if (links.length === 0) return;
  const addresses = links.flatMap(addressesOf);
  for (const { text, path, source, span } of addresses) {
    // An address with a span stands in the text itself.
    if (span === undefined) addFolded(draft, 'text', text, path, source);
  }
  for (const { text, path, source, span } of addresses) addFolded(draft, 'url', text, path, source, span);
  for (const { record, path } of links) addWords(draft, 'url_title', record['title'], `${path}.title`);
  for (const { record, path } of links)
    addWords(draft, 'url_description', record['description'], `${path}.description`);
}

/** The short address of the text, the one it stands for, and the one that leads to; each once. */
function addressesOf(link: Entity): Omit<Piece, 'field'>[] {
  const found: Omit<Piece, 'field'>[] = [];
  const values: string[] = [];
  for (const name of ['url', 'expanded_url', 'unwound_url']) {
    const address = textIn(link.record[name]);
    if (address === undefined || values.includes(address)) continue;
    values.push(address);
    const shown = name === 'url' ? shownInText(link, name, address) : shownAlone(link, name, address);
    found.push({ text: foldText(address), ...shown });
  }
  return found;
}

/** Hashtags, mentions (by name and by id) and cashtags, shown where they stand in the text. */
function addTags(draft: Draft, seen: readonly SeenPost[]): void {
  for (const tag of entitiesOf(seen, 'hashtags')) addTag(draft, 'hashtag', tag, 'tag');
  for (const mention of entitiesOf(seen, 'mentions')) {
    addTag(draft, 'mention', mention, 'username');
    addTag(draft, 'mention', mention, 'id');
  }
  for (const tag of entitiesOf(seen, 'cashtags')) addTag(draft, 'cashtag', tag, 'tag');
}

function addTag(draft: Draft, field: string, entity: Entity, name: string): void {
  const value = idIn(entity.record[name]);
  if (value !== undefined) addValue(draft, { field, text: fold(value), ...shownInText(entity, name, value) });
}

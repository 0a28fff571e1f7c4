/** The lists of an X payload, held to their limits before any of them is read. */

import { type JsonRecord, listIn, recordIn } from '../../base/json-fields.ts';
import { listProblem, OTHER_ENTRIES } from './limits.ts';
import type { SeenPost } from './x-post.ts';

const INCLUDES = ['users', 'tweets', 'posts', 'media', 'places'];
const ENTITIES = ['urls', 'hashtags', 'cashtags', 'mentions', 'annotations'];
const REFERENCES = ['referenced_tweets', 'referenced_posts', 'context_annotations'];

/** Says what is wrong with the first list that is too long; undefined means that none is. */
export function longList(post: JsonRecord, includes: unknown, seen: readonly SeenPost[]): string | undefined {
  let problem = longIn(recordIn(includes), INCLUDES, 'includes');
  problem ??= longIn(post, REFERENCES, 'data');
  problem ??= longIn(recordIn(post['entities']), ENTITIES, 'data.entities');
  for (const { record, path, entities, entitiesPath, textPath } of seen) {
    problem ??= longIn(entities, ENTITIES, entitiesPath === '' ? textPath : entitiesPath);
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

/** A sentence of the server with the names of sources in place of their ids. */
import { useSources } from '../data/queries.ts';

const SOURCE_ID = /\bsource_[0-9a-z]{20,}\b/g;

/** The sources are asked for only where a sentence has one of them. */
export function Named({ words }: { words: string }) {
  return words.search(SOURCE_ID) === -1 ? words : <WithNames words={words} />;
}

function WithNames({ words }: { words: string }) {
  const { data: sources } = useSources();
  if (sources === undefined) return words.replaceAll(SOURCE_ID, 'a source');
  const names = new Map(sources.map(({ id, name }) => [id, `“${name}”`]));
  return words.replaceAll(SOURCE_ID, (id) => names.get(id) ?? 'a deleted source');
}

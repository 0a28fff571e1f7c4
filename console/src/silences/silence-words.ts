/** Says what a silence covers. Pure. */
import type { Silence } from '../data/queries.ts';

/** "Rule “Storms”, by @ada": all of it must hold. */
export function coveredWords(
  { rule_ids, source_ids, story_id, author, text }: Silence,
  names: ReadonlyMap<string, string>,
): string {
  const named = (kind: string, ids: readonly string[] | null): string[] =>
    ids === null ? [] : [`${kind} ${ids.map((id) => `“${names.get(id) ?? id}”`).join(', ')}`];
  const parts = [
    ...named('Rule', rule_ids),
    ...named('Source', source_ids),
    ...(story_id === null ? [] : ['One story']),
    ...(author === null ? [] : [`Everything by ${author}`]),
    ...(text === null ? [] : [`Text with “${text}”`]),
  ];
  return parts.length === 0 ? 'Everything' : parts.join(', ');
}

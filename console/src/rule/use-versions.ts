import { useMemo } from 'react';
import { type Change, type Platform, type Rule, useChanges, useReadOnly } from '../data/queries.ts';

/** When a text of the rule was changed. Only a full key may see that. */
export function useVersions(rule: Rule): number[] {
  const isReadOnly = useReadOnly();
  const { data } = useChanges({ kind: 'rule', id: rule.id }, { enabled: !isReadOnly });
  return useMemo(() => (data?.pages ?? []).flatMap(({ changes }) => versionTimes(changes)), [data]);
}

export const versionTimes = (changes: readonly Change[]): number[] =>
  changes
    .filter(({ what, after }) => what === 'rule.changed' && textsOf(after) !== undefined)
    .map(({ at }) => Date.parse(at));

const PLATFORMS = ['x', 'firehose'] as const;

/** The texts of a rule in an entry of the log. Undefined where no text was changed. */
export function textsOf(fields: Change['after']): Partial<Record<Platform, string>> | undefined {
  const texts = PLATFORMS.flatMap((name): [Platform, string][] => {
    const value = (fields?.[name] as { value?: unknown } | null | undefined)?.value;
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

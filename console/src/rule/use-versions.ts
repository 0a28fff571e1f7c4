import { useMemo } from 'react';
import { type Rule, useChanges, useReadOnly } from '../data/queries.ts';
import { versionTimes } from './versions.ts';

/** When a text of the rule was changed. Only a full key may see that. */
export function useVersions(rule: Rule): number[] {
  const isReadOnly = useReadOnly();
  const { data } = useChanges({ kind: 'rule', id: rule.id }, { enabled: !isReadOnly });
  return useMemo(() => (data?.pages ?? []).flatMap(({ changes }) => versionTimes(changes)), [data]);
}

/** What the audit log says of a rule's texts. */
import type { Change, Platform } from '../data/queries.ts';

/** When a text was changed. */
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

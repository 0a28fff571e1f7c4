/** Reads what the audit log says of a rule's texts. */
import type { Change, Platform } from '../data/queries.ts';
import type { TextOf, TextPair } from '../rules/use-difference.ts';

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

/** The text on a platform before and after a change. Undefined where it came or went with it, or stayed. */
export function pairOf({ what, before, after }: Change, platform: Platform): TextPair | undefined {
  const [was, is] = [textIn(before, platform), textIn(after, platform)];
  return what === 'rule.changed' && was !== undefined && is !== undefined ? { before: was, after: is } : undefined;
}

function textIn(fields: Change['after'], platform: Platform): TextOf | undefined {
  const held = fields?.[platform] as { value?: unknown; options?: TextOf['flags'] } | null | undefined;
  return typeof held?.value === 'string' ? { value: held.value, flags: held.options ?? {} } : undefined;
}

/** The changes of a draft to a saved rule, as the API wants them. Pure. */
import type { Rule } from '../data/queries.ts';
import { type Draft, draftOf, optionsOf, PLATFORMS } from './draft.ts';

/** Only what differs: an unchanged text must not make a new version. A platform that is gone is null. */
export function draftChanges(rule: Rule, draft: Draft) {
  const before = draftOf(rule);
  const changed = PLATFORMS.filter((platform) => draft.texts[platform] !== before.texts[platform]);
  const overrides = Object.fromEntries(changed.map((platform) => [platform, draft.texts[platform] ?? null]));
  const hasNewFlags = JSON.stringify(sorted(draft.flags)) !== JSON.stringify(sorted(before.flags));
  return {
    rule_id: rule.id,
    ...(draft.name !== before.name && { name: draft.name.trim() }),
    ...(draft.intent !== before.intent && { intent: draft.intent.trim() }),
    ...(changed.length > 0 && { overrides }),
    ...(hasNewFlags && optionsOf(draft)),
  };
}

const sorted = ({ quality, nsfw }: Draft['flags']) => ({ quality, nsfw });

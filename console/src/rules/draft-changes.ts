/** What a person changes of a saved rule: as it is kept while they type, and as the API wants it. Pure. */
import type { Platform, Rule } from '../data/queries.ts';
import { type Draft, draftOf, type Flags, optionsOf, PLATFORMS } from './draft.ts';

/**
 * Only the parts that the person has changed: what others change of the rest meanwhile is shown, and stays. A platform
 * that the rule leaves is null.
 */
interface Edit {
  readonly name?: string;
  readonly intent?: string;
  readonly texts: Readonly<Partial<Record<Platform, string | null>>>;
  readonly flags: Flags;
}

/** What the person has changed, of the rule as it is, to what the form shows. */
export function editOf(saved: Draft, shown: Draft): Edit {
  const changed = PLATFORMS.filter((platform) => shown.texts[platform] !== saved.texts[platform]);
  const flags = (['quality', 'nsfw'] as const).filter((flag) => shown.flags[flag] !== saved.flags[flag]);
  return {
    ...(shown.name !== saved.name && { name: shown.name }),
    ...(shown.intent !== saved.intent && { intent: shown.intent }),
    texts: Object.fromEntries(changed.map((platform) => [platform, shown.texts[platform] ?? null])),
    flags: Object.fromEntries(flags.map((flag) => [flag, shown.flags[flag]])),
  };
}

/** The rule as it is now, with what the person has changed. */
export function withEdit(saved: Draft, { name, intent, texts, flags }: Edit): Draft {
  const all = Object.entries({ ...saved.texts, ...texts });
  return {
    name: name ?? saved.name,
    intent: intent ?? saved.intent,
    texts: Object.fromEntries(all.filter(([, text]) => text !== null)),
    flags: { ...saved.flags, ...flags },
  };
}

/** Whether what the browser has kept is an edit. A whole draft, as older versions kept it, is one of everything. */
export function isEdit(value: unknown): value is Edit {
  if (typeof value !== 'object' || value === null) return false;
  const { name = '', intent = '', texts, flags } = value as Partial<Record<keyof Edit, unknown>>;
  return (
    typeof name === 'string' &&
    typeof intent === 'string' &&
    typeof flags === 'object' &&
    flags !== null &&
    typeof texts === 'object' &&
    texts !== null &&
    Object.entries(texts).every(
      ([on, text]) => PLATFORMS.includes(on as Platform) && (typeof text === 'string' || text === null),
    )
  );
}

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

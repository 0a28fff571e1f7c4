/** Creates, updates and deletes rules, and then reloads the data that pages show. */

import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { Rule } from '../data/queries.ts';
import { type Draft, draftOf, optionsOf, PLATFORMS } from './draft.ts';

export const useCreateRule = () =>
  useChange(
    async (draft: Draft) => {
      const platforms = PLATFORMS.filter((platform) => draft.texts[platform] !== undefined);
      const { name, intent, texts } = draft;
      return client.rules.create({
        name: name.trim(),
        intent: intent.trim(),
        platforms,
        overrides: texts,
        ...optionsOf(draft),
      });
    },
    ['rules', 'status', 'changes'],
  );

/** Sends only changed fields: an unchanged text must not make a new version. */
export const useUpdateRule = (rule: Rule) =>
  useChange(
    async (draft: Draft) => {
      const before = draftOf(rule);
      const changed = PLATFORMS.filter((platform) => draft.texts[platform] !== before.texts[platform]);
      const overrides = Object.fromEntries(changed.map((platform) => [platform, draft.texts[platform]!]));
      return client.rules.update({
        rule_id: rule.id,
        ...(draft.name !== before.name && { name: draft.name.trim() }),
        ...(draft.intent !== before.intent && { intent: draft.intent.trim() }),
        ...(changed.length > 0 && { overrides }),
      });
    },
    ['rules', 'status', 'changes'],
  );

export const usePauseRule = (rule: Rule) =>
  useChange((paused: boolean) => client.rules.update({ rule_id: rule.id, paused }), ['rules', 'status', 'changes']);

export const useDeleteRule = (rule: Rule) =>
  useChange(() => client.rules.delete({ rule_id: rule.id }), ['rules', 'matches', 'status', 'changes']);

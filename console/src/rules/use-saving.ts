/** Creates, updates and deletes rules, and then reloads the data that pages show. */

import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { Rule } from '../data/queries.ts';
import { type Draft, optionsOf, PLATFORMS } from './draft.ts';
import { draftChanges } from './draft-changes.ts';

export const useCreateRule = () =>
  useChange(
    async (draft: Draft) => {
      const platforms = PLATFORMS.filter((platform) => draft.texts[platform] !== undefined);
      const { name, intent, texts, sources } = draft;
      return client.rules.create({
        name: name.trim(),
        intent: intent.trim(),
        platforms,
        overrides: texts,
        ...(sources === undefined
          ? optionsOf(draft)
          : { options: { ...optionsOf(draft).options, sources: [...sources] } }),
      });
    },
    ['rules', 'status', 'changes'],
  );

export const useUpdateRule = (rule: Rule) =>
  useChange((draft: Draft) => client.rules.update(draftChanges(rule, draft)), ['rules', 'status', 'changes']);

export const usePauseRule = (rule: Rule) =>
  useChange((paused: boolean) => client.rules.update({ rule_id: rule.id, paused }), ['rules', 'status', 'changes']);

export const useDeleteRule = (rule: Rule) =>
  useChange(() => client.rules.delete({ rule_id: rule.id }), ['rules', 'matches', 'status', 'changes']);

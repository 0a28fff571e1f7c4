/** Saves another text of a rule, and offers to go back to the one before. */
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { Platform, Rule } from '../data/queries.ts';
import { toast } from '../ui/toast.tsx';
import { optionsNow, type TextOptions } from './text-before.ts';

interface NewText {
  readonly value: string;
  readonly options?: TextOptions | undefined;
}

/** Said where a text is saved that the rule has already. */
export const NOTHING_CHANGED = 'Nothing changed: the rule has this text already.';

export function useSavedText(platform: Platform, rule: Rule | undefined, onDone?: () => void) {
  const before = rule?.platforms[platform]?.translated_value;
  const put = ({ value, options }: NewText) =>
    client.rules.update({ rule_id: rule!.id, overrides: { [platform]: value }, ...(options && { options }) });
  const undo = useChange(put, ['rules', 'status', 'changes']);
  const save = useChange(put, ['rules', 'status', 'changes']);
  return {
    isPending: save.isPending,
    error: save.error,
    // The part of the page that asked for it may be gone by then, and with it what would be told of the change.
    async save(value: string, options?: TextOptions): Promise<void> {
      const { version } = await save.mutateAsync({ value, options });
      onDone?.();
      if (version === rule?.version) {
        toast(NOTHING_CHANGED);
        return;
      }
      toast(`Saved as version ${version}. In an hour, Insights says what it changed.`, 'ok', {
        label: 'Undo',
        run: () =>
          void undo.mutateAsync({ value: before!, options: options && optionsNow(rule!, options) }).then(
            () => toast('The text before is back.'),
            ({ message }: Error) => toast(message, 'bad'),
          ),
      });
    },
  };
}

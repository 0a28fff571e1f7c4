/** Saves another text of a rule, and offers to go back to the one before. */
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { Platform, Rule } from '../data/queries.ts';
import { toast } from '../ui/toast.tsx';

export function useSavedText(platform: Platform, rule: Rule | undefined, onDone?: () => void) {
  const before = rule?.platforms[platform]?.translated_value;
  const put = (value: string) => client.rules.update({ rule_id: rule!.id, overrides: { [platform]: value } });
  const undo = useChange(put, ['rules', 'status', 'changes']);
  const save = useChange(put, ['rules', 'status', 'changes']);
  return {
    isPending: save.isPending,
    error: save.error,
    // The part of the page that asked for it may be gone by then, and with it what would be told of the change.
    async save(value: string): Promise<void> {
      const { version } = await save.mutateAsync(value);
      onDone?.();
      toast(`Saved as version ${version}. In an hour, Insights says what it changed.`, 'ok', {
        label: 'Undo',
        run: () =>
          void undo.mutateAsync(before!).then(
            () => toast('The text before is back.'),
            ({ message }: Error) => toast(message, 'bad'),
          ),
      });
    },
  };
}

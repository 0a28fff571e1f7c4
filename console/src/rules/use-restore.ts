/** Restoring deleted rules. */
import { useQueryClient } from '@tanstack/react-query';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { toast } from '../ui/toast.tsx';
import { inTurn, type Named, outcomeWords } from './in-turn.ts';

const STALE = ['rules', 'matches', 'status', 'changes'] as const;

export const useRestoreRule = () => useChange(client.rules.restore, STALE);

/** Says that rules were deleted, with a button that restores them. */
export function useSaidDeleted(): (words: string, rules: readonly Named[]) => void {
  const queries = useQueryClient();
  const restore = async (rules: readonly Named[]) => {
    const outcome = await inTurn(rules, ({ id }) => client.rules.restore({ rule_id: id }));
    await Promise.all(STALE.map((subject) => queries.invalidateQueries({ queryKey: [subject] })));
    toast(outcomeWords(outcome, 'restored'), outcome.failed.length === 0 ? 'ok' : 'bad');
  };
  return (words, rules) => {
    if (rules.length > 0) toast(words, 'ok', { label: 'Undo', run: () => void restore(rules) });
  };
}

/** The actions on several rules at once. Each rule is changed by itself; what fails is named. */
import { useQueryClient } from '@tanstack/react-query';
import { Pause, Play, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { client } from '../data/client.ts';
import type { Rule } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { counted, figure } from '../ui/moment.ts';
import { toast } from '../ui/toast.tsx';
import { inTurn, outcomeWords } from './in-turn.ts';
import { useSaidDeleted } from './use-restore.ts';

export interface SelectionBarProps {
  readonly rules: readonly Rule[];
  onClear(): void;
}

export function SelectionBar({ rules, onClear }: SelectionBarProps) {
  const [isDeleting, setDeleting] = useState(false);
  const { progress, run } = useActs();
  const saidDeleted = useSaidDeleted();
  const setPaused = async (paused: boolean) => {
    const changed = rules.filter((rule) => rule.paused !== paused);
    const outcome = await run(changed, ({ id }) => client.rules.update({ rule_id: id, paused }));
    toast(outcomeWords(outcome, paused ? 'paused' : 'resumed'), outcome.failed.length === 0 ? 'ok' : 'bad');
  };
  const remove = async () => {
    const outcome = await run(rules, ({ id }) => client.rules.delete({ rule_id: id }));
    const words = outcomeWords(outcome, 'deleted');
    if (outcome.failed.length > 0) toast(words, 'bad');
    saidDeleted(
      outcome.failed.length === 0 ? words : `${counted(outcome.done.length, 'rule')} deleted.`,
      rules.filter(({ id }) => outcome.done.includes(id)),
    );
  };
  const isBusy = progress !== undefined;
  return (
    <div
      role="group"
      aria-label="Selected rules"
      className="sticky top-12 z-20 mb-3 flex flex-wrap items-center gap-2 rounded-lg border border-accent bg-accent-soft px-3 py-1.5 md:top-2"
    >
      <span role="status" className="mr-auto font-medium">
        {isBusy
          ? `${figure(progress.done)} of ${counted(progress.of, 'rule')} done`
          : `${counted(rules.length, 'rule')} selected`}
      </span>
      <Button
        size="small"
        busy={isBusy}
        icon={<Pause aria-hidden className="size-3.5" />}
        obstacle={rules.every(({ paused }) => paused) ? 'All of them are paused.' : undefined}
        onClick={() => void setPaused(true)}
      >
        Pause
      </Button>
      <Button
        size="small"
        busy={isBusy}
        icon={<Play aria-hidden className="size-3.5" />}
        obstacle={rules.some(({ paused }) => paused) ? undefined : 'None of them is paused.'}
        onClick={() => void setPaused(false)}
      >
        Resume
      </Button>
      <Button
        size="small"
        look="danger"
        busy={isBusy}
        icon={<Trash2 aria-hidden className="size-3.5" />}
        onClick={() => setDeleting(true)}
      >
        Delete …
      </Button>
      <Button size="small" look="quiet" icon={<X aria-hidden className="size-3.5" />} onClick={onClear}>
        Clear selection
      </Button>
      <Confirm
        open={isDeleting}
        title={`Delete ${counted(rules.length, 'rule')}?`}
        action={`Delete ${counted(rules.length, 'rule')}`}
        onClose={() => setDeleting(false)}
        onConfirm={remove}
      >
        They stop at once, and their matches are hidden. You can restore them for seven days, under Deleted.
      </Confirm>
    </div>
  );
}

interface Progress {
  readonly done: number;
  readonly of: number;
}

function useActs() {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress>();
  const run = async (rules: readonly Rule[], act: (rule: Rule) => Promise<unknown>) => {
    setProgress({ done: 0, of: rules.length });
    try {
      return await inTurn(rules, act, (done) => setProgress({ done, of: rules.length }));
    } finally {
      setProgress(undefined);
      for (const subject of ['rules', 'matches', 'status', 'changes'])
        void queries.invalidateQueries({ queryKey: [subject] });
    }
  };
  return { progress, run };
}

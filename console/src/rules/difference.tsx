/** The matches that a change of a rule adds and drops, tried on the same recent events. */
import type { Platform } from '../data/queries.ts';
import { figure } from '../ui/moment.ts';
import type { Flags } from './draft.ts';
import { useDifference } from './use-difference.ts';
import { useSettled } from './use-settled.ts';

export interface DifferenceProps {
  readonly platform: Platform;
  /** The text that runs now; undefined for a new rule. */
  readonly before: string | undefined;
  readonly after: string;
  readonly flags: Flags;
}

export function Difference({ platform, before, after, flags }: DifferenceProps) {
  const asked = useSettled({ before, after, flags });
  const was = asked.before?.trim() === asked.after.trim() ? undefined : asked.before;
  const { data } = useDifference(
    platform,
    was === undefined
      ? undefined
      : { before: { value: was, flags: asked.flags }, after: { value: asked.after, flags: asked.flags } },
  );
  const difference = data?.difference;
  if (difference == null || before === undefined || before.trim() === after.trim()) return null;
  return (
    <p role="status" className="flex flex-wrap gap-x-4 border-b bg-sunken px-3 py-2">
      <span>Against the saved version:</span>
      <span className="text-ok">adds {figure(difference.added.matched)}</span>
      <span className="text-bad">drops {figure(difference.removed.matched)}</span>
    </p>
  );
}

/** Why matches may be missing, one sentence each. Nothing when all is complete. */
import { reasonWords } from './health.ts';

export function CoverageReasons({ reasons }: { reasons: readonly string[] }) {
  if (reasons.length === 0) return null;
  return (
    <ul className="grid gap-0.5 text-xs text-warn">
      {reasons.map((reason) => (
        <li key={reason}>{reasonWords(reason)}</li>
      ))}
    </ul>
  );
}

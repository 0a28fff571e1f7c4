/** The newest surges and silences of a rule. */
import type { Alert } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';
import { ALERTS } from '../words/rules.ts';
import { alertWords } from './alert-words.ts';

const SHOWN = 3;

export function AlertList({ alerts }: { alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null;
  return (
    <ul aria-label="Surges and quiet times" className="mb-3 grid gap-1">
      {alerts.slice(0, SHOWN).map((alert) => (
        <li key={alert.id} className="flex flex-wrap items-center gap-x-2">
          <Badge tone={alert.to === null ? ALERTS[alert.kind].tone : 'neutral'}>{ALERTS[alert.kind].words}</Badge>
          <span>{alertWords(alert)}</span>
          <span className="text-faint">
            It began <Time at={alert.from} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** One attempt to deliver: its time, duration and answer. The answer is untrusted text. */
import type { Delivery } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { exactly, figure } from '../ui/moment.ts';

export type Attempt = Delivery['attempts'][number];

export function AttemptView({ attempt }: { attempt: Attempt }) {
  const { at, milliseconds, status_code, error, response } = attempt;
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={error === null ? 'ok' : 'bad'}>{status_code ?? 'no answer'}</Badge>
        <span className="tabular text-soft">{figure(milliseconds)} ms</span>
        <span className="tabular text-faint">{exactly(at)}</span>
      </div>
      {error !== null && <p className="break-words text-bad">{error}</p>}
      {response !== '' && (
        <pre className="max-h-40 overflow-y-auto rounded-md bg-sunken px-2.5 py-2 font-mono text-xs break-words whitespace-pre-wrap">
          {response}
        </pre>
      )}
    </div>
  );
}

/** Where events come from, as far as this caller may see it. */
import type { Status } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { healthOf } from './health.ts';
import { MoreFacts } from './more-facts.tsx';

interface Source {
  readonly name: string;
  readonly state?: string;
}

export function Sources({ status }: { status: Status }) {
  const sources = sourcesOf(status);
  if (sources.length === 0) return null;
  return (
    <Card title="Sources" flush>
      <ul className="divide-y">
        {sources.map((source) => (
          <li key={source.name} className="grid gap-2 px-3 py-3">
            <div className="flex items-center gap-2">
              <h3 className="font-medium break-words">{source.name}</h3>
              {source.state !== undefined && (
                <Badge tone={healthOf(source.state).tone} dot>
                  {healthOf(source.state).words}
                </Badge>
              )}
            </div>
            <Facts>
              <MoreFacts of={source} except={['name', 'state']} />
            </Facts>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A server without sources does not list any. */
function sourcesOf(status: Status): Source[] {
  const { sources } = status as { sources?: unknown };
  return Array.isArray(sources) ? (sources as Source[]) : [];
}

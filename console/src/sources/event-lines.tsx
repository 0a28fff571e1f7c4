/** Events of a source, a line each. What strangers wrote is text. */

interface EventLinesProps {
  readonly label: string;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

export function EventLines({ label, events }: EventLinesProps) {
  if (events.length === 0) return null;
  return (
    <ul aria-label={label} className="grid gap-1">
      {events.map((event, at) => (
        <li key={textAt(event, 'id') ?? at} className="min-w-0 border-l-2 pl-2">
          <p className="line-clamp-2 break-words">{lineOf(event)}</p>
          <p className="truncate text-xs text-faint">
            {[textAt(event, 'publish_time')?.slice(0, 10), textAt(event, 'url')].filter(Boolean).join(' · ')}
          </p>
        </li>
      ))}
    </ul>
  );
}

const textAt = (event: Readonly<Record<string, unknown>>, name: string): string | undefined =>
  typeof event[name] === 'string' ? event[name] : undefined;

interface Diff {
  readonly chunks?: readonly { readonly typ: string; readonly text: string }[];
}

/** The text of a watched page is what would be watched; others are known by their titles. */
function lineOf(event: Readonly<Record<string, unknown>>): string {
  const { chunks = [] } = (event['diff'] ?? {}) as Diff;
  const passages = chunks.map(({ text }) => text).join(' ');
  const title = textAt(event, 'title');
  const isWatched = JSON.stringify(event['source'] ?? null).includes('"watched":true');
  return (isWatched ? passages : (title ?? passages)).slice(0, 400);
}

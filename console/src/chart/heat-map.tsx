/** Hour by weekday: the darker, the more matches. Screen readers get the busiest hour in words. */
import { counted } from '../ui/moment.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const CELL = 14;
const LEFT = 28;
const TOP = 14;

const hour = (at: number): string => `${String(at).padStart(2, '0')}:00`;

export function HeatMap({ heat }: { heat: readonly (readonly number[])[] }) {
  const most = Math.max(1, ...heat.flat());
  return (
    <svg
      role="img"
      aria-label={summaryOf(heat)}
      viewBox={`0 0 ${LEFT + 24 * CELL} ${TOP + 7 * CELL}`}
      className="block max-h-56 w-full max-w-3xl text-[7px]"
    >
      {[0, 6, 12, 18].map((at) => (
        <text key={at} x={LEFT + at * CELL} y={TOP - 5} className="fill-faint">
          {hour(at)}
        </text>
      ))}
      {heat.map((hours, day) => (
        <g key={DAYS[day]}>
          <text x={0} y={TOP + day * CELL + 9} className="fill-faint">
            {DAYS[day]}
          </text>
          {hours.map((count, at) => (
            <rect
              key={at}
              x={LEFT + at * CELL}
              y={TOP + day * CELL}
              width={CELL - 1.5}
              height={CELL - 1.5}
              rx={2}
              className={count === 0 ? 'fill-line' : 'fill-accent'}
              fillOpacity={count === 0 ? 1 : 0.2 + (0.8 * count) / most}
            >
              <title>{`${DAYS[day]} ${hour(at)}: ${counted(count, 'match', 'matches')}`}</title>
            </rect>
          ))}
        </g>
      ))}
    </svg>
  );
}

function summaryOf(heat: readonly (readonly number[])[]): string {
  const most = Math.max(0, ...heat.flat());
  if (most === 0) return 'No matches in this time.';
  const day = heat.findIndex((hours) => hours.includes(most));
  return `Most matches: ${DAYS[day]} at ${hour(heat[day]!.indexOf(most))}, ${counted(most, 'match', 'matches')}.`;
}

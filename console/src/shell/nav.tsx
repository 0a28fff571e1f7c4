import { Link } from '@tanstack/react-router';
import {
  Activity,
  BookOpen,
  ChartGantt,
  ExternalLink,
  House,
  ListFilter,
  LogOut,
  Plug,
  Radio,
  Rss,
  Settings,
} from 'lucide-react';
import { useStatus } from '../data/queries.ts';
import { endSession } from '../data/session.ts';
import { useIsTroubled } from '../home/use-attention.ts';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { toast } from '../ui/toast.tsx';

const PLACES = [
  { to: '/', name: 'Home', icon: House },
  { to: '/matches/{-$matchId}', name: 'Matches', icon: Radio },
  { to: '/rules', name: 'Rules', icon: ListFilter },
  { to: '/sources', name: 'Sources', icon: Rss },
  { to: '/connect', name: 'Connect', icon: Plug },
  { to: '/timeline', name: 'Timeline', icon: ChartGantt },
  { to: '/health', name: 'Health', icon: Activity },
  { to: '/settings', name: 'Settings', icon: Settings },
] as const;

const ITEM =
  'flex h-8 items-center gap-2.5 rounded-md px-2 text-soft transition-colors hover:bg-hover hover:text-ink ' +
  'aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink';

export function Nav({ className }: { className?: string }) {
  return (
    <nav aria-label="Pages" className={className}>
      <ul className="grid gap-0.5">
        {PLACES.map(({ to, name, icon: Icon }) => (
          <li key={to}>
            <Link to={to} params={{}} activeOptions={{ exact: to === '/', includeSearch: false }} className={ITEM}>
              <Icon aria-hidden className="size-4 text-faint" />
              {name}
              {to === '/health' && <TroubleDot />}
            </Link>
          </li>
        ))}
        <li>
          <a href="./docs" target="_blank" rel="noopener" className={ITEM}>
            <BookOpen aria-hidden className="size-4 text-faint" />
            API docs
            <ExternalLink aria-hidden className="ml-auto size-3 text-faint" />
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        </li>
      </ul>
    </nav>
  );
}

function TroubleDot() {
  if (!useIsTroubled()) return null;
  return (
    <span className="ml-auto flex" title="Something is wrong">
      <span className="size-2 rounded-full bg-bad" />
      <span className="sr-only">Something is wrong</span>
    </span>
  );
}

/** The account, and the sign-out button. */
export function NavFoot({ className }: { className?: string }) {
  const { data: status } = useStatus();
  return (
    <div className={cx('flex items-center justify-between gap-2 border-t pt-3 pl-1.5', className)}>
      <div className="min-w-0">
        <p className="truncate font-medium" title={status?.account.name}>
          {status?.account.name ?? '…'}
        </p>
        <p className="truncate text-xs text-faint">{status === undefined ? ' ' : `Sluice ${status.version}`}</p>
      </div>
      <IconButton
        label="Sign out"
        onClick={() => void endSession().catch((error: Error) => toast(error.message, 'bad'))}
      >
        <LogOut aria-hidden className="size-4" />
      </IconButton>
    </div>
  );
}

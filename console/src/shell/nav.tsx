import { Link } from '@tanstack/react-router';
import { Activity, BookOpen, ExternalLink, Gauge, KeyRound, ListFilter, LogOut, Radio, Webhook } from 'lucide-react';
import { useStatus } from '../data/queries.ts';
import { endSession } from '../data/session.ts';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { toast } from '../ui/toast.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const PLACES = [
  { to: '/', name: 'Overview', icon: Gauge },
  { to: '/rules', name: 'Rules', icon: ListFilter },
  { to: '/matches', name: 'Matches', icon: Radio },
  { to: '/webhooks', name: 'Webhooks', icon: Webhook },
  { to: '/keys', name: 'Keys', icon: KeyRound },
  { to: '/status', name: 'Status', icon: Activity },
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
            <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className={ITEM}>
              <Icon aria-hidden className="size-4 text-faint" />
              {name}
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

/** The account, and the sign-out button. */
export function NavFoot({ className }: { className?: string }) {
  const { data: status } = useStatus();
  return (
    <div className={cx('grid gap-3', className)}>
      <ThemeSwitch />
      <div className="flex items-center justify-between gap-2 border-t pt-3 pl-1.5">
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
    </div>
  );
}

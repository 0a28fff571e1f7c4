/** The frame of every page: navigation and the state of the connection. */
import { Link, useLocation } from '@tanstack/react-router';
import { Menu, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useConnection } from '../data/connection.ts';
import { useObservable } from '../data/observable.ts';
import { useReadOnly, useStatus } from '../data/queries.ts';
import { lasting } from '../status/health.ts';
import { IconButton } from '../ui/button.tsx';
import { ahead } from '../ui/clock.ts';
import { Time } from '../ui/time.tsx';
import { Toasts } from '../ui/toast.tsx';
import { Mark } from './mark.tsx';
import { Nav, NavFoot } from './nav.tsx';
import { PaletteButton, PaletteHost } from './palette-host.tsx';

export function Layout({ children }: { children: ReactNode }) {
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[13rem_minmax(0,1fr)]">
      {/* A button and not a link: the router uses the part of the address after the #. */}
      <button
        type="button"
        onClick={() => document.getElementById('content')?.focus()}
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-accent focus:px-3 focus:py-1.5 focus:text-on-accent"
      >
        Skip to content
      </button>
      <SideBar />
      <TopBar />
      <div className="min-w-0">
        <Connection />
        <ReadOnlyNote />
        <ClockNote />
        <main id="content" tabIndex={-1} className="min-w-0 outline-none">
          {children}
        </main>
      </div>
      <Toasts />
      <PaletteHost />
    </div>
  );
}

function SideBar() {
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col border-r bg-sunken px-3 py-4 md:flex">
      <Brand />
      <PaletteButton className="mt-4" />
      <Nav className="mt-3" />
      <NavFoot className="mt-auto" />
    </aside>
  );
}

function Brand() {
  return (
    <Link to="/" className="flex w-fit items-center gap-2 rounded-md px-1.5 text-base font-semibold tracking-tight">
      <Mark className="size-5" />
      Sluice
    </Link>
  );
}

/** On narrow screens the navigation unfolds below the top bar. */
function TopBar() {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const shownAt = useRef(pathname);
  useEffect(() => {
    if (shownAt.current !== pathname) setOpen(false);
    shownAt.current = pathname;
  }, [pathname]);
  return (
    <header className="sticky top-0 z-30 border-b bg-sunken md:hidden">
      <div className="flex h-12 items-center justify-between px-3">
        <Brand />
        <IconButton
          label={open ? 'Close menu' : 'Open menu'}
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
        >
          {open ? <X aria-hidden className="size-4" /> : <Menu aria-hidden className="size-4" />}
        </IconButton>
      </div>
      <div id="menu" hidden={!open} className="border-t px-3 py-3">
        <Nav />
        <NavFoot className="mt-4" />
      </div>
    </header>
  );
}

const TROUBLE = {
  offline: 'You are offline. This page may be out of date; it updates when you are back online.',
  unreachable: 'The server does not answer. Retrying … This page may be out of date.',
};

function Connection() {
  const connection = useConnection();
  const { error, dataUpdatedAt } = useStatus();
  const words = 'border-b bg-warn-soft px-4 py-1.5 text-warn sm:px-6';
  return (
    <div role="status" aria-live="polite">
      {connection !== 'online' ? (
        <p className={words}>{TROUBLE[connection]}</p>
      ) : error !== null && dataUpdatedAt > 0 ? (
        <p className={words}>
          The server answers with an error: {error.message} This page shows how things were{' '}
          <Time at={new Date(dataUpdatedAt).toISOString()} />.
        </p>
      ) : null}
    </div>
  );
}

/** Times are right all the same: they are counted by the server's clock. */
function ClockNote() {
  const off = useObservable(ahead);
  if (off === 0) return null;
  return (
    <p role="status" className="border-b bg-warn-soft px-4 py-1.5 text-warn sm:px-6">
      The clock of this device is {lasting(Math.abs(off))} {off < 0 ? 'ahead of' : 'behind'} the server’s. Times such as
      “5m ago” are counted by the server’s clock.
    </p>
  );
}

function ReadOnlyNote() {
  if (!useReadOnly()) return null;
  return (
    <p className="border-b bg-sunken px-4 py-1.5 text-soft sm:px-6">
      Your key is read only: you see everything and can change nothing.
    </p>
  );
}

/** The one-time link that the server prints: its ticket is traded for a session, as a key would be. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { openSession } from '../data/session.ts';
import { PagePending } from './page-states.tsx';
import { SignIn } from './sign-in.tsx';

/** A ticket is good for one call, however often the page is drawn. */
const entering = new Map<string, Promise<void>>();

function enterWith(ticket: string): Promise<void> {
  const begun = entering.get(ticket) ?? openSession(ticket);
  entering.set(ticket, begun);
  return begun;
}

export function Enter() {
  const { ticket = '' } = useSearch({ from: '/enter' });
  const navigate = useNavigate();
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    enterWith(ticket).then(
      // The used link leaves the history too.
      () => void navigate({ to: '/', replace: true }),
      () => setRefused(true),
    );
  }, [ticket, navigate]);
  if (!refused) return <PagePending />;
  return (
    <SignIn notice="This link was used already, or it is too old: it works once, for a few minutes. A key always works." />
  );
}

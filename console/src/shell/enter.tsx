/** The one-time link that the server prints: the page exchanges its ticket for a session, as it would a key. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { openSession } from '../data/session.ts';
import { PagePending } from './page-states.tsx';
import { SignIn } from './sign-in.tsx';

/** A ticket is valid for one call, however often the page renders. */
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
      // Replaces the used link in the history too.
      () => void navigate({ to: '/', replace: true }),
      () => setRefused(true),
    );
  }, [ticket, navigate]);
  if (!refused) return <PagePending />;
  return (
    <SignIn notice="This link was used already or has expired: it works once, for 15 minutes. Sign in with a key instead." />
  );
}

/** Shows the pages to a signed-in user, and the sign-in form to anyone else. */
import { Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { askForSession, useSession } from '../data/session.ts';
import { ErrorState } from '../ui/states.tsx';
import { Layout } from './layout.tsx';
import { PagePending } from './page-states.tsx';
import { SignIn } from './sign-in.tsx';

export function Gate() {
  const session = useSession();
  const [failure, setFailure] = useState<unknown>();
  const isAsking = session === 'asking' && failure === undefined;

  useEffect(() => {
    if (isAsking) askForSession().catch(setFailure);
  }, [isAsking]);

  if (session === 'none' || session === 'ended') return <SignIn ended={session === 'ended'} />;
  if (failure !== undefined && session === 'asking') {
    return <ErrorState title="The server does not answer" error={failure} onRetry={() => setFailure(undefined)} />;
  }
  return <Layout>{session === 'open' ? <Outlet /> : <PagePending />}</Layout>;
}

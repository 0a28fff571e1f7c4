/** Shows the pages to a signed-in user. Without a session it shows the sign-in form; after one has ended, over the page. */
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { askForSession, useSession } from '../data/session.ts';
import { ErrorState } from '../ui/states.tsx';
import { Layout } from './layout.tsx';
import { preloadWhileIdle } from './lazy-page.tsx';
import { PagePending } from './page-states.tsx';
import { SignIn } from './sign-in.tsx';

const SignInAgain = lazy(() =>
  import('../overlays/sign-in-again.tsx').then(({ SignInAgain: loaded }) => ({ default: loaded })),
);

export function Gate() {
  const session = useSession();
  const [failure, setFailure] = useState<unknown>();
  const isAsking = session === 'asking' && failure === undefined;

  useEffect(() => {
    if (isAsking) askForSession().catch(setFailure);
  }, [isAsking]);
  useEffect(() => {
    if (session === 'open') preloadWhileIdle();
  }, [session]);

  if (session === 'none') return <SignIn />;
  if (failure !== undefined && session === 'asking') {
    return <ErrorState title="The server does not answer" error={failure} onRetry={() => setFailure(undefined)} />;
  }
  // The page stays as it is while the person signs in again: nothing that was typed is lost.
  return (
    <Layout>
      {session === 'asking' ? <PagePending /> : <Outlet />}
      {session === 'ended' && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
    </Layout>
  );
}

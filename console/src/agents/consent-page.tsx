/** Asks a person whether an agent may connect. A person who is not signed in signs in first and stays on this page. */
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { askForSession, useSession } from '../data/session.ts';
import { Mark } from '../shell/mark.tsx';
import { SignIn } from '../shell/sign-in.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { type Asked, askWhat } from './ask.ts';
import { ConsentForm } from './consent-form.tsx';

export function ConsentPage() {
  const session = useSession();
  const { request = '' } = useSearch({ from: '/authorize' });
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    document.title = 'Connect an agent · Sluice';
    if (session === 'asking') askForSession().catch(setFailure);
  }, [session]);
  if (session === 'none' || session === 'ended')
    return <SignIn notice="An agent asks to connect to your account. Sign in to see what it asks for and to decide." />;
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-8">
      <div className="w-full max-w-lg rounded-lg border bg-surface p-6">
        <Mark className="mb-4 size-8" />
        {failure === undefined ? (
          session === 'open' && <Question request={request} />
        ) : (
          <ErrorState title="The server does not answer" error={failure} />
        )}
      </div>
    </main>
  );
}

function Question({ request }: { request: string }) {
  const [asked, setAsked] = useState<Asked>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    askWhat(request).then(
      (asking) => {
        if (!isCurrent) return undefined;
        if ('redirect' in asking) return location.replace(asking.redirect);
        if ('problem' in asking) return setProblem(asking.problem);
        return setAsked(asking);
      },
      (error: Error) => isCurrent && setProblem(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [request]);
  if (problem !== undefined) return <Refused>{problem}</Refused>;
  if (asked === undefined) return <Skeleton className="h-64 w-full" />;
  return <ConsentForm asked={asked} request={request} />;
}

function Refused({ children }: { children: ReactNode }) {
  return (
    <div role="alert">
      <h1 className="text-lg font-semibold">This agent cannot be connected</h1>
      <p className="mt-1 text-soft break-words">{children}</p>
      <p className="mt-3 text-xs text-faint">Nothing was allowed. You can close this page.</p>
    </div>
  );
}

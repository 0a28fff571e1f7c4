/** The one-time link that the server prints, or that `sluice open` gets: the page exchanges its ticket for a session, as it would a key. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { askForSession, openSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { PagePending } from './page-states.tsx';
import { SignIn } from './sign-in.tsx';

/** A ticket is valid for one call, however often the page renders. */
const entering = new Map<string, Promise<void>>();

function enterWith(ticket: string): Promise<void> {
  const begun = entering.get(ticket) ?? openSession(ticket);
  entering.set(ticket, begun);
  return begun;
}

/**
 * Another person may have made the link, for their own account. A person who is signed in already is asked first, so as not to write
 * rules into that account unawares.
 */
type Step = { readonly is: 'asking' | 'entering' | 'refused' } | { readonly is: 'signed in'; readonly account: string };

export function Enter() {
  const { ticket = '' } = useSearch({ from: '/enter' });
  const navigate = useNavigate();
  const [step, setStep] = useState<Step>({ is: 'asking' });
  // Replaces the link in the history too.
  const leave = useCallback(() => void navigate({ to: '/', replace: true }), [navigate]);
  useEffect(() => {
    if (step.is === 'asking')
      askForSession().then(
        (account) => setStep(account === undefined ? { is: 'entering' } : { is: 'signed in', account }),
        () => setStep({ is: 'entering' }),
      );
    if (step.is === 'entering') enterWith(ticket).then(leave, () => setStep({ is: 'refused' }));
  }, [step, ticket, leave]);
  if (step.is === 'refused')
    return (
      <SignIn notice="This link was used already or has expired. It works once, for a short time. Sign in with a key instead." />
    );
  if (step.is !== 'signed in') return <PagePending />;
  return <SignedIn account={step.account} onEnter={() => setStep({ is: 'entering' })} onStay={leave} />;
}

function SignedIn({ account, onEnter, onStay }: { account: string; onEnter: () => void; onStay: () => void }) {
  return (
    <main className="grid min-h-dvh place-items-center bg-sunken px-4">
      <div className="grid w-full max-w-sm gap-4 rounded-lg border bg-surface p-6">
        <h1 className="text-lg font-semibold">You are signed in already</h1>
        <p className="text-soft">
          Your account here is {account}. This link signs you in anew, perhaps to another account. Use it only if you
          asked for it.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={onStay}>
            Stay signed in
          </Button>
          <Button onClick={onEnter}>Use the link</Button>
        </div>
      </div>
    </main>
  );
}

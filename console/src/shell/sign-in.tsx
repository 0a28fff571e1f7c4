/** A key is given once and traded for a cookie that no script can read; it is kept nowhere. */
import { KeyRound } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { SluiceError } from '../../../src/client/index.ts';
import { queryClient } from '../data/query-client.ts';
import { openSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { Mark } from './mark.tsx';

export function SignIn({ ended = false, notice }: { ended?: boolean; notice?: ReactNode }) {
  const [key, setKey] = useState('');
  const [state, setState] = useState<{ busy: boolean; error?: string }>({ busy: false });
  useEffect(() => {
    document.title = 'Sign in · Sluice';
  }, []);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (key.trim() === '') return setState({ busy: false, error: 'Paste a key first.' });
    setState({ busy: true });
    try {
      // What another key was shown is not this one's to see.
      queryClient.clear();
      await openSession(key.trim());
    } catch (error) {
      setState({ busy: false, error: messageOf(error) });
    }
  }

  return (
    <main className="grid min-h-dvh place-items-center bg-sunken px-4">
      <form
        onSubmit={(event) => void submit(event)}
        className="grid w-full max-w-sm gap-4 rounded-lg border bg-surface p-6"
      >
        <div>
          <Mark className="mb-4 size-8" />
          <h1 className="text-lg font-semibold">Sign in to Sluice</h1>
          <p className="mt-1 text-soft">
            {notice ??
              (ended
                ? 'Your session has ended. Sign in again to go on.'
                : 'With the API key that the first start printed, or any other of yours.')}
          </p>
        </div>
        <Field label="API key" {...(state.error !== undefined && { error: state.error })}>
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="current-password"
              autoFocus
              spellCheck={false}
              placeholder="sk_…"
              value={key}
              onChange={(event) => setKey(event.target.value)}
              className="font-mono"
            />
          )}
        </Field>
        <Button type="submit" look="primary" busy={state.busy} icon={<KeyRound aria-hidden className="size-3.5" />}>
          Sign in
        </Button>
        <p className="text-xs text-faint">
          The key becomes a session cookie of this browser and is not stored. Lost it?{' '}
          <code className="font-mono">sluice keys create</code> on the server makes another.
        </p>
      </form>
    </main>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof SluiceError && error.code === 'unauthenticated') return 'No such key. Is it complete?';
  if (error instanceof SluiceError && error.code === 'permission_denied')
    return 'This key only pushes events; the console needs one of scope full or read.';
  return (error as Error).message;
}

/** Exchanges a key for a cookie that no script can read. The key is not stored. */
import { KeyRound } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { SluiceError } from '../../../packages/client/src/index.ts';
import { openSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { Mark } from './mark.tsx';

export function SignIn({ notice }: { notice?: ReactNode }) {
  useEffect(() => {
    document.title = 'Sign in · Sluice';
  }, []);
  return (
    <main className="grid min-h-dvh place-items-center px-4">
      <div className="grid w-full max-w-sm gap-4 rounded-lg border bg-surface p-6">
        <div>
          <Mark className="mb-4 size-8" />
          <h1 className="text-lg font-semibold">Sign in to Sluice</h1>
          <p className="mt-1 text-soft">
            {notice ?? 'Use the API key that the server printed on its first start, or any other key of your account.'}
          </p>
        </div>
        <SignInForm />
      </div>
    </main>
  );
}

export function SignInForm() {
  const [key, setKey] = useState('');
  const [state, setState] = useState<{ busy: boolean; error?: string }>({ busy: false });

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (key.trim() === '') return setState({ busy: false, error: 'Paste a key first.' });
    setState({ busy: true });
    try {
      await openSession(key.trim());
    } catch (error) {
      setState({ busy: false, error: messageOf(error) });
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
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
        The browser keeps a session cookie, not the key. Lost the key? Run{' '}
        <code className="font-mono">sluice keys create</code> on the server to create another.
      </p>
    </form>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof SluiceError && error.code === 'unauthenticated')
    return 'This key is not valid. Check that it is complete and not revoked.';
  if (error instanceof SluiceError && error.code === 'permission_denied')
    return 'This key can only send events in. Use a key with full access or a read-only key.';
  return (error as Error).message;
}

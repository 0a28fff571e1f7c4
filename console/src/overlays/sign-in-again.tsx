/** Signs in over the page when the session has ended. Only signing in closes it. */

import { SignInForm } from '../shell/sign-in.tsx';
import { Dialog } from '../ui/dialog.tsx';

export function SignInAgain() {
  return (
    <Dialog open title="Your session has ended" about="Sign in again to continue. What you typed on this page is kept.">
      <SignInForm />
    </Dialog>
  );
}

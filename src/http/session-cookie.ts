/** The cookie of a session in the console. Over https it is bound to this very host. */
export interface SessionCookie {
  readonly name: string;
  /** The Set-Cookie value that hands the browser the session in an answer of Create Session. */
  of(answer: string): string;
  /** The one that takes it away again. */
  readonly none: string;
}

export function sessionCookie(publicUrl: string | undefined): SessionCookie {
  const secure = publicUrl?.startsWith('https:') === true;
  const name = secure ? '__Host-sluice_session' : 'sluice_session';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return {
    name,
    none: `${name}=; ${attributes}; Max-Age=0`,
    of(answer) {
      const { session, expires_at } = JSON.parse(answer) as { session: string; expires_at: string };
      return `${name}=${session}; ${attributes}; Expires=${new Date(expires_at).toUTCString()}`;
    },
  };
}

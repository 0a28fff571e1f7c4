/** `read` reads. `full` also changes rules. `events` also lets matches wake the agent. Every one of them includes `read`. */
export const GRANT_SCOPES = ['read', 'full', 'events'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** The permission that a person gave to a program of an agent. Access tokens stand for it. */
export interface Grant {
  readonly id: string;
  readonly accountId: string;
  /** The https address of the document that describes the program, or the id that it registered under. */
  readonly clientId: string;
  /** As the program calls itself. */
  readonly clientName: string;
  /** The address that the browser of the person went to with the answer. */
  readonly redirectUri: string;
  /** The address that its tokens are for. */
  readonly resource: string;
  readonly scopes: readonly GrantScope[];
  /** The rules that it is limited to. Undefined: every rule of the account, also later ones. */
  readonly ruleIds: readonly string[] | undefined;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
  /** It ends then unless the agent asks for new tokens before. */
  readonly endsAt: Date;
  /** It ends then in any case. */
  readonly expiresAt: Date;
}

/** A change of a key, a rule, a webhook, a grant, an account, a feed, a view, a source, a silence, a session or a subscription, or an erasure of a post, as the audit log keeps it. */
export interface Change {
  readonly at: Date;
  /** A key of the account, a person in the console with such a key, an agent with a grant, the operator at the command line, or the program itself. */
  readonly by: {
    readonly kind: 'key' | 'session' | 'grant' | 'operator' | 'system';
    readonly keyId?: string | undefined;
    readonly keyName?: string | undefined;
  };
  readonly what:
    | `${Exclude<(typeof CHANGE_KINDS)[number], 'post'>}.${'created' | 'changed' | 'deleted'}`
    | 'rule.restored'
    | 'post.erased';
  /** The id of what was changed. */
  readonly id: string;
  /** The fields that were changed, as they were. Without secrets; absent for what is new. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  /** The changed fields as they are since; absent for what is gone. */
  readonly after?: Readonly<Record<string, unknown>> | undefined;
}

export const CHANGE_KINDS = [
  'rule',
  'webhook',
  'key',
  'grant',
  'account',
  'feed',
  'view',
  'source',
  'silence',
  'session',
  'subscription',
  'post',
] as const;

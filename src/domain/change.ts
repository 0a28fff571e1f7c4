/** A change of a key, a rule, a webhook or an account, as the audit log keeps it. */
export interface Change {
  readonly at: Date;
  readonly by: ChangedBy;
  readonly what: ChangeName;
  /** The id of what was changed. */
  readonly id: string;
  /** The fields that were changed, as they were. Without secrets; absent for what is new. */
  readonly before?: ChangeFields | undefined;
  /** The same as they are since; absent for what is gone. */
  readonly after?: ChangeFields | undefined;
}

export type ChangeFields = Readonly<Record<string, unknown>>;

/** A key of the account, a person in the console with such a key, the operator at the command line, or the program itself. */
export interface ChangedBy {
  readonly kind: 'key' | 'session' | 'operator' | 'system';
  readonly keyId?: string | undefined;
  readonly keyName?: string | undefined;
}

export const CHANGE_KINDS = ['rule', 'webhook', 'key', 'account'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];
export type ChangeName = `${ChangeKind}.${'created' | 'changed' | 'deleted'}`;

import type { RuleFlags } from './rule.ts';

/** A certificate says what was read for a rule in a span of time, and what matched. Its lines are these entries, in order. */
export const CERTIFICATE_TITLE = 'sluice certificate 2';
/** Its sources have one cursor and no counts. They are still valid. */
export const FIRST_CERTIFICATE_TITLE = 'sluice certificate 1';

/**
 * The operator's signed statement of the log of certificates at one size. Whoever has two heads of one key that do not
 * fit each other can show that there were two logs.
 */
export interface CertificateHead {
  /** How many certificates the log has. */
  readonly size: number;
  /** The root of its Merkle tree, in base64url. */
  readonly root: string;
  /** When the last certificate was added; null while there is none. */
  readonly at: string | null;
  /** The key that signs certificates and heads, in hexadecimal. It names the log. */
  readonly public_key: string;
  /** The signature of four lines: `HEAD_TITLE`, size, root and time. In hexadecimal. */
  readonly signature: string;
}

/** The first of the lines that the signature of a head is of. */
export const HEAD_TITLE = 'sluice certificate log 1';

export type Certificate = readonly Entry[];

type Entry =
  | {
      readonly kind: 'claim';
      readonly rule_id: string;
      readonly rule_version: number;
      readonly queries: Readonly<Record<string, string>>;
      /** By what else the rule is limited on a platform, such as sources. Absent where it is by nothing. */
      readonly options?: Readonly<Record<string, RuleFlags>>;
      readonly from: string;
      readonly to: string;
      readonly issued_at: string;
      /** Matches of the account that were erased since `from`, of this rule and of others: they are not in the certificate. */
      readonly erased: number;
    }
  | {
      readonly kind: 'source';
      readonly platform: string;
      readonly name: string;
      readonly reads_since: string;
      readonly complete_through: string;
      /** The number of an open source's events in the span, and its cursor after the first and the last. */
      readonly events: number | null;
      readonly first_cursor: string | null;
      readonly last_cursor: string | null;
    }
  | {
      readonly kind: 'gap';
      readonly platform: string;
      readonly source: string | null;
      readonly from: string;
      readonly to: string;
      readonly cause: string;
      readonly recovered: true;
    }
  | {
      readonly kind: 'match';
      readonly platform: string;
      readonly match_id: string;
      readonly post_id: string;
      readonly rule_version: number;
      readonly stored_at: string;
    }
  | { readonly kind: 'end'; readonly sources: number; readonly gaps: number; readonly matches: number };

/** Registrations: what upstreams hold for us. Not scoped by account. */
import type { Platform } from '../../domain/platform.ts';
import type { Registration } from '../../domain/registration.ts';
import type { RuleFlags } from '../../domain/rule.ts';

export interface RegistrationStore {
  /** The name of this instance: the first that was ever offered. */
  instance(offered: string): Promise<string>;
  registrations(platform: Platform): Promise<Registration[]>;
  /** All of it in one transaction. */
  changeRegistrations(change: RegistrationChange): Promise<void>;
}

export interface RegistrationChange {
  /** New ones, and others in their new state. */
  readonly put?: readonly Registration[];
  /** Tags of those to be forgotten. */
  readonly drop?: readonly string[];
  /** What became of a text, for every rule that has it and was answered for. */
  readonly holders?: readonly {
    readonly platform: Platform;
    readonly value: string;
    readonly flags: RuleFlags;
    readonly status: 'active' | 'missing' | 'failed';
    readonly platformRuleId?: string;
    readonly error?: string;
  }[];
}

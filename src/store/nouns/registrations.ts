/** Registrations: what upstreams hold for us, read in one go at the start, then written when it changes. Not scoped by account. */
import type { Platform } from '../../domain/platform.ts';
import type { Registration, RegistrationState, RuleFlags } from '../../domain/rule.ts';
import { type Db, insertRow } from '../db.ts';
import { encodeFlags, holdingOf } from '../rows/rule-rows.ts';
import { decodeText, encodeText, parseColumn, textOrNull } from '../rows/texts.ts';

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
  /** The outcome for a text, for every rule that has it and was answered for. */
  readonly holders?: readonly {
    readonly platform: Platform;
    readonly value: string;
    readonly flags: RuleFlags;
    readonly status: 'active' | 'missing' | 'failed';
    readonly platformRuleId?: string;
    readonly error?: string;
  }[];
}

interface RegistrationRow {
  readonly tag: string;
  readonly platform: Platform;
  readonly state: RegistrationState;
  readonly since: number;
  readonly platform_rule_id: string | null;
  readonly flags: string;
  readonly value: string;
  readonly texts: string;
}

const registrationOf = (row: RegistrationRow): Registration => ({
  tag: row.tag,
  platform: row.platform,
  value: decodeText(row.value),
  flags: parseColumn<RuleFlags>(row.flags),
  texts: parseColumn<string[]>(row.texts),
  platformRuleId: row.platform_rule_id ?? undefined,
  state: row.state,
  since: new Date(row.since),
});

export const registrationReads = (db: Db): Pick<RegistrationStore, 'registrations'> => ({
  registrations: async (platform) =>
    (await db.rows<RegistrationRow>('SELECT * FROM registrations WHERE platform = $1 ORDER BY tag', [platform])).map(
      registrationOf,
    ),
});

export const registrationWrites = (db: Db): Omit<RegistrationStore, 'registrations'> => ({
  async instance(offered) {
    await db.run('INSERT INTO instance (one, id) VALUES (1, $1) ON CONFLICT (one) DO NOTHING', [offered]);
    return (await db.row<{ id: string }>('SELECT id FROM instance'))!.id;
  },
  changeRegistrations: ({ drop = [], put = [], holders = [] }) =>
    db.transaction(async (tx) => {
      if (drop.length > 0) await tx.run('DELETE FROM registrations WHERE tag = ANY($1)', [drop]);
      for (const registration of put) await putRegistration(tx, registration);
      for (const holder of holders) await tellHolders(tx, holder);
    }),
});

async function putRegistration(db: Db, one: Registration): Promise<void> {
  const row = {
    tag: one.tag,
    platform: one.platform,
    state: one.state,
    since: one.since,
    platform_rule_id: one.platformRuleId ?? null,
    flags: encodeFlags(one.flags),
    value: encodeText(one.value),
    texts: JSON.stringify(one.texts),
  };
  const changed = 'state = excluded.state, since = excluded.since, platform_rule_id = excluded.platform_rule_id';
  await insertRow(db, 'registrations', row, `ON CONFLICT (tag) DO UPDATE SET ${changed}`);
}

async function tellHolders(db: Db, holder: NonNullable<RegistrationChange['holders']>[number]): Promise<void> {
  const { platform, value, flags, status, platformRuleId, error } = holder;
  await db.run(
    `UPDATE rule_platforms SET status = $1, platform_rule_id = coalesce($2, platform_rule_id), error = $3
     WHERE platform = $4 AND holding = $5 AND value = $6 AND flags = $7 AND status IN ('active', 'missing', 'failed')`,
    [
      status,
      platformRuleId ?? null,
      textOrNull(error),
      platform,
      holdingOf(value, flags),
      encodeText(value),
      encodeFlags(flags),
    ],
  );
}

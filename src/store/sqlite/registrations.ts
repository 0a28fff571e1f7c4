/** What upstreams hold for us: read in one go at the start, then written when it changes. */
import type { Platform } from '../../domain/platform.ts';
import type { Registration } from '../../domain/registration.ts';
import { type RegistrationRow, registrationOf } from '../rows/registrations.ts';
import { encodeFlags, holdingOf } from '../rows/rules.ts';
import { encodeText, textOrNull } from '../rows/texts.ts';
import type { RegistrationChange } from '../store.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';

export const registrationReads = (sql: Sql) => ({
  registrations: (platform: Platform): Registration[] =>
    sql
      .rows<RegistrationRow>('SELECT * FROM registrations WHERE platform = ? ORDER BY tag', [platform])
      .map(registrationOf),
});

export const registrationWrites = (sql: Sql) => ({
  instance(offered: string): string {
    sql.run('INSERT INTO instance (one, id) VALUES (1, ?) ON CONFLICT (one) DO NOTHING', [offered]);
    return sql.row<{ id: string }>('SELECT id FROM instance')!.id;
  },
  changeRegistrations: ({ drop = [], put = [], holders = [] }: RegistrationChange): void =>
    transaction(sql, () => {
      for (const tag of drop) sql.run('DELETE FROM registrations WHERE tag = ?', [tag]);
      for (const registration of put) putRegistration(sql, registration);
      for (const holder of holders) tellHolders(sql, holder);
    }),
});

function putRegistration(sql: Sql, one: Registration): void {
  sql.run(
    `INSERT INTO registrations (tag, platform, state, since, platform_rule_id, flags, value, texts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tag) DO UPDATE SET state = excluded.state, since = excluded.since,
       platform_rule_id = excluded.platform_rule_id`,
    [
      one.tag,
      one.platform,
      one.state,
      one.since.getTime(),
      one.platformRuleId ?? null,
      encodeFlags(one.flags),
      encodeText(one.value),
      JSON.stringify(one.texts),
    ],
  );
}

function tellHolders(sql: Sql, holder: NonNullable<RegistrationChange['holders']>[number]): void {
  const { platform, value, flags, status, platformRuleId, error } = holder;
  sql.run(
    `UPDATE rule_platforms SET status = ?, platform_rule_id = coalesce(?, platform_rule_id), error = ?
     WHERE platform = ? AND holding = ? AND value = ? AND flags = ? AND status IN ('active', 'missing', 'failed')`,
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

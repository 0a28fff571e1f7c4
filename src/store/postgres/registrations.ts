/** What upstreams hold for us: read in one go at the start, then written when it changes. */

import type { Registration } from '../../domain/registration.ts';
import { type RegistrationRow, registrationOf } from '../rows/registrations.ts';
import { encodeFlags, holdingOf } from '../rows/rules.ts';
import { encodeText, textOrNull } from '../rows/texts.ts';
import type { RegistrationChange, RegistrationStore } from '../store.ts';
import type { Database, Db } from './connection.ts';

export const registrationStore = (database: Database): RegistrationStore => ({
  async instance(offered) {
    await database.run('INSERT INTO instance (one, id) VALUES (1, $1) ON CONFLICT (one) DO NOTHING', [offered]);
    const [row] = await database.rows<{ id: string }>('SELECT id FROM instance');
    return row!.id;
  },
  registrations: async (platform) =>
    (
      await database.rows<RegistrationRow>('SELECT * FROM registrations WHERE platform = $1 ORDER BY tag', [platform])
    ).map(registrationOf),
  changeRegistrations: ({ drop, put = [], holders = [] }) =>
    database.transaction(async (db) => {
      if (drop !== undefined) await db.run('DELETE FROM registrations WHERE tag = ANY($1)', [drop]);
      for (const registration of put) await putRegistration(db, registration);
      for (const holder of holders) await tellHolders(db, holder);
    }),
});

async function putRegistration(db: Db, one: Registration): Promise<void> {
  await db.run(
    `INSERT INTO registrations (tag, platform, state, since, platform_rule_id, flags, value, texts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
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

/** What upstreams hold for us: read as a whole at the start, then written as it changes. */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import type { Registration } from '../../domain/registration.ts';
import { type RegistrationRow, registrationOf } from '../rows/registrations.ts';
import { encodeFlags, holdingOf } from '../rows/rules.ts';
import { encodeText } from '../rows/texts.ts';
import type { RegistrationChange } from '../store.ts';
import { transaction } from './connection.ts';

export function registrationReads(db: DatabaseSync) {
  const all = db.prepare('SELECT * FROM registrations WHERE platform = ? ORDER BY tag');
  return {
    registrations: (platform: Platform): Registration[] =>
      (all.all(platform) as unknown as RegistrationRow[]).map(registrationOf),
  };
}

export function registrationWrites(db: DatabaseSync) {
  const offer = db.prepare('INSERT INTO instance (one, id) VALUES (1, ?) ON CONFLICT (one) DO NOTHING');
  const chosen = db.prepare('SELECT id FROM instance');
  const put = db.prepare(
    `INSERT INTO registrations (tag, platform, state, since, platform_rule_id, flags, value, texts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tag) DO UPDATE SET state = excluded.state, since = excluded.since,
       platform_rule_id = excluded.platform_rule_id`,
  );
  const drop = db.prepare('DELETE FROM registrations WHERE tag = ?');
  const tell = db.prepare(
    `UPDATE rule_platforms SET status = ?, platform_rule_id = coalesce(?, platform_rule_id), error = ?
     WHERE platform = ? AND holding = ? AND value = ? AND flags = ? AND status IN ('active', 'failed')`,
  );
  return {
    instance(offered: string): string {
      offer.run(offered);
      return (chosen.get() as { id: string }).id;
    },

    changeRegistrations: (change: RegistrationChange): void =>
      transaction(db, () => {
        for (const tag of change.drop ?? []) drop.run(tag);
        for (const one of change.put ?? []) {
          put.run(
            one.tag,
            one.platform,
            one.state,
            one.since.getTime(),
            one.platformRuleId ?? null,
            encodeFlags(one.flags),
            encodeText(one.value),
            JSON.stringify(one.texts),
          );
        }
        for (const { platform, value, flags, status, platformRuleId, error } of change.holders ?? []) {
          tell.run(
            status,
            platformRuleId ?? null,
            error === undefined ? null : encodeText(error),
            platform,
            holdingOf(value, flags),
            encodeText(value),
            encodeFlags(flags),
          );
        }
      }),
  };
}

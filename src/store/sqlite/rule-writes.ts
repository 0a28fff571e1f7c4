/** How rules come, change and go. A deleted rule is out of sight at once; `removal.ts` takes it off the disk. */
import type { DatabaseSync } from 'node:sqlite';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { RuleStatus } from '../../domain/rule.ts';
import { encodeFlags, holdingOf } from '../rows/rules.ts';
import { encodeText } from '../rows/texts.ts';
import type { NewRule, RuleAdded, RuleChange } from '../store.ts';
import { transaction } from './connection.ts';
import { minutes } from './minutes.ts';
import { noteRuleChange } from './nodes.ts';

interface Owned {
  readonly number: number;
  readonly account: number;
}

export function ruleWrites(db: DatabaseSync) {
  const account = db.prepare('SELECT number FROM accounts WHERE id = ?');
  const find = db.prepare(
    'SELECT number, account FROM rules WHERE id = ? AND account = (SELECT number FROM accounts WHERE id = ?) AND deleted = 0',
  );
  const insert = db.prepare(
    `INSERT INTO rules (id, account, version, paused, deleted, created_at, name, intent) VALUES (?, ?, 1, 0, 0, ?, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE rules SET name = coalesce(?, name), intent = coalesce(?, intent), paused = coalesce(?, paused), version = version + ?
     WHERE number = ?`,
  );
  const hide = db.prepare('UPDATE rules SET deleted = 1 WHERE number = ?');
  const setStatus = db.prepare(
    `UPDATE rule_platforms SET status = ?, platform_rule_id = coalesce(?, platform_rule_id), error = ?
     WHERE rule = (SELECT number FROM rules WHERE id = ? AND deleted = 0) AND platform = ?`,
  );
  const putPlatform = db.prepare(
    `INSERT INTO rule_platforms (rule, platform, holding, status, flags, value, platform_rule_id)
     VALUES (?, ?, ?, 'pending', ?, ?, ?)
     ON CONFLICT (rule, platform) DO UPDATE SET holding = excluded.holding, flags = excluded.flags,
       value = excluded.value, platform_rule_id = coalesce(excluded.platform_rule_id, platform_rule_id)`,
  );
  const platformsOf = db.prepare('SELECT platform FROM rule_platforms WHERE rule = ?');
  const used = db.prepare('SELECT rules FROM account_rules WHERE account = ? AND platform = ?');
  const count = db.prepare(
    `INSERT INTO account_rules (account, platform, rules) VALUES (?, ?, ?)
     ON CONFLICT (account, platform) DO UPDATE SET rules = rules + excluded.rules`,
  );
  const charts = minutes(db);
  const note = noteRuleChange(db);

  const usedOf = (owner: number, platform: Platform): number =>
    (used.get(owner, platform) as { rules: number } | undefined)?.rules ?? 0;
  const heldBy = (rule: number): Platform[] =>
    (platformsOf.all(rule) as { platform: Platform }[]).map(({ platform }) => platform);

  function put(rule: Owned, texts: NonNullable<RuleChange['platforms']>): void {
    const held = heldBy(rule.number);
    for (const platform of PLATFORMS) {
      const text = texts[platform];
      if (text === undefined) continue;
      putPlatform.run(
        rule.number,
        platform,
        holdingOf(text.value, text.flags),
        encodeFlags(text.flags),
        encodeText(text.value),
        text.platformRuleId ?? null,
      );
      if (!held.includes(platform)) count.run(rule.account, platform, 1);
    }
  }

  return {
    addRule: (rule: NewRule, limits: Partial<Record<Platform, number>>): RuleAdded =>
      transaction(db, () => {
        const owner = (account.get(rule.accountId) as { number: number }).number;
        for (const platform of PLATFORMS) {
          const limit = limits[platform];
          if (rule.platforms[platform] === undefined || limit === undefined) continue;
          const already = usedOf(owner, platform);
          if (already >= limit) return { overLimit: platform, used: already };
        }
        const { lastInsertRowid } = insert.run(
          rule.id,
          owner,
          rule.createdAt.getTime(),
          encodeText(rule.name),
          encodeText(rule.intent),
        );
        put({ number: Number(lastInsertRowid), account: owner }, rule.platforms);
        return 'added';
      }),

    setRuleStatus(
      ruleId: string,
      platform: Platform,
      { status, platformRuleId, error }: { status: RuleStatus; platformRuleId?: string; error?: string },
    ): void {
      transaction(db, () => {
        setStatus.run(status, platformRuleId ?? null, error === undefined ? null : encodeText(error), ruleId, platform);
        note(ruleId);
      });
    },

    changeRule: (accountId: string, ruleId: string, change: RuleChange): boolean =>
      transaction(db, () => {
        const rule = find.get(ruleId, accountId) as Owned | undefined;
        if (rule === undefined) return false;
        const { name, intent, paused, platforms } = change;
        update.run(
          name === undefined ? null : encodeText(name),
          intent === undefined ? null : encodeText(intent),
          paused === undefined ? null : Number(paused),
          platforms === undefined ? 0 : 1,
          rule.number,
        );
        if (platforms !== undefined) put(rule, platforms);
        note(ruleId);
        return true;
      }),

    deleteRule: (accountId: string, ruleId: string): boolean =>
      transaction(db, () => {
        const rule = find.get(ruleId, accountId) as Owned | undefined;
        if (rule === undefined) return false;
        hide.run(rule.number);
        note(ruleId);
        for (const platform of heldBy(rule.number)) count.run(rule.account, platform, -1);
        charts.takeRuleFromAccount(rule.number, rule.account);
        return true;
      }),
  };
}

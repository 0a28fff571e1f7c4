/** A process that dies inside a migration: `node migrator.ts FILE STATEMENTS` is killed after so many statements. */
import { connect } from '../../src/store/sqlite/connection.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { SQLITE_STEPS } from '../../src/store/steps.ts';

const [file, after] = process.argv.slice(2) as [string, string];
const db = connect(file);
db.function('die', () => {
  process.kill(process.pid, 'SIGKILL');
  return null;
});
migrate(
  db,
  SQLITE_STEPS.map(({ sql, ...step }) => {
    const statements = sql.split(/;\s*\n/);
    return { ...step, sql: statements.toSpliced(Number(after), 0, 'SELECT die()').join(';\n') };
  }),
);

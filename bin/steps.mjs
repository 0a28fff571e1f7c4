// Work that takes long, told step by step: on a terminal one line that counts the seconds, elsewhere one line when a step
// begins and one when it has ended. Plain JavaScript for the oldest Node we start on.
import { spawn } from 'node:child_process';
import { npmCall } from './npm-call.mjs';

/** Runs `{ title, run }` one after another. A step that throws ends it, and its error is passed on. One without a title is not told. */
export async function runSteps(steps, { output = process.stderr, now = Date.now } = {}) {
  const titles = steps.flatMap(({ title }) => title ?? []);
  for (const { title, run } of steps) {
    if (title === undefined) {
      await run();
      continue;
    }
    const told = tell(output, `sluice: step ${titles.indexOf(title) + 1} of ${titles.length}: ${title}`, now);
    try {
      await run();
    } catch (error) {
      told.end('failed after');
      throw error;
    }
    told.end('done in');
  }
}

function tell(output, line, now) {
  const begun = now();
  const seconds = () => `${Math.round((now() - begun) / 1000)} s`;
  if (output.isTTY !== true) {
    output.write(`${line}\n`);
    return { end: (how) => output.write(`${line}, ${how} ${seconds()}\n`) };
  }
  const show = (text) => output.write(`\r\x1b[2K${line}, ${text}`);
  show(seconds());
  const timer = setInterval(() => show(seconds()), 1_000);
  return {
    end(how) {
      clearInterval(timer);
      show(`${how} ${seconds()}\n`);
    },
  };
}

/** Settings that npm hands down to what it runs, and that would make another npm do something else than it is told. */
const HANDED_DOWN =
  /^npm_config_(dry_run|global|ignore_scripts|include.*|json|location|omit|pack_destination|package_lock.*|prefix|workspaces?)$/i;

/** Runs npm without a word. When it fails, the error has what npm said. */
export function npm(args, cwd) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !HANDED_DOWN.test(name)));
  const { platform, execPath: node } = process;
  const call = npmCall(args, { platform, node, npmProgram: env.npm_execpath });
  const child = spawn(call.command, call.args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], shell: call.shell });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  return new Promise((done, failed) => {
    child.once('error', (error) => failed(new Error(`npm could not be started: ${error.message}`)));
    child.once('close', (code) =>
      code === 0 ? done() : failed(new Error(`npm ${args[0]} ended with status ${code}:\n${said.trim()}`)),
    );
  });
}

/**
 * Comments the plan of a rule file on a pull request. It updates its own comment, so that each file has one. It needs Node 20
 * or newer and nothing else. Outside of a pull request the plan goes to the summary of the run alone.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { markerOf, printFailure, printPlan } from './print-plan.mjs';

const TRIES = 4;
const PER_PAGE = 100;
/** GitHub allows 2,500 comments on a pull request. */
const MOST_PAGES = 25;

const { env } = process;
const words = (text = '') => text.split(/\s+/).filter((word) => word !== '');

/** No shell is involved, and the token of GitHub stays here. */
function run() {
  const [program, ...args] = words(env.PLAN_COMMAND || 'sluice');
  const { GITHUB_TOKEN: _, ...rest } = env;
  const all = [...args, 'rules', 'plan', '--json', ...words(env.PLAN_OPTIONS), '--', env.PLAN_FILE];
  return new Promise((done, failed) => {
    const child = spawn(program, all, { env: rest, stdio: ['ignore', 'pipe', 'pipe'] });
    const parts = { stdout: [], stderr: [] };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => parts[name].push(chunk));
    child.once('error', failed);
    child.once('close', (code) =>
      done({ code, stdout: Buffer.concat(parts.stdout).toString(), stderr: Buffer.concat(parts.stderr).toString() }),
    );
  });
}

function failureIn(stderr) {
  try {
    return JSON.parse(stderr).message;
  } catch {
    return stderr;
  }
}

async function github(method, path, body) {
  const answer = await fetch(
    `${env.GITHUB_API_URL ?? 'https://api.github.com'}/repos/${env.GITHUB_REPOSITORY}${path}`,
    {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${env.GITHUB_TOKEN}`,
        'user-agent': 'sluice-plan',
        'x-github-api-version': '2022-11-28',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    },
  );
  if (answer.ok) return answer.json();
  const error = new Error(
    `GitHub answered ${answer.status} to ${method} ${path}: ${(await answer.text()).slice(0, 500)}`,
  );
  error.isPassing = answer.status >= 500 || answer.status === 429;
  throw error;
}

/** The comment of this file that the action wrote. A comment of someone else with the same first line is left alone. */
async function ownComment(number, marker) {
  for (let page = 1; page <= MOST_PAGES; page++) {
    const comments = await github('GET', `/issues/${number}/comments?per_page=${PER_PAGE}&page=${page}`);
    const own = comments.find(({ body, user }) => user?.login === env.PLAN_AUTHOR && body?.startsWith(marker));
    if (own !== undefined || comments.length < PER_PAGE) return own;
  }
  return undefined;
}

async function comment(number, body, isWorthOne) {
  const own = await ownComment(number, markerOf(env.PLAN_FILE));
  if (own !== undefined) await github('PATCH', `/issues/comments/${own.id}`, { body });
  else if (isWorthOne) await github('POST', `/issues/${number}/comments`, { body });
}

/** Each try looks for the comment again: one whose answer was lost is found, not written twice. */
async function tryTo(work) {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isPassing = error.isPassing ?? error instanceof TypeError;
      if (!isPassing || tries === TRIES) throw error;
      await new Promise((done) => setTimeout(done, 250 * 2 ** tries));
    }
  }
}

function pullRequestNumber() {
  if (!env.GITHUB_EVENT_PATH) return undefined;
  return JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8')).pull_request?.number;
}

if (!env.SLUICE_API_KEY) {
  console.error('The key is empty. GitHub gives no secrets to pull requests from forks.');
  process.exit(1);
}
const { code, stdout, stderr } = await run();
const plan = code === 0 || code === 3 ? JSON.parse(stdout) : undefined;
const body = plan ? printPlan(env.PLAN_FILE, plan) : printFailure(env.PLAN_FILE, failureIn(stderr));
if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${body}\n`);
const number = pullRequestNumber();
const isWorthOne = plan === undefined || plan.changes.length > 0 || (plan.samples?.failed ?? 0) > 0;
if (number !== undefined) await tryTo(() => comment(number, body, isWorthOne));
if (plan === undefined) console.error(stderr);
process.exitCode = plan === undefined || (plan.samples?.failed ?? 0) > 0 ? 1 : 0;

#!/usr/bin/env node
// The command `sluice`: from the sources in a checkout, from the emitted JavaScript in the package, which has no sources.
// Plain JavaScript that an older Node can read, so that it can hand over to a newer one.
import { existsSync } from 'node:fs';
import module from 'node:module';

const LEAST = 24;

if (Number(process.versions.node.split('.')[0]) < LEAST) await runOnNewerNode();
else {
  // Before the first source is read: then not even what reads sources has to be loaded.
  module.enableCompileCache();
  const sources = new URL('../src/cli/main.ts', import.meta.url);
  await import(existsSync(sources) ? sources.href : new URL('../dist/cli/main.js', import.meta.url).href);
}

async function runOnNewerNode() {
  const { findNode } = await import('./runtime.mjs');
  const { signalsOf, whenLeft } = await import('./signals.mjs');
  const { spawn } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  const node = findNode() ?? (await fetchOrExit());
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  const { forBoth, passedOn } = signalsOf(process.platform);
  for (const signal of passedOn) process.on(signal, () => child.kill(signal));
  for (const signal of forBoth) process.on(signal, () => {});
  whenLeft(() => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => (signal === null ? process.exit(code) : process.exit(1)));
}

/** On Linux, once. Elsewhere a person installs it. */
async function fetchOrExit() {
  const { ADVICE, fetchedVersion, fetchNode } = await import('./runtime.mjs');
  const { runSteps } = await import('./steps.mjs');
  const version = fetchedVersion();
  let node;
  try {
    if (version === undefined) throw new Error('There is none to fetch for this machine.');
    const run = async () => {
      node = await fetchNode();
    };
    await runSteps([{ title: `fetching Node ${version}, which takes 190 MB of disk`, run }]);
    return node;
  } catch (error) {
    console.error(`${error.message}\nerror: ${ADVICE}`);
    process.exit(2);
  }
}

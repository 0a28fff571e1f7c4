#!/usr/bin/env node
// The command `sluice`: from the sources in a checkout, from the emitted JavaScript in the package, which has no sources.
// Plain JavaScript that the oldest Node can read, so that it can say which one is needed.
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';

const LEAST = 24;

if (Number(process.versions.node.split('.')[0]) < LEAST) await runOnOwnNode();
else {
  // Before the first source is read: then not even what reads sources has to be loaded.
  module.enableCompileCache();
  const sources = new URL('../src/cli/main.ts', import.meta.url);
  await import(existsSync(sources) ? sources.href : new URL('../dist/cli/main.js', import.meta.url).href);
}

/** An older Node hands over to the one that came with the package, where there is one for this machine. */
async function runOnOwnNode() {
  const node = await ownNode();
  if (node === undefined) {
    console.error(`error: sluice needs Node ${LEAST} or newer; this is ${process.version}.`);
    process.exit(2);
  }
  const { spawn } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A service manager signals this process; what must hear it is the other one. A terminal signals both.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {});
  child.on('exit', (code, signal) => (signal === null ? process.exit(code) : process.exit(1)));
}

async function ownNode() {
  const { dirname, join } = await import('node:path');
  try {
    const found = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`);
    const node = join(dirname(found), 'bin', 'node');
    return existsSync(node) ? node : undefined;
  } catch {
    return undefined;
  }
}

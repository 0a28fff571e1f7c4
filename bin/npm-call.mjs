/**
 * How npm is run. On Windows npm is a command file, which Node starts only through a shell; where npm itself runs us, it says
 * where its program is, and needs none. The arguments are ours alone, never a user's.
 */
export function npmCall(args, { platform, node, npmProgram }) {
  if (platform !== 'win32') return { command: 'npm', args, shell: false };
  if (/npm-cli\.c?js$/.test(npmProgram ?? '')) return { command: node, args: [npmProgram, ...args], shell: false };
  return { command: 'npm', args, shell: true };
}

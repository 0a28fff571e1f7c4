/** The command that asks the server for the same. The key stays out of it. */
export const curlOf = (server: string, path: string, body: object): string =>
  [
    `curl -s ${server}${path}`,
    `-H "Authorization: Bearer $KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');

/** One word for the shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

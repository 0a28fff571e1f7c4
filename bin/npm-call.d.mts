interface Caller {
  readonly platform: string;
  readonly node: string;
  readonly npmProgram: string | undefined;
}

export function npmCall(
  args: readonly string[],
  caller: Caller,
): { readonly command: string; readonly args: readonly string[]; readonly shell: boolean };

export interface Step {
  /** What is told of it; without a title nothing is. */
  readonly title?: string;
  readonly run: () => Promise<unknown>;
}
export declare function runSteps(
  steps: readonly Step[],
  options?: {
    readonly output?: { readonly isTTY?: boolean; write(text: string): unknown };
    readonly now?: () => number;
  },
): Promise<void>;
export declare function npm(args: readonly string[], cwd: string): Promise<void>;

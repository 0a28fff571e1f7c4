export declare const LEAST: number;
export declare const ADVICE: string;
export declare function isNewEnough(version: string): boolean;
export declare function fetchedVersion(): string | undefined;
export declare function versionOn(path: string): string;
export declare function findNode(options?: {
  readonly path?: string;
  readonly version?: string;
  readonly folders?: readonly string[];
}): string | undefined;
export declare function fetchNode(options?: {
  readonly folders?: readonly string[];
  readonly install?: (folder: string) => Promise<void>;
}): Promise<string>;

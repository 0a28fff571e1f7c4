/** `sluice/client`: the client as part of the server's package. It is a package of its own in `packages/client`. */
export * from '../../packages/client/src/index.ts';

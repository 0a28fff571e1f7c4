// n8n's own rules: the plugin for community nodes as it is recommended, with everything that n8n Cloud asks for, and every
// rule of the plugin for n8n's own nodes.
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

// ESLint's parser calls the compiler as a library, which TypeScript 7 is not: it gets the TypeScript 5 of the generators.
const compiler = createRequire(new URL('../generators/package.json', import.meta.url)).resolve('typescript');
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript'
      ? { url: pathToFileURL(compiler).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
const { n8nCommunityNodesPlugin } = await import('@n8n/eslint-plugin-community-nodes');
const { default: parser } = await import('@typescript-eslint/parser');
const { default: nodesBase } = await import('eslint-plugin-n8n-nodes-base');

const recommended = n8nCommunityNodesPlugin.configs.recommended;
const languageOptions = { parser, parserOptions: { extraFileExtensions: ['.json'] } };
const plugins = { 'n8n-nodes-base': nodesBase };

export default [
  { ignores: ['dist/**', '*.mjs', 'tsconfig.json', '**/*.node.json'] },
  { ...recommended, files: ['**/*.ts', 'package.json'], languageOptions },
  {
    files: ['nodes/**/*.ts', 'http/**/*.ts'],
    plugins,
    rules: {
      ...nodesBase.configs.nodes.rules,
      // They ask for the text 'main'. The plugin for community nodes asks for NodeConnectionTypes.Main, which n8n recommends today.
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
    },
  },
  {
    files: ['credentials/**/*.ts'],
    plugins,
    rules: {
      ...nodesBase.configs.credentials.rules,
      // For nodes inside n8n, whose documentation is named by a word. Ours is an address, which the next rule asks for.
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
    },
  },
  { files: ['package.json'], plugins, rules: nodesBase.configs.community.rules },
];

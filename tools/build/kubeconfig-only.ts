import type { Plugin } from 'esbuild'

/** What no kubeconfig needs that the controller takes: it refuses these ways to log in by name before they are used. */
const NEVER_USED: Readonly<Record<string, string>> = {
  './gen/index.js': 'export const createConfiguration = undefined, ServerConfiguration = undefined',
  './oidc_auth.js': 'export class OpenIDConnectAuth { isAuthProvider() { return false } }',
  './azure_auth.js': 'export class AzureAuth { isAuthProvider() { return false } }',
  './gcp_auth.js': 'export class GoogleCloudPlatformAuth { isAuthProvider() { return false } }',
  // for requests by fetch, which nobody makes
  'node-fetch': 'export const Headers = undefined',
}

/** Bundles of the client of Kubernetes only how it reads a kubeconfig: a fifth of the bytes, and half of the memory that it takes. */
export const kubeconfigOnly: Plugin = {
  name: 'kubeconfig-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(\.\/.*\.js|node-fetch)$/ }, ({ path, importer }) =>
      /@kubernetes\/client-node\/dist\/config\.js$/.test(importer) && path in NEVER_USED
        ? { path, namespace: 'never-used', sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'never-used' }, ({ path }) => ({ contents: NEVER_USED[path] ?? '' }))
  },
}

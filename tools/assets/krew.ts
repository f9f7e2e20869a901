import { stringify } from 'yaml'

/** An archive for a platform, by its address and sum. */
export interface KrewArchive {
  readonly os: 'linux' | 'darwin'
  readonly arch: 'amd64' | 'arm64'
  readonly uri: string
  readonly sha256: string
}

const DESCRIPTION = `nodefit fits what runs on every node to the nodes you have. The plugin reads
the nodes and the DaemonSets of a cluster and says what each DaemonSet
requests, what it uses, and what it would request if it were sized per node
group (scan). It writes manifests from them (init, build) and applies nothing.
`

/** The manifest of the plugin for Krew, https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/. */
export function krewManifest(version: string, homepage: string, archives: readonly KrewArchive[]): string {
  const manifest = {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'nodefit' },
    spec: {
      version: `v${version}`,
      homepage,
      shortDescription: 'Size DaemonSets per node group',
      description: DESCRIPTION,
      platforms: archives.map(({ os, arch, uri, sha256 }) => ({
        selector: { matchLabels: { os, arch } },
        uri,
        sha256,
        bin: 'nodefit',
        files: ['nodefit', 'LICENSE', 'third-party-licenses.txt', 'node-license.txt'].map((from) => ({
          from,
          to: '.',
        })),
      })),
    },
  }
  return stringify(manifest, { lineWidth: 0 })
}

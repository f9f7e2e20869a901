/** What a release was made from, as SLSA has it. */
export interface Built {
  /** The files of the release with their sums. */
  readonly subjects: readonly { readonly name: string; readonly sha256: string }[]
  /** Where the source is, such as https://github.com/OWNER/NAME, what was built of it, and the commit. */
  readonly repository: string
  readonly ref: string
  readonly commit: string
  /** What was fetched besides, with its hashes by algorithm. */
  readonly materials: readonly { readonly uri: string; readonly digest: Readonly<Record<string, string>> }[]
  /** Who built it, as an address, and which of its runs. */
  readonly builder: string
  readonly run: string
}

export const BUILD_TYPE = 'https://nodefit.dev/build/release/v1'

/**
 * An in-toto Statement v1 with a SLSA Provenance v1 predicate, https://slsa.dev/spec/v1.0/provenance. It is not signed:
 * the workflow that builds the release signs it. It has no times: the same commit gives the same bytes but for its run.
 */
export function provenance({ subjects, repository, ref, commit, materials, builder, run }: Built): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { repository, ref },
        internalParameters: {},
        resolvedDependencies: [{ uri: `git+${repository}@${ref}`, digest: { gitCommit: commit } }, ...materials],
      },
      runDetails: { builder: { id: builder }, metadata: { invocationId: run } },
    },
  }
}
